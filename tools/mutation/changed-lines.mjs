import { execFileSync } from "node:child_process";
import { folderOf } from "./folders.mjs";

/** What was changed since `commit`, as Stryker wants it (`file.ts:10-12`): lines that are there now. */
export function changedLines(root, commit) {
  const git = (...args) => {
    try {
      return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      throw new Error(`There is nothing to compare with ${commit}: ${String(error.stderr).split("\n")[0]}`);
    }
  };
  const untracked = git("ls-files", "--others", "--exclude-standard", "provider/src", "csp/src")
    .split("\n")
    .filter((file) => folderOf(file) !== undefined);
  return [
    ...rangesOf(git("diff", "--unified=0", "--no-color", commit, "--", "provider/src", "csp/src")),
    ...untracked,
  ];
}

/** The ranges that a unified diff without context adds. */
export function rangesOf(diff) {
  const ranges = [];
  let file;
  for (const line of diff.split("\n")) {
    const added = /^\+\+\+ b\/(.*)$/.exec(line);
    if (added !== null) file = folderOf(added[1]) === undefined ? undefined : added[1];
    const hunk = /^@@ [^+]*\+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk === null || file === undefined) continue;
    const first = Number(hunk[1]);
    const count = Number(hunk[2] ?? 1);
    if (count > 0) ranges.push(`${file}:${first}-${first + count - 1}`);
  }
  return ranges;
}
