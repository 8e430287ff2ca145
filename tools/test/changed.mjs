import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { reachOf } from "./reach.mjs";
import { isHeavy, testFiles } from "./test-files.mjs";

/**
 * The test files that can see a difference between the last commit and what is there now. `untold`: stories on the
 * engine and the like that use the package: nearly every edit of its sources reaches all of them.
 */
export function changedTests(root, changed = uncommitted(root)) {
  const reach = reachOf(root);
  const reachedBy = (paths) => new Set(paths.flatMap((path) => [...reach(path)]));
  const all = reachedBy(changed);
  const closely = reachedBy(changed.filter((path) => !path.startsWith("provider/src/")));
  const reached = testFiles(root).filter((file) => all.has(file));
  const isTold = (file) => !isHeavy(file) || closely.has(file);
  return { files: reached.filter(isTold), untold: reached.filter((file) => !isTold(file)) };
}

/** Paths of what git sees as changed, new or deleted since the last commit. */
function uncommitted(root) {
  const git = (...args) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" })
      .split("\0")
      .filter((path) => path !== "");
  if (!existsSync(join(root, ".git")))
    throw new Error("--changed compares with the last commit: this is not a git clone.");
  return [
    ...git("diff", "--name-only", "-z", "HEAD"),
    ...git("ls-files", "-z", "--others", "--exclude-standard"),
  ];
}
