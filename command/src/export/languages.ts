import { readFileSync } from "node:fs";
import { Option } from "commander";
import { codeString, quote } from "../documents/escape";
import { packageVersion } from "../package-version";
import { distinct, type Fields } from "../shared/values";
import { makeSlug } from "./naming";
import { block, entryLines, indent, printFields, type Syntax } from "./print";
import type { ProgramResource, ZoneProgram } from "./program";
import { findPartType, objectName, referToArguments, type SchemaType } from "./schema-type";
import { yamlText } from "./yaml-text";

/** Contents of files, by their paths below the project. */
export type Files = Readonly<Record<string, string>>;

export interface Language {
  /** Returns the path of a zone's file. Several zones can share a file. */
  file(slug: string): string;
  text(program: ZoneProgram): string;
  /** Returns the files of all programs, and the files that load them. */
  files(programs: readonly ZoneProgram[]): Files;
  /** Returns the other files of the project. */
  project(name: string): Files;
  /** Commands to run before the first preview, with their reasons. */
  readonly commands: Files;
  /** Returns the reason why a program cannot express these arguments; undefined if it can. */
  refusal?(args: Fields): string | undefined;
  readonly comment: string;
  /** Prints policies of a set, or rules of an entry point, as code for a person to copy. */
  parts(kind: string, argument: string, parts: Fields | readonly unknown[]): string;
}

interface Bracketed extends Syntax, Pick<Language, "comment" | "file" | "project" | "commands"> {
  resource(resource: ProgramResource, args: readonly string[]): string;
  program(zoneId: string, kinds: readonly string[], resources: readonly string[]): string;
  /** Returns the file that loads the files of these zones. */
  index(slugs: readonly string[]): Files;
}

/** Creates a language that uses brackets. Each zone with declared objects has a file, which another file loads. */
function createLanguage(syntax: Bracketed): Language {
  const text = ({ zone, resources }: ZoneProgram): string =>
    syntax.program(
      zone.id,
      distinct(resources.map(({ kind }) => kind)).sort(),
      resources.map((one) => syntax.resource(one, printFields(syntax, one.args, referToArguments(one.kind)))),
    );
  return {
    ...syntax,
    text,
    files: (all) => {
      const programs = all.filter(({ resources }) => resources.length > 0);
      return {
        ...Object.fromEntries(programs.map((one) => [syntax.file(makeSlug(one.zone)), text(one)])),
        ...syntax.index(programs.map(({ zone }) => makeSlug(zone)).sort()),
      };
    },
    parts: (kind, argument, parts) =>
      entryLines(printFields(syntax, parts, findPartType(referToArguments(kind), argument))),
  };
}

/** Returns the key for an object literal. `__proto__` needs brackets: without them it would set the prototype. */
function key(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : codeString(name);
}

