import { readdirSync } from "node:fs";
import { join } from "node:path";

/** All files in a folder and below. Not behind links: `readdirSync` with `recursive` goes through them from Node 22 on. */
export function filesWithin(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesWithin(path);
    return entry.isFile() ? [path] : [];
  });
}
