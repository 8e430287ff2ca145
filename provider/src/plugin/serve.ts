import { readFileSync } from "node:fs";
import { join } from "node:path";
import { offlineFinding } from "../declaration/program-run";
import { versionProblem } from "../declaration/supported-versions";
import type { ServedComponent } from "../internals/construct";
import { sdkVersion } from "../internals/monitor";
import { type ProviderCalls, serveProvider } from "../internals/provider-server";
import type { Properties } from "../lifecycle/kind";
import { createRun } from "../lifecycle/process-run";
import { tell } from "../lifecycle/tell";
import { unknownValue } from "../lifecycle/unknown";
import { isDefaultProvider, pluginTypePrefix, urnParts } from "../lifecycle/urn";
import { kinds } from "../resources/kinds";
import { migrationOutputs } from "../resources/waf-migration/waf-migration";
import { strangerAt } from "./connecting-user";
import { invoke } from "./invokes";
import { checkedConfig, environmentOf, givenSettings } from "./provider-inputs";
import { servedResource } from "./resource";
import { plainValue } from "./wire";

/**
 * Serves the resources and functions of this package to the engine, for programs in any language. `folder`: that of the
 * plugin, which holds its schema.
 */
export async function servePlugin(folder: string): Promise<void> {
  const outdated = versionProblem(process.versions.node, sdkVersion);
  if (outdated !== undefined) throw new Error(outdated);
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(folder, "..", "package.json"), "utf8"),
  );
  const env = { ...process.env };
  const run = createRun({ env, guard: process.env });
  const resources = new Map(
    Object.entries(kinds).map(([name, load]) => [
      `${pluginTypePrefix}${name}`,
      servedResource(name, load, run),
    ]),
  );
  const calls: ProviderCalls = {
    version,
    components: { [`${pluginTypePrefix}WafMigration`]: wafMigration },
    schema: () =>
      JSON.stringify({ ...JSON.parse(readFileSync(join(folder, "schema.json"), "utf8")), version }),
    checkConfig: checkedConfig,
    async configure(urn, args) {
      const given = givenSettings(args);
      if (!isDefaultProvider(urn)) Object.assign(env, environmentOf(given));
      run.useConfig((key) => given[key]);
      if (run.isOffline) await tell(run, offlineFinding, { urn: "" });
    },
    resource(urn) {
      const { type } = urnParts(urn);
      const resource = resources.get(type);
      if (!resource) throw new Error(`The plugin page-guard has no resource of the type ${type}.`);
      return resource;
    },
    invoke: (token, args: Properties) => invoke(run, token.slice(token.lastIndexOf(":") + 1), args),
  };
  const { port } = await serveProvider(calls, strangerAt);
  // The engine reads where it is from the first line.
  process.stdout.write(`${port}\n`);
}

/** As the class `WafMigration` does it: protected, unless the program lets it go. */
export const wafMigration: ServedComponent = {
  childType: `${pluginTypePrefix}WafMigrationStep`,
  childName: (name) => `${name}-step`,
  childInputs: ({ allowForget, ...declared }) =>
    mayBeForgotten(allowForget) ? { ...declared, allowForget } : declared,
  isProtected: ({ allowForget }, isAsked) => !mayBeForgotten(allowForget) || isAsked,
  outputs: ({ zoneId }, child, isPreview) => ({ zoneId, ...outputsOf(child, isPreview) }),
};

function mayBeForgotten(allowForget: unknown): boolean {
  return plainValue(allowForget) === true;
}

/** What is not there is not known yet, unless the child is in the state: then the engine has all that there is. */
function outputsOf(child: Properties, isPreview: boolean): Properties {
  const isAwaited = isPreview && child["schemaVersion"] === undefined;
  return Object.fromEntries(
    Object.entries(migrationOutputs).flatMap(([name, output]) => {
      const value = child[output] ?? (isAwaited ? unknownValue : undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