const typescript = createLanguage({
  tab: "  ",
  pad: " ",
  comment: "//",
  scalar: (value) => (typeof value === "string" ? codeString(value) : String(value)),
  brackets: (isList) => (isList ? ["[", "]"] : ["{", "}"]),
  key: (name) => `${key(name)}: `,
  resource: ({ kind, name }, args) => {
    const parts = [codeString(name), block("  ", "{", ["zoneId", ...args], "}"), "{ protect: true }"];
    return `${block("  ", `new ${kind}(`, parts, ")")};`;
  },
  program: (zoneId, kinds, resources) =>
    `import { ${kinds.join(", ")} } from "pulumi-page-guard";\n\nconst zoneId = ${codeString(zoneId)};\n\n${resources.join("\n\n")}\n`,
  file: (slug) => `zones/${slug}.ts`,
  index: (slugs) => ({ "zones/index.ts": slugs.map((slug) => `import "./${slug}";\n`).join("") }),
  project: (name) => ({
    "Pulumi.yaml": pulumiYaml(name, { name: "nodejs", options: { typescript: true } }),
    "package.json": npmPackage(
      name,
      { main: "index.ts", scripts: { check: "tsc" } },
      { "@types/node": "^20.19.0", "ts-node": "^10.9.2", typescript: "~6.0.3" },
    ),
    "tsconfig.json": tsconfig,
    ".gitignore": "node_modules/\n",
    "index.ts": 'import "./zones";\n',
  }),
  commands: { "npm install": "", "npm run check": "checks the types, because the engine does not" },
});

/**
 * The content of `tsconfig.json`. TypeScript 6 needs `rootDir` for files in several folders. `transpileOnly` skips the type
 * check, which would add a second to each run of the engine; `npm run check` checks the types.
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

/** Returns the name that the Python SDK gives to an argument. */
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const pythonWords: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

const python = createLanguage({
  tab: "    ",
  pad: "",
  comment: "#",
  scalar: (value) =>
    typeof value === "string" ? quote(value) : (pythonWords[String(value)] ?? String(value)),
  brackets: (isList) => (isList ? ["[", "]"] : ["{", "}"]),
  key: (name, type) => {
    if (type?.$ref?.startsWith("#/resources/")) return `${snakeCase(name)}=`;
    const isField = objectName(type) !== undefined && findPartType(type, name) !== undefined;
    return `${quote(isField ? snakeCase(name) : name)}: `;
  },
  resource: ({ kind, name }, args) => {
    const options = "opts=pulumi.ResourceOptions(protect=True)";
    return block("    ", `page_guard.${kind}(`, [quote(name), "zone_id=zone_id", ...args, options], ")");
  },
  program: (zoneId, _, resources) =>
    `import pulumi\nimport pulumi_page_guard as page_guard\n\nzone_id = ${quote(zoneId)}\n\n${resources.join("\n\n")}\n`,
  // A slug contains no underscore, so no two zones have the same module.
  file: (slug) => `zones/${slug.replaceAll("-", "_")}.py`,
  // `import_module` accepts any name, even that of a zone called `class` or `4shop`.
  index: () => ({
    "zones/__init__.py": `"""Declares the objects of all zones."""

from importlib import import_module
from pkgutil import iter_modules

for module in iter_modules(__path__):
    import_module(f".{module.name}", __name__)
`,
  }),
  project: (name) => ({
    ...pluginProject(name, { name: "python", options: { toolchain: "pip", virtualenv: "venv" } }),
    "requirements.txt": "pulumi>=3.231.0,<4.0.0\n",
    ".gitignore": "node_modules/\nsdks/\nvenv/\n__pycache__/\n",
    "__main__.py": "import zones  # noqa: F401\n",
  }),
  commands: { "npm install": "", "pulumi install": "generates the SDK of the plugin" },
});

const goImport = '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"\n';
const goName = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Returns the Go name of an element type, to which callers append `Array` or `Map` for the type of a list or a map. */
function goType(type: SchemaType | undefined): string {
  const object = objectName(type);
  if (object !== undefined) return `pageguard.${object}`;
  if (type?.items) return `${goType(type.items)}Array`;
  return type?.type === "string" ? "pulumi.String" : "pulumi.";
}

const go = createLanguage({
  tab: "\t",
  pad: "",
  comment: "//",
  scalar: (value) => {
    if (typeof value === "string") return `pulumi.String(${quote(value)})`;
    if (typeof value === "number") return `pulumi.Float64(${value})`;
    return value === null ? "nil" : `pulumi.Bool(${value})`;
  },
  brackets: (isList, type) => {
    const object = objectName(type);
    if (object !== undefined) return [`&pageguard.${object}Args{`, "}"];
    const collection = isList ? "Array" : "Map";
    return [`${goType(type?.items ?? type?.additionalProperties)}${collection}{`, "}"];
  },
  key: (name, type) => {
    const key = objectName(type) === undefined ? quote(name) : goName(name);
    return `${key}: `;
  },
  resource: ({ kind, name }, args) => {
    const open = `if _, err := pageguard.New${kind}(ctx, ${quote(name)}, &pageguard.${kind}Args{`;
    return `${block("\t", open, ["ZoneId: zoneID", ...args], "}")}, pulumi.Protect(true)); err != nil {\n\treturn err\n}`;
  },
  // `pulumi package add` gives the SDK this import path. Each zone's file adds its function to `zones`.
  program: (zoneId, _, resources) => `package zones

import (
\t"example.com/pulumi-page-guard/sdk/go/pageguard"
${goImport})

func init() {
\tzones = append(zones, func(ctx *pulumi.Context) error {
\t\tzoneID := pulumi.String(${quote(zoneId)})
${indent("\t\t", resources.join("\n"))}
\t\treturn nil
\t})
}
`,
  file: (slug) => `zones/${slug}.go`,
  index: () => ({
    "zones/index.go": `// Package zones declares the objects of all zones.
package zones

import (
${goImport})

var zones []func(*pulumi.Context) error

// Declare declares all zones.
func Declare(ctx *pulumi.Context) error {
	for _, declare := range zones {
		if err := declare(ctx); err != nil {
			return err
		}
	}
	return nil
}
`,
  }),
  project: (name) => ({
    ...pluginProject(name, "go"),
    "go.mod": `module example.com/${name}\n\ngo 1.25\n\nrequire github.com/pulumi/pulumi/sdk/v3 v3.259.0\n`,
    ".gitignore": "node_modules/\nsdks/\n",
    "main.go": `package main\n\nimport (\n\t"example.com/${name}/zones"\n\n${goImport})\n\nfunc main() {\n\tpulumi.Run(zones.Declare)\n}\n`,
  }),
  commands: {
    "npm install": "",
    "pulumi install": "generates the SDK of the plugin",
    "gofmt -w zones": "aligns the values",
  },
});

/** A program in YAML has all zones in one file, because Pulumi reads only `Main.yaml`. */
const yaml: Language = {
  file: () => "Main.yaml",
  text: (program) => renderYaml([program]),
  files: (programs) => ({ "Main.yaml": renderYaml(programs) }),
  project: (name) => ({ ...pluginProject(name, "yaml"), ".gitignore": "node_modules/\n" }),
  commands: { "npm install": "" },
  refusal: (args) =>
    callsFunction(args)
      ? "one of its keys begins with fn::, which a YAML program would read as a function call."
      : undefined,
  comment: "#",
  parts: (_kind, _argument, parts) => yamlText(parts),
};

function renderYaml(programs: readonly ZoneProgram[]): string {
  const resources = programs.flatMap((program) => program.resources);
  const entries = resources.map(({ kind, name, zoneId, args }) => [
    name,
    { type: `page-guard:${kind}`, properties: { zoneId, ...args }, options: { protect: true } },
  ]);
  return `${yamlText({ resources: Object.fromEntries(entries) })}\n`;
}

function callsFunction(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, part]) => /^fn::/i.test(name) || callsFunction(part));
}

