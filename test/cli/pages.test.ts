import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandNames, subcommandNames } from "./support/command-names";
import { pageGuard } from "./support/console";

const pages = resolve(__dirname, "../../docs/commands");

describe("The pages of the command", () => {
  for (const name of commandNames()) {
    it(`${name} has one, which shows its help as it is`, async () => {
      const file = join(pages, `${name}.md`);
      assert.ok(existsSync(file), `write docs/commands/${name}.md`);
      const { out } = await pageGuard([name, "--help"]);
      const [, shown] = /^```text\n([\s\S]*?)^```$/m.exec(readFileSync(file, "utf8")) ?? [];
      assert.equal(
        shown,
        `$ page-guard ${name} --help\n${out}`,
        `the text block of docs/commands/${name}.md`,
      );
    });

    for (const below of subcommandNames(name)) {
      it(`${name} ${below} is on it, with its help`, async () => {
        const { out } = await pageGuard([name, below, "--help"]);
        const page = readFileSync(join(pages, `${name}.md`), "utf8");
        assert.ok(page.includes(`\`\`\`text\n$ page-guard ${name} ${below} --help\n${out}\`\`\`\n`));
      });
    }

    it(`${name} is in the list of all`, () => {
      assert.ok(readFileSync(join(pages, "README.md"), "utf8").includes(`[\`${name}\`](${name}.md)`));
    });
  }
});
