import { existsSync, renameSync, rmSync } from "node:fs";

/** Moves the folder `scratch` to `target` in one step. If another run does the same, the later run wins. */
export function moveIntoPlace(scratch, target) {
  for (let attempt = 0; existsSync(scratch); attempt += 1) {
    const old = `${scratch}.old-${attempt}`;
    try {
      if (existsSync(target)) renameSync(target, old);
      renameSync(scratch, target);
    } catch (error) {
      // Another run has moved one of the two folders in the meantime.
      if (attempt === 5 || !["ENOTEMPTY", "EEXIST", "ENOENT"].includes(error.code)) throw error;
    }
    rmSync(old, { recursive: true, force: true });
  }
}
