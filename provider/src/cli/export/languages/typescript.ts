import { codeString } from "../../../reports/escape";
import type { Language, ReadFile } from "../language";
import { argumentLines, block, literal, type Syntax, withBrackets } from "../literal";
import { npmPackage, pulumiYaml } from "../project-files";
import { readProgram } from "../read-program";

function filesOf(slug: string): [main: string, beside: string] {
  return [`zones/${slug}.ts`, `zones/${slug}.new.ts`];
}

const moduleOf = (file: string): string => file.slice("zones/".length, -".ts".length);

const keyText = (name: string): string => `${key(name)}: `;

const syntax: Syntax = {
  tab: "  ",
  width: 110,
  comment: "//",
  pad: " ",
  scalar: (value) => (typeof value === "string" ? codeString(value) : String(value)),
  brackets: (isList) => (isList ? ["[", "]"] : ["{", "}"]),
  key: keyText,
  argument: keyText,
  resource(resource) {
    const args = [{ key: "", value: "zoneId" }, ...argumentLines(syntax, resource, 2)];
    const parts = [codeString(resource.name), block(syntax, "{", args, "}", 1), "{ protect: true }"];
    const lines = parts.map((value) => ({ key: "", value }));
    return `${block(syntax, `new ${resource.kind}(`, lines, ")", 0)};`;
  },
  file: ({ zone, resources: declared }, name, remarks, resources) => [
    `import { ${[...new Set(declared.map(({ kind }) => kind))].sort().join(", ")} } from "pulumi-page-guard";`,
    "",
    ...name,
    `const zoneId = ${codeString(zone.id)};`,
    "",
    ...remarks,
    `${resources.join("\n\n")}\n`,
  ],
  empty: (comments) => [...comments, "export {};"],
};

/** `__proto__` in a literal would set the prototype, quoted or not. */
export function key(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : codeString(name);
}

/** A value as formatted TypeScript. */
export function typescriptValue(value: unknown): string {
  return literal(syntax, value);
}

const indexProgram = 'import "./zones";\n';

export const typescript: Language = {
  ...withBrackets(syntax),
  fence: "ts",
  files: filesOf,
  index: (files) => ({
    "zones/index.ts": files
      .map(moduleOf)
      .sort()
      .map((module) => `import "./${module}";\n`)
      .join(""),
  }),
  project: (name) => ({
    "Pulumi.yaml": pulumiYaml(name, "runtime:\n  name: nodejs\n  options:\n    typescript: true\n"),
    "package.json": npmPackage(
      name,
      { main: "index.ts", scripts: { check: "tsc" } },
      { "@types/node": "^20.19.0", "ts-node": "^10.9.2", typescript: "~6.0.3" },
    ),
    "tsconfig.json": tsconfig,
    ".gitignore": "node_modules/\n",
    "index.ts": indexProgram,
  }),
  notes,
  commands: (read) => {
    const check = /"check"\s*:/.test(read("package.json") ?? "") ? "npm run check" : "npx tsc --noEmit";
    return { "npm install": "", [check]: "types; the engine does not check them" };
  },
  read: (folder, slugs) => {
    const roots = ["index.ts", "zones/index.ts", ...slugs.flatMap(filesOf)];
    const others = roots.filter((file) => folder.read(file) !== indexProgram);
    return readProgram(folder, others);
  },
};

/**
 * TypeScript 6 needs `rootDir` for files in several folders. `npm run check` checks types, so that the engine, which would
 * take a second longer each time, does not.
 */
const tsconfig = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "rootDir": ".",
    "strict": true,
    "skipLibCheck": true,
    "noEmit": true,
    "types": ["node"]
  },
  "ts-node": { "transpileOnly": true }
}
`;

function notes(read: ReadFile, files: readonly string[]): readonly string[] {
  const lacks = (file: string, what: RegExp): boolean => !what.test(read(file) ?? "");
  const missing = files
    .map(moduleOf)
    .filter((module) => lacks("zones/index.ts", new RegExp(`["']\\./${module}(?:\\.js)?["']`)));
  return [
    ...(lacks("index.ts", /["']\.\/zones(?:\/index)?(?:\.js)?["']/)
      ? ['Your `index.ts` does not load the zones: add `import "./zones";` to it.']
      : []),
    ...missing.map(
      (module) =>
        `Your \`zones/index.ts\` does not load \`${module}.ts\`: add \`import "./${module}";\` to it.`,
    ),
    ...(lacks("tsconfig.json", /"rootDir"\s*:/)
      ? [
          'Your `tsconfig.json` has no `rootDir`: add `"rootDir": "."` to its `compilerOptions`. Without it TypeScript 6 fails with TS5011 when it transpiles files of several folders.',
        ]
      : []),
  ];
}
