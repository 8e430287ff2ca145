import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeProgram } from "../../command/src/run";
import { pageGuard, sessionOf } from "./support/console";

const pages = resolve(__dirname, "../../docs/commands");

/** `WRITE_HELP=1 npm test -- test/command/pages.test.ts` updates the help texts in the pages. */
const isWriting = process.env["WRITE_HELP"] === "1";

/** Asserts that the page shows the help of each command in a separate block, in this order. */
async function expectHelp(page: string, commands: readonly string[]): Promise<void> {
  const file = join(pages, page);
  assert.ok(existsSync(file), `write docs/commands/${page}`);
  const shown = new Set<string>();
  for (const command of commands) {
    const { out } = await pageGuard([...command.split(" "), "--help"]);
    const expected = `$ page-guard ${command} --help\n${withoutRepetition(out, shown)}\n`;
    const text = readFileSync(file, "utf8");
    const start = text.indexOf(`$ page-guard ${command} --help\n`);
    const end = text.indexOf("```", start);
    if (isWriting && start >= 0) writeFileSync(file, text.slice(0, start) + expected + text.slice(end));
    else assert.equal(start < 0 ? "" : text.slice(start, end), expected, `the help in docs/commands/${page}`);
  }
}

/** Shortens parts of a help that are `shown` already: options to their flags, and paragraphs to an ellipsis. */
function withoutRepetition(help: string, shown: Set<string>): string {
  const kept: string[] = [];
  let flags: string[] = [];
  for (const part of [...help.trimEnd().split(/\n(?=\n| {2}\S)/), ""]) {
    const words = part.trim().replace(/\s+/g, " ");
    const isRepeated = words !== "" && !words.endsWith(":") && shown.has(words);
    shown.add(words);
    const [, flag] = /^ {2}(?:-\w, )?(--[\w-]+)/.exec(part) ?? [];
    if (isRepeated && flag) {
      flags.push(flag);
      continue;
    }
    if (flags.length > 0) kept.push(`  ${flags.join(", ")}: as above`);
    flags = [];
    kept.push(isRepeated ? "\n…" : part);
  }
  return kept.join("\n").trimEnd();
}

describe("The pages about the commands", () => {
  for (const command of makeProgram(sessionOf({}), async () => undefined).commands) {
    const name = command.name();
    const below = command.commands.map((subcommand) => `${name} ${subcommand.name()}`);

    it(`show the help of ${[name, ...below].join(", ")}`, () => expectHelp(`${name}.md`, [name, ...below]));

    it(`show an example in the help of ${name}`, async () => {
      const { out } = await pageGuard([name, "--help"]);
      assert.match(out, new RegExp(`^Examples?:\\n(?:  .*\\n)*?  .*page-guard ${name}`, "m"));
    });

    it(`list ${name} in the overview`, () => {
      assert.ok(readFileSync(join(pages, "README.md"), "utf8").includes(`[\`${name}\`](${name}.md)`));
    });
  }

  it("show parts that two helps share only once", () => {
    const shown = new Set<string>();
    withoutRepetition("A\n\nOptions:\n  --a <x>  one\n           two\n  --b      b\n\nExit codes: 0", shown);
    const help = "B\n\nOptions:\n  --a <x>     one two\n  --b         b\n  --long-one  c\n\nExit codes: 0\n";
    assert.equal(withoutRepetition(help, shown), "B\n\nOptions:\n  --a, --b: as above\n  --long-one  c\n\n…");
  });
});
