import { existsSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { Session } from "../session";

/** Files are named from here: what a CI says is the checkout, else the nearest repository, else where the command runs. */
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
