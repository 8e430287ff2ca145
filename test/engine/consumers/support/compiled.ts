import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type ts from "typescript";
import { temporaryFolder, writeFiles } from "./installation";
import { mistakes } from "./mistakes";

/** What a compiler says of one place. */
export interface Said {
  readonly at: string;
  /** The last line. */
  readonly says: string;
}

export interface Compiled {
  /** For each mistake, by its title. */
  readonly mistakes: ReadonlyMap<string, readonly Said[]>;
  /** Of `fitting-program.ts.txt`: nothing. */
  readonly fitting: readonly Said[];
}

/** A program that compiles, as it does in the projects of users. */
export const fittingProgram = readFileSync(join(__dirname, "fitting-program.ts.txt"), "utf8");

const head = `import { CspPolicy, type CspPolicyArgs, CspPolicySet, ManagedWafEntrypoint, PageGuardSettings, WafMigration } from "pulumi-page-guard";
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
`;

/** Has all mistakes, and what fits, checked by a compiler, with the packages of a folder's `node_modules`. */
export function compiled(compiler: typeof ts, project: string): Compiled {
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
    ...{ strict: true, exactOptionalPropertyTypes: true, esModuleInterop: true },
    ...{ skipLibCheck: true, types: ["node"], noEmit: true },
  });
  const saidOf = (name: string): readonly Said[] => {
    const file = program.getSourceFile(name);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ file: at, start = 0, length = 0, messageText }) => ({
      at: at?.text.slice(start, start + length) ?? "",
      says: compiler.flattenDiagnosticMessageText(messageText, "\n").split("\n").at(-1)?.trim() ?? "",
    }));
  };
  const found = new Map(mistakes.map(([title], index) => [title, saidOf(fileOf(index))]));
  return { mistakes: found, fitting: saidOf(fitting) };
}
