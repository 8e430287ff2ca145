import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(__dirname, "../../..");

/** Folders of the published packages, each with its sources in `src`. */
export const packages = ["csp", "provider", "command", "simulator"] as const;

/** All source files of the packages. */
export function sourceFiles(): string[] {
  return packages.flatMap((name) => filesBelow(`${name}/src`)).filter((file) => file.endsWith(".ts"));
}

/** Returns the paths of all files below `folder`, relative to `at` (by default the root of the repository), sorted. */
export function filesBelow(folder: string, at = root): string[] {
  return readdirSync(join(at, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(path, at) : [path];
    })
    .sort();
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
