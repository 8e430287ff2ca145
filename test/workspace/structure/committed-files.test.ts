import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { root, textOf } from "./source-files";

/** Put together from pieces, so that this file is not a finding itself. */
const path = ["(?<![\\w.~@:/-])/(?:(?:root|work)(?![\\w-])|home/[a-z]|Users/[a-z])", "[\\w./-]*"].join("");
const registries = ["registry\\.", "(?:npmjs|yarnpkg|npmmirror)", "|proxy\\.", "golang"].join("");
const traces: readonly [what: string, pattern: RegExp][] = [
  ["a path of somebody's machine", new RegExp(path, "g")],
  ["a package registry", new RegExp([registries, '|"resolved": ', '"https?:'].join(""), "g")],
];

describe("The repository", () => {
  it("holds no trace of the machine on which it was written, and would notice one", () => {
    const found = tracked().flatMap((file) => tracesIn(file, textOf(file)));
    assert.deepEqual(found, []);
    const text = ["see /home", "/somebody/notes and https://registry.", "npmjs.org/x"].join("");
    assert.deepEqual(tracesIn("notes.md", text), [
      `notes.md holds a path of somebody's machine: ${"/home"}/somebody/notes`,
      `notes.md holds a package registry: registry.${"npmjs"}`,
    ]);
  });
});

function tracesIn(file: string, text: string): string[] {
  return traces.flatMap(([what, pattern]) =>
    (text.match(pattern) ?? []).map((found) => `${file} holds ${what}: ${found}`),
  );
}

/** What git has or would take. */
function tracked(): string[] {
  const asked = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const isFile = (file: string) => statSync(join(root, file), { throwIfNoEntry: false })?.isFile();
  const listed = execFileSync("git", asked, { cwd: root, encoding: "utf8" });
  return listed.split("\0").filter((file) => file !== "" && isFile(file));
}
