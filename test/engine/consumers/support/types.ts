import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { fittingProgram } from "./compiled";
import { temporaryFolder, writeFiles } from "./installation";

export interface Resolution {
  readonly name: string;
  readonly module: string;
  readonly moduleResolution: string;
  /** Turns off TypeScript's warning about this resolution. */
  readonly ignoreDeprecations?: string;
}

export const resolutions: readonly Resolution[] = [
  // Pulumi's own templates use this one.
  { name: "node10", module: "commonjs", moduleResolution: "node10", ignoreDeprecations: "6.0" },
  { name: "nodenext", module: "nodenext", moduleResolution: "nodenext" },
  { name: "bundler", module: "esnext", moduleResolution: "bundler" },
];

/** Type-checks `fitting-program.ts.txt` as a user's project would, with the packages that are in `installed`. */
export function checkTypes(installed: string, { name: _, ...resolution }: Resolution): void {
  const folder = temporaryFolder("types");
  symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"));
  const compilerOptions = {
    target: "es2022",
    ...resolution,
    types: ["node"],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // The package's own declarations are checked too.
    skipLibCheck: false,
  };
  writeFiles(folder, {
    "package.json": '{ "private": true, "type": "module" }',
    "index.ts": fittingProgram,
    "tsconfig.json": JSON.stringify({ compilerOptions, files: ["index.ts"] }),
  });
  assert.deepEqual(findErrors(folder), [], "a user's project has to compile");
}

/** The compiler's errors in the program and in this package's declarations, but not in those of other packages. */
function findErrors(folder: string): string[] {
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram(fileNames, options);
  const isOurs = ({ fileName }: ts.SourceFile) => /\/index\.ts$|\/pulumi-page-guard\//.test(fileName);
  const ours = program.getSourceFiles().filter(isOurs);
  assert.ok(ours.length > 10, "the package's own declarations are checked");
  const inside = ours.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  return [...errors, ...program.getOptionsDiagnostics(), ...inside].map(
    ({ file, messageText }) =>
      `${file?.fileName ?? "tsconfig.json"}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
}
