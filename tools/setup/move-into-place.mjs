import { renameSync, rmSync } from "node:fs";

/** Moves the folder `scratch` to `target` in one step. If another run does the same, the later run wins. */
export function moveIntoPlace(scratch, target) {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      renameSync(scratch, target);
      return;
    } catch (error) {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    }
    const old = `${target}.old-${process.pid}-${attempt}`;
    try {
      renameSync(target, old);
    } catch {
      continue;
    }
    rmSync(old, { recursive: true, force: true });
  }
  throw new Error(`${target} could not be put in place`);
}
