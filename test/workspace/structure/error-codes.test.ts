import assert from "node:assert/strict";
import { filesBelow, sourceFiles, textOf } from "./source-files";

const errorFiles = ["provider/src/errors", "command/src", "csp/src"]
  .flatMap((room) => filesBelow(room))
  .filter((path) => path.endsWith("-error.ts"));

/** Code to the files that declare it. */
const declared = new Map<string, string[]>();
for (const path of errorFiles) {
  for (const [, code = ""] of textOf(path).matchAll(/readonly code\b[^=]*= "(PG_[A-Z_]+)"/g)) {
    declared.set(code, [...(declared.get(code) ?? []), path]);
  }
}

describe("Error codes: what programs switch on", () => {
  it("are there", () => {
    assert.ok(declared.size > 10, `${declared.size} codes found`);
  });

  it("belong to one error class each", () => {
    const shared = [...declared].filter(([, files]) => files.length > 1);
    assert.deepEqual(shared, [], "two classes with one code can't be told apart");
  });

  it("are what the rest of the sources and the documents name", () => {
    const named = ["README.md", ...sourceFiles(), ...filesBelow("docs"), ...filesBelow("examples")]
      .filter((path) => /\.(ts|md)$/.test(path) && !/node_modules|docs\/reference/.test(path))
      .flatMap((path) => codesIn(textOf(path)).map((code) => `${code} in ${path}`));
    const unknown = named.filter((entry) => !declared.has(entry.split(" ")[0] ?? ""));
    assert.deepEqual(unknown, [], "named, and no error class has it");
  });

  it("are all in the table of docs/errors.md, and nothing else is", () => {
    const listed = codesIn(textOf("docs/errors.md"));
    const missing = [...declared.keys()].filter((code) => !listed.includes(code));
    assert.deepEqual(missing, [], "add these to the table of docs/errors.md");
    assert.deepEqual(
      listed.filter((code) => !declared.has(code)),
      [],
      "no error class has these codes of docs/errors.md",
    );
  });
});

function codesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\bPG_[A-Z]+(?:_[A-Z]+)*\b/g)].map(([code]) => code))];
}
