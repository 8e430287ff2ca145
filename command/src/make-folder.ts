import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Creates a folder and its parents. Node's `recursive` never returns if the parent takes no folders, such as `/proc`. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it at the same moment.
    if (!existsSync(path)) throw error;
  }
}
