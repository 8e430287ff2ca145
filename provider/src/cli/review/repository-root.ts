import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Session } from "../session";

/** Files are named from here: the checkout of the CI, else the nearest repository, else the working directory. */
export function repositoryRoot({ env, cwd }: Session): string {
  const checkout = env["GITHUB_WORKSPACE"] || env["CI_PROJECT_DIR"];
  const start = realpathSync(cwd);
  if (checkout && existsSync(checkout)) {
    const root = realpathSync(checkout);
    if (start === root || start.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return root;
  }
  for (let at = start; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return start;
  }
}

/** Undefined outside of the root: such a path tells a reader nothing, and others something about a machine. */
export function relativeTo(root: string, file: string): string | undefined {
  const path = relative(root, file);
  return path === "" || path.startsWith("..") || path === file ? undefined : path.split(sep).join("/");
}
