import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { root, textOf } from "./source-files";

/** Patterns of traces. They are joined from pieces, so that this file itself has no trace. */
const path = ["(?<![\\w.~@:/-])/(?:(?:root|work)(?![\\w-])|home/[a-z]|Users/[a-z])", "[\\w./-]*"].join("");
const registries = ["registry\\.", "(?:npm", "js|yarn", "pkg|npm", "mirror)", "|proxy\\.", "golang"].join("");
const traces: readonly [what: string, pattern: RegExp][] = [
  ["a path of somebody's machine", new RegExp(path, "g")],
  ["a package registry", new RegExp([registries, '|"resolved": ', '"https?:'].join(""), "g")],
];

describe("The repository", () => {
  it("has no trace of the machine on which it was written, and this test would notice one", () => {
    const found = tracked().flatMap((file) => tracesIn(file, textOf(file)));
    assert.deepEqual(found, []);
    const text = ["see /home", "/somebody/notes and https://regis", "try.", "npm", "js", ".org/x"].join("");
    assert.deepEqual(tracesIn("notes.md", text), [
      `notes.md holds a path of somebody's machine: ${"/home"}/somebody/notes`,
      `notes.md holds a package registry: registry.${"npm"}js`,
    ]);
  });
});

function tracesIn(file: string, text: string): string[] {
  return traces.flatMap(([what, pattern]) =>
    (text.match(pattern) ?? []).map((found) => `${file} holds ${what}: ${found}`),
  );
}

/** Returns the files that git tracks or would add. */
function tracked(): string[] {
  const asked = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const isFile = (file: string) => statSync(join(root, file), { throwIfNoEntry: false })?.isFile();
  const listed = execFileSync("git", asked, { cwd: root, encoding: "utf8" });
  return listed.split("\0").filter((file) => file !== "" && isFile(file));
}
