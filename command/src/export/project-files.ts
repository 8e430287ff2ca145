import { readFileSync } from "node:fs";
import { quoted } from "../reports/escape";
import { packageVersion } from "../session";
import type { Files } from "./language";

const pluginFolder = "./node_modules/pulumi-page-guard/plugin";

export function pulumiYaml(name: string, runtime: string): string {
  return `name: ${quoted(name)}\ndescription: Page security of our zones\n${runtime}`;
}

/** `package.json`: the package has the resources and the plugin. */
export function npmPackage(name: string, first: object = {}, devDependencies?: Files): string {
  const manifest = readFileSync(require.resolve("pulumi-page-guard/package.json"), "utf8");
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

/** For a language with a generated SDK. */
export const sdkCommands: Files = { "npm install": "", "pulumi install": "generates the SDK of the plugin" };
