import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../../..");
const textOf = (path: string) => readFileSync(join(root, path), "utf8");

/** test/engine/python.test.ts runs the example as its README says. */
describe("docs/languages.md, from an empty folder", () => {
  const page = textOf("docs/languages.md");

  it("has the files of the example in Python", () => {
    for (const [name, language] of [
      ["Pulumi.yaml", "yaml"],
      ["requirements.txt", "text"],
      ["__main__.py", "python"],
    ]) {
      const block = `\`${name}\`:\n\n\`\`\`${language}\n${textOf(`templates/python/${name}`)}\`\`\``;
      assert.ok(page.includes(block), `the page shows ${name} as it is in templates/python`);
    }
  });

  it("has the commands of its README", () => {
    const [, block = ""] = /```sh\n(.+?)```/s.exec(textOf("templates/python/README.md")) ?? [];
    // The page installs by name: there the folder is empty.
    const commands = block
      .trimEnd()
      .split("\n")
      .filter((command) => command !== "npm install");
    assert.ok(commands.length > 5);
    assert.deepEqual(
      commands.filter((command) => !page.includes(`\n${command}\n`)),
      [],
    );
  });
});
