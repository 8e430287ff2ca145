import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the version of this package. The relative path to package.json is the same from `dist` and from `src`. */
export function packageVersion(): string {
  const text = readFileSync(join(__dirname, "..", "package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
