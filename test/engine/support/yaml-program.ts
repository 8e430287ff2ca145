import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { engine, runPulumi } from "../real-engine/engine";
import type { Stack } from "../real-engine/stack";

const root = resolve(__dirname, "../../..");
export const pluginFolder = join(root, "provider", "plugin");
export const pluginSchema = join(pluginFolder, "schema.json");

/** A resource of a program in YAML. */
export interface YamlResource {
  readonly type: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly get?: Readonly<Record<string, unknown>>;
}

export interface YamlProgram {
  readonly resources?: Readonly<Record<string, YamlResource>>;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A resource of the plugin. */
export function resource(
  kind: string,
  properties: Readonly<Record<string, unknown>>,
  options?: Readonly<Record<string, unknown>>,
): YamlResource {
  return { type: `page-guard:${kind}`, properties, ...(options && { options }) };
}

/** The component that migrates a zone. */
export function migration(
  properties: Readonly<Record<string, unknown>>,
  options?: Readonly<Record<string, unknown>>,
): YamlResource {
  const { zoneId } = properties;
  return resource("WafMigration", { stage: "finished", confirm: zoneId, ...properties }, options);
}

/** A reference to an output of another resource, such as `csp.policyId`. */
export function from(path: string): string {
  return `\${${path}}`;
}

/** Lets the engine of the stack run programs in YAML. */
export async function hostYaml({ place, env }: Pick<Stack, "place" | "env">): Promise<void> {
  const tool: { findOrMakeYamlHost(engineFolder: string): Promise<string> } = await import(
    pathToFileURL(join(root, "tools/setup/yaml-host.mjs")).href
  );
  const host = await tool.findOrMakeYamlHost(await engine());
  env["PATH"] = `${host}${delimiter}${place.env["PATH"]}`;
}

/** Adds the plugin like a user, and returns the function that sets the stack's program in YAML. */
export async function useYaml(stack: Stack): Promise<(program: YamlProgram) => void> {
  await hostYaml(stack);
  const { place, env } = stack;
  const declare = (program: YamlProgram): void => {
    // JSON is valid YAML.
    const project = {
      name: "story",
      runtime: "yaml",
      packages: { "page-guard": pluginFolder },
      ...program,
    };
    writeFileSync(join(place.project, "Pulumi.yaml"), JSON.stringify(project, undefined, 2));
  };
  declare({});
  const added = await runPulumi(place, ["package", "add", pluginFolder], env).ended;
  assert.equal(added.code, 0, added.output);
  return declare;
}