function pulumiYaml(name: string, runtime: unknown, packages?: Files): string {
  const project = { name, description: "Page security of our zones", runtime };
  return `${yamlText({ ...project, ...(packages && { packages }) })}\n`;
}

/** Returns `package.json`. `pulumi-page-guard` contains the resources and the plugin, `page-guard` the command. */
function npmPackage(name: string, first: object = {}, tools: Files = {}): string {
  const manifest = readFileSync(require.resolve("pulumi-page-guard/package.json"), "utf8");
  const { peerDependencies }: { peerDependencies: Files } = JSON.parse(manifest);
  const dependencies = {
    "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"],
    "pulumi-page-guard": `^${packageVersion()}`,
  };
  const devDependencies = { ...tools, "page-guard": `^${packageVersion()}` };
  const content = { name, version: "0.1.0", private: true, ...first, dependencies, devDependencies };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function pluginProject(name: string, runtime: unknown): Files {
  const packages = { "page-guard": "./node_modules/pulumi-page-guard/plugin" };
  return { "Pulumi.yaml": pulumiYaml(name, runtime, packages), "package.json": npmPackage(name) };
}

export type LanguageName = "typescript" | "yaml" | "python" | "go";
export const languages: Readonly<Record<LanguageName, Language>> = { typescript, yaml, python, go };

export function languageOption(text: string): Option {
  return new Option("--language <name>", text).choices(Object.keys(languages)).default("typescript");
}
