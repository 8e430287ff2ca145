import { readFileSync } from "node:fs";

/** What a file says; undefined where there is none, it may not be read, or it is no JSON. */
export function jsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
