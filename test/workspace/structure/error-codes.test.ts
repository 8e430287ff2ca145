import assert from "node:assert/strict";
import { filesBelow, sourceFiles, textOf } from "./source-files";

/** The codes that errors are made with: texts and keys of tables, not words of comments and messages. */
const made = new Set(
  sourceFiles().flatMap((path) =>
    [...textOf(path).matchAll(/(?:"|^\s+)(PG_[A-Z_]+)(?:"|: \()/gm)].map(([, code = ""]) => code),
  ),
);

describe("Error codes: what programs switch on", () => {
  it("are what the rest of the sources and the documents name", () => {
    const named = ["README.md", ...sourceFiles(), ...filesBelow("docs"), ...filesBelow("examples")]
      .filter((path) => /\.(ts|md)$/.test(path) && !/node_modules|docs\/reference/.test(path))
      .flatMap((path) => codesIn(textOf(path)).map((code) => `${code} in ${path}`));
    const unknown = named.filter((entry) => !made.has(entry.split(" ")[0] ?? ""));
    assert.deepEqual(unknown, [], "named, and no error has it");
  });

  it("are all in the table of docs/errors.md, and nothing else is", () => {
    assert.ok(made.size > 20, `${made.size} codes found`);
    assert.deepEqual(codesIn(textOf("docs/errors.md")).sort(), [...made].sort());
  });
});

function codesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\bPG_[A-Z]+(?:_[A-Z]+)*\b/g)].map(([code]) => code))];
}
