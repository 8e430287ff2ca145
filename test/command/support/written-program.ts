import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { runInNewContext } from "node:vm";
import ts from "typescript";

export interface Constructed {
  readonly kind: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: unknown;
}

/** Runs the program in a folder. Returns the constructor calls of its resources. */
export function resourcesOf(folder: string): readonly Constructed[] {
  const made: Constructed[] = [];
  const kinds = new Proxy(
    {},
    {
      get: (_target, kind) =>
        function Resource(name: string, args: Constructed["args"], options: unknown) {
          // Copies values out of the program's realm, because comparisons check prototypes.
          made.push(JSON.parse(JSON.stringify({ kind: String(kind), name, args, options })));
        },
    },
  );
  const load = (file: string): void => {
    const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    });
    const require = (name: string): unknown => {
      if (name === "pulumi-page-guard") return kinds;
      const path = resolve(dirname(file), name);
      load(existsSync(`${path}.ts`) ? `${path}.ts` : join(path, "index.ts"));
      return {};
    };
    runInNewContext(outputText, { require, exports: {} });
  };
  load(join(folder, "index.ts"));
  assert.equal(new Set(made.map(({ kind, name }) => `${kind} ${name}`)).size, made.length, "two of one name");
  return made;
}

/** Returns the errors that TypeScript reports about programs in strict mode. */
export function typeErrors(folders: readonly string[], root: string): readonly string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => join(folder, file)),
  );
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    paths: {
      "pulumi-page-guard": [join(root, "provider/dist/index.d.ts")],
      "@pulumi/pulumi": [join(root, "node_modules/@pulumi/pulumi/index.d.ts")],
    },
  });
  const ours = new Set(files);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => file !== undefined && ours.has(file.fileName))
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
}
