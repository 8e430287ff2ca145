import { readFileSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../../reports/escape";
import { packageVersion } from "../session";
import type { Files, Language, ReadFile } from "./language";
import { exportedKinds } from "./program";

const pluginFolder = "./node_modules/pulumi-page-guard/plugin";

export function pulumiYaml(name: string, runtime: string): string {
  return `name: ${quoted(name)}\ndescription: Page security of our zones\n${runtime}`;
}

/** `package.json`: the package has the resources and the plugin. */
export function npmPackage(name: string, first: object = {}, devDependencies?: Files): string {
  const manifest = readFileSync(join(__dirname, "..", "..", "..", "package.json"), "utf8");
  const { peerDependencies }: { peerDependencies: Files } = JSON.parse(manifest);
  const dependencies = {
    "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"],
    "pulumi-page-guard": `^${packageVersion()}`,
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

/** For a language with a generated SDK, that only its own tools can read: anything may be in an edited file. */
export function ofGeneratedSdk(files: Language["files"]): Pick<Language, "files" | "commands" | "read"> {
  return {
    files,
    commands: () => ({ "npm install": "", "pulumi install": "generates the SDK of the plugin" }),
    read: (folder, slugs) => {
      const edited = slugs.flatMap(files).filter((file) => folder.isEdited(file));
      const unread = edited.flatMap((place) => exportedKinds.map((kind) => ({ kind, place })));
      return { declarations: [], unread };
    },
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
