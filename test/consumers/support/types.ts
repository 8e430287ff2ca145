import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { command, root, temporaryFolder, writeFiles } from "./installation";

export interface Resolution {
  readonly name: string;
  readonly module: string;
  readonly moduleResolution: string;
  /** Of TypeScript itself, which warns of this one. */
  readonly ignoreDeprecations?: string;
}

export const resolutions: readonly Resolution[] = [
  // What Pulumi's own templates have.
  { name: "node10", module: "commonjs", moduleResolution: "node10", ignoreDeprecations: "6.0" },
  { name: "node16", module: "node16", moduleResolution: "node16" },
  { name: "nodenext", module: "nodenext", moduleResolution: "nodenext" },
  { name: "bundler", module: "esnext", moduleResolution: "bundler" },
];

/** Type-checks `typed-program.ts` as a user's project would, with the packages that are in `installed`. */
export async function checkTypes(installed: string, { name: _, ...resolution }: Resolution): Promise<void> {
  const folder = temporaryFolder("types");
  symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"));
  writeFiles(folder, {
    "package.json": '{ "private": true, "type": "module" }',
    "index.ts": readFileSync(join(__dirname, "typed-program.ts.txt"), "utf8"),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2022",
        ...resolution,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        // The package's own declarations are checked too.
        skipLibCheck: false,
        types: ["node"],
        noEmit: true,
      },
      files: ["index.ts"],
    }),
  });
  const said = await faults(folder);
  const ours = said.filter((line) => line.startsWith("index.ts") || line.includes("pulumi-page-guard/"));
  assert.deepEqual(ours, [], "a user's project has to compile");
}

async function faults(folder: string): Promise<string[]> {
  try {
    await command(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", "-p", folder],
      folder,
      "TypeScript",
    );
    return [];
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const lines = text.split("\n").filter((line) => /error TS\d+/.test(line));
    assert.notEqual(lines.length, 0, text);
    return lines;
  }
}
