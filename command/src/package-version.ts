import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the version of this package. `package.json` is one folder above both `dist` and `src`. */
export function packageVersion(): string {
  const text = readFileSync(join(__dirname, "..", "package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
