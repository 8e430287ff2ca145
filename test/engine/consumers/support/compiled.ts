import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type ts from "typescript";
import { temporaryFolder, writeFiles } from "./installation";
import { mistakes } from "./mistakes";

/** An error of the compiler at one place. */
export interface Diagnostic {
  readonly at: string;
  /** The last line of the message. */
  readonly says: string;
}

export interface Compiled {
  /** The errors of each mistake, by its title. */
  readonly mistakes: ReadonlyMap<string, readonly Diagnostic[]>;
  /** The errors of `fitting-program.ts.txt`: none are expected. */
  readonly fitting: readonly Diagnostic[];
}

/** A program that compiles in the projects of users. */
export const fittingProgram = readFileSync(join(__dirname, "fitting-program.ts.txt"), "utf8");

const head = `import { CspPolicy, type CspPolicyArgs, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings, WafMigration } from "pulumi-page-guard";
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
`;

/** Compiles all mistakes and the fitting program, with the packages in the `node_modules` of `project`. */
export function compileMistakes(compiler: typeof ts, project: string): Compiled {
  const folder = temporaryFolder("mistakes");
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  const fileOf = (index: number): string => join(folder, `mistake-${index}.ts`);
  const fitting = join(folder, "fitting.ts");
  writeFiles(folder, {
    "package.json": '{ "private": true }',
    ...Object.fromEntries(mistakes.map(([, statement], index) => [`mistake-${index}.ts`, head + statement])),
    "fitting.ts": fittingProgram,
  });
  const program = compiler.createProgram([...mistakes.map((_, index) => fileOf(index)), fitting], {
    target: compiler.ScriptTarget.ES2022,
    module: compiler.ModuleKind.NodeNext,
    moduleResolution: compiler.ModuleResolutionKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    esModuleInterop: true,
    skipLibCheck: true,
    types: ["node"],
    noEmit: true,
  });
  const diagnose = (name: string): readonly Diagnostic[] => {
    const file = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ file: at, start = 0, length = 0, messageText }) => ({
      at: at?.text.slice(start, start + length) ?? "",
      says: compiler.flattenDiagnosticMessageText(messageText, "\n").split("\n").at(-1)?.trim() ?? "",
    }));
  };
  const found = new Map(mistakes.map(([title], index) => [title, diagnose(fileOf(index))]));
  return { mistakes: found, fitting: diagnose(fitting) };
}
