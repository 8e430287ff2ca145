import { readFileSync } from "node:fs";
import { join } from "node:path";
import { forYaml } from "../../reports/escape";
import { kebabCase } from "./names";

/** What a Pulumi project needs besides its program; each only where the folder has none. */
export function projectFiles(folderName: string): Readonly<Record<string, string>> {
  const name = kebabCase(folderName) || "zones";
  const { version, peerDependencies }: Manifest = JSON.parse(
    readFileSync(join(__dirname, "..", "..", "..", "package.json"), "utf8"),
  );
  return {
    "Pulumi.yaml": [
      `name: ${forYaml(name)}`,
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
      dependencies: {
        "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"],
        "pulumi-page-guard": `^${version}`,
      },
      devDependencies: { "ts-node": "^10.9.2", typescript: "~6.0.3" },
    }),
    "tsconfig.json": tsconfig,
    "index.ts": 'import "./zones";\n',
  };
}

/** TypeScript 6 guesses no common folder of several files: `rootDir` says it. */
const tsconfig = `{
  "compilerOptions": {
    "target": "es2022",
    "module": "nodenext",
    "rootDir": ".",
    "strict": true,
    "noCheck": true,
    "skipLibCheck": true,
    "types": ["node"]
  }
}
`;

interface Manifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** `zones/index.ts`: every zone that was ever exported here. */
export function indexText(modules: readonly string[]): string {
  return modules.map((module) => `import "./${module}";\n`).join("");
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
