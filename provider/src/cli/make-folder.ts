import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it. Not with `recursive`: where the folder above is there and takes none, as `/proc`
 * does, Node goes up and down between the two and never comes back.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Somebody else may have made it at the same moment.
    if (!existsSync(path)) throw error;
  }
}
