import { codeString } from "../../reports/escape";
import { distinct } from "../../values";
import type { Language } from "../language";
import { argumentLines, block, literal, type Syntax, withBrackets } from "../literal";
import { npmPackage, pulumiYaml } from "../project-files";

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
    `import { ${distinct(declared.map(({ kind }) => kind))
      .sort()
      .join(", ")} } from "pulumi-page-guard";`,
    "",
    ...name,
    `const zoneId = ${codeString(zone.id)};`,
    "",
    ...remarks,
    `${resources.join("\n\n")}\n`,
  ],
  empty: (comments) => [...comments, "export {};"],
  fileOf: (slug) => `zones/${slug}.ts`,
  index: (slugs) => ({ "zones/index.ts": slugs.map((slug) => `import "./${slug}";\n`).join("") }),
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

export const typescript: Language = {
  ...withBrackets(syntax),
  project: (name) => ({
    "Pulumi.yaml": pulumiYaml(name, "runtime:\n  name: nodejs\n  options:\n    typescript: true\n"),
    "package.json": npmPackage(
      name,
      { main: "index.ts", scripts: { check: "tsc" } },
      { "@types/node": "^20.19.0", "ts-node": "^10.9.2", typescript: "~6.0.3" },
    ),
    "tsconfig.json": tsconfig,
    ".gitignore": "node_modules/\n",
    "index.ts": 'import "./zones";\n',
  }),
  commands: { "npm install": "", "npm run check": "types; the engine does not check them" },
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
