import { existsSync, renameSync, rmSync } from "node:fs";

/** Moves the folder `scratch` to `target`, in place of the folder that may be there. */
export function moveIntoPlace(scratch, target) {
  const old = `${scratch}.old`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(scratch, target);
  rmSync(old, { recursive: true, force: true });
}
