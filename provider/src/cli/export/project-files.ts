import { readFileSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../reports/escape";
import { kebabCase } from "./naming";

export const indexProgram = 'import "./zones";\n';

/** Files of a Pulumi project, for a folder without them. */
export function projectFiles(folderName: string): Readonly<Record<string, string>> {
  const name = kebabCase(folderName) || "zones";
  const { version, peerDependencies }: Manifest = JSON.parse(
    readFileSync(join(__dirname, "..", "..", "..", "package.json"), "utf8"),
  );
  return {
    "Pulumi.yaml": [
      `name: ${quoted(name)}`,
      "description: Page security of our zones",
      "runtime:",
      "  name: nodejs",
      "  options:",
      "    typescript: true",
      "",
    ].join("\n"),
    "package.json": json({
      name,
      version: "0.1.0",
      private: true,
      main: "index.ts",
      scripts: { check: "tsc" },
      dependencies: {
        "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"],
        "pulumi-page-guard": `^${version}`,
      },
      devDependencies: { "@types/node": "^20.19.0", "ts-node": "^10.9.2", typescript: "~6.0.3" },
    }),
    "tsconfig.json": tsconfig,
    ".gitignore": "node_modules/\n",
    "index.ts": indexProgram,
  };
}

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

/** What an existing project lacks. */
export function projectNotes(
  read: (file: string) => string | undefined,
  modules: readonly string[],
): ProjectNotes {
  const has = (file: string, what: RegExp): boolean => what.test(read(file) ?? "");
  const notes: string[] = [];
  if (!has("index.ts", /["']\.\/zones(?:\/index)?(?:\.js)?["']/)) {
    notes.push('Your `index.ts` does not load the zones: add `import "./zones";` to it.');
  }
  for (const module of modules) {
    if (!new RegExp(`["']\\./${module}(?:\\.js)?["']`).test(read("zones/index.ts") ?? "")) {
      notes.push(
        `Your \`zones/index.ts\` does not load \`${module}.ts\`: add \`import "./${module}";\` to it.`,
      );
    }
  }
  if (!has("tsconfig.json", /"rootDir"\s*:/)) {
    notes.push(
      'Your `tsconfig.json` has no `rootDir`: add `"rootDir": "."` to its `compilerOptions`. Without it TypeScript 6 fails with TS5011 when it transpiles files of several folders.',
    );
  }
  return { notes, check: has("package.json", /"check"\s*:/) ? "npm run check" : "npx tsc --noEmit" };
}

export interface ProjectNotes {
  readonly notes: readonly string[];
  /** Command that checks the types of the program. */
  readonly check: string;
}

interface Manifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** `zones/index.ts` with all exported zones. */
export function indexText(modules: readonly string[]): string {
  return modules.map((module) => `import "./${module}";\n`).join("");
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
