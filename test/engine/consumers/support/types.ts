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

/** Type-checks `fitting-program.ts.txt` as a user's project would, with the packages that are in `installed`. */
export function checkTypes(installed: string, { name: _, ...resolution }: Resolution): void {
  const folder = temporaryFolder("types");
  symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"));
  const compilerOptions = {
    ...{ target: "es2022", ...resolution, types: ["node"], noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    // The package's own declarations are checked too.
    skipLibCheck: false,
  };
  writeFiles(folder, {
    "package.json": '{ "private": true, "type": "module" }',
    "index.ts": fittingProgram,
    "tsconfig.json": JSON.stringify({ compilerOptions, files: ["index.ts"] }),
  });
  assert.deepEqual(faults(folder), [], "a user's project has to compile");
}

/** What the compiler says of the program and of the package's declarations; what others publish is theirs. */
function faults(folder: string): string[] {
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram(fileNames, options);
  const isOurs = ({ fileName }: ts.SourceFile) => /\/index\.ts$|\/pulumi-page-guard\//.test(fileName);
  const ours = program.getSourceFiles().filter(isOurs);
  assert.ok(ours.length > 10, "the package's own declarations are among what is checked");
  const inside = ours.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  return [...errors, ...program.getOptionsDiagnostics(), ...inside].map(
    ({ file, messageText }) =>
      `${file?.fileName ?? "tsconfig.json"}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
}
