import { readFileSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../reports/escape";
import type { Files, ReadFile } from "./language";

interface Manifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const pluginFolder = "./node_modules/pulumi-page-guard/plugin";

export function pulumiYaml(name: string, runtime: string): string {
  return `name: ${quoted(name)}\ndescription: Page security of our zones\n${runtime}`;
}

/** `package.json`: the package has the resources and the plugin. */
export function npmPackage(name: string, first: object = {}, devDependencies?: Files): string {
  const { version, peerDependencies }: Manifest = JSON.parse(
    readFileSync(join(__dirname, "..", "..", "..", "package.json"), "utf8"),
  );
  const dependencies = {
    "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"],
    "pulumi-page-guard": `^${version}`,
  };
  const content = { name, version: "0.1.0", private: true, ...first, dependencies, devDependencies };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** The project of a program that uses the plugin. */
export function pluginProject(name: string, runtime: string): Files {
  return {
    "Pulumi.yaml": `${pulumiYaml(name, runtime)}packages:\n  page-guard: ${pluginFolder}\n`,
    "package.json": npmPackage(name),
  };
}

/** What an existing project of the plugin lacks. */
export function pluginNotes(read: ReadFile, runtime: string): readonly string[] {
  const project = read("Pulumi.yaml") ?? "";
  return [
    ...(new RegExp(`^runtime:\\s*(?:name:\\s*)?["']?${runtime}\\b`, "m").test(project)
      ? []
      : [`The runtime in your \`Pulumi.yaml\` is not \`${runtime}\`, so it does not run this program.`]),
    ...(/^ +["']?page-guard["']?:/m.test(project)
      ? []
      : [`Your \`Pulumi.yaml\` does not name the plugin: run \`pulumi package add ${pluginFolder}\`.`]),
  ];
}
