import { readdirSync } from "node:fs";
import { join } from "node:path";

/** All files in a folder and its subfolders, but not behind links, which `readdirSync` follows from Node 22 on. */
export function filesWithin(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesWithin(path);
    return entry.isFile() ? [path] : [];
  });
}
