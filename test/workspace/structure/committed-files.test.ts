import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { root, textOf } from "./source-files";

/** Put together from pieces, so that this file is not a finding itself. */
const traces: readonly [what: string, pattern: RegExp][] = [
  [
    "a path of somebody's machine",
    new RegExp(
      ["(?<![\\w.~@:/-])/(?:(?:root|work)(?![\\w-])|home/[a-z]|Users/[a-z])", "[\\w./-]*"].join(""),
      "g",
    ),
  ],
  [
    "a package registry",
    new RegExp(
      ["registry\\.", "(?:npmjs|yarnpkg|npmmirror)", "|proxy\\.", "golang", '|"resolved": ', '"https?:'].join(
        "",
      ),
      "g",
    ),
  ],
];

describe("The repository", () => {
  it("holds no trace of the machine on which it was written", () => {
    assert.deepEqual(
      tracked().flatMap((path) => tracesIn(path, textOf(path))),
      [],
    );
  });

  it("would notice one", () => {
    const text = ["see /home", "/somebody/notes and https://registry.", "npmjs.org/x"].join("");
    assert.deepEqual(tracesIn("notes.md", text), [
      `notes.md holds a path of somebody's machine: ${"/home"}/somebody/notes`,
      `notes.md holds a package registry: registry.${"npmjs"}`,
    ]);
  });
});

function tracesIn(path: string, text: string): string[] {
  return traces.flatMap(([what, pattern]) =>
    [...text.matchAll(pattern)].map(([found]) => `${path} holds ${what}: ${found}`),
  );
}

/** What git has or would take. */
function tracked(): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  return listed.split("\0").filter((path) => {
    const file = join(root, path);
    return path !== "" && existsSync(file) && statSync(file).isFile();
  });
}
