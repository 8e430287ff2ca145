import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandNames, subcommandNames } from "./support/command-names";
import { pageGuard } from "./support/console";

const pages = resolve(__dirname, "../../docs/commands");

/** `WRITE_HELP=1 npm test -- test/command/pages.test.ts` writes the help that pages show again. */
const isWriting = process.env["WRITE_HELP"] === "1";

/** The page shows the command's help in a block of its own, as it is. */
async function expectHelp(page: string, command: string): Promise<void> {
  const file = join(pages, page);
  assert.ok(existsSync(file), `write docs/commands/${page}`);
  const { out } = await pageGuard([...command.split(" "), "--help"]);
  const text = readFileSync(file, "utf8");
  const start = text.indexOf(`$ page-guard ${command} --help\n`);
  const end = text.indexOf("```", start);
  const shown = start < 0 ? "" : text.slice(start, end);
  const expected = `$ page-guard ${command} --help\n${out}`;
  if (isWriting && start >= 0) writeFileSync(file, text.slice(0, start) + expected + text.slice(end));
  else assert.equal(shown, expected, `the text block of docs/commands/${page}`);
}

describe("The pages of the command", () => {
  for (const name of commandNames()) {
    it(`${name} has one, which shows its help as it is`, () => expectHelp(`${name}.md`, name));

    for (const below of subcommandNames(name)) {
      it(`${name} ${below} is on it, with its help`, () => expectHelp(`${name}.md`, `${name} ${below}`));
    }

    it(`${name} is in the list of all`, () => {
      assert.ok(readFileSync(join(pages, "README.md"), "utf8").includes(`[\`${name}\`](${name}.md)`));
    });
  }
});
