import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sdkVersion } from "../declaration/internals/provider-library";
import {
  type ProviderCalls,
  type ServedResource,
  serveProvider,
} from "../declaration/internals/provider-server";
import { versionProblem } from "../declaration/supported-versions";
import { tell } from "../lifecycle/findings-file";
import { offlineFinding } from "../lifecycle/offline";
import { createRun } from "../lifecycle/run";
import type { Properties } from "../model/properties";
import { isDefaultProvider, pluginTypePrefix, urnParts } from "../model/urn";
import { kinds } from "../resources/kinds";
import { strangerAt } from "./connecting-user";
import { checkedConfig, environmentOf, givenSettings } from "./provider-inputs";
import { wafMigration } from "./waf-migration";

/**
 * Serves the resources and functions of this package to the engine, for programs in any language. `folder`: that of the
 * plugin, which holds its schema. Programs wait for this process, in YAML twice a run: what is not needed to say where it
 * listens is loaded when the engine first asks for it, and the SDK itself never.
 */
export async function servePlugin(folder: string): Promise<void> {
  const outdated = versionProblem(process.versions.node, sdkVersion);
  if (outdated !== undefined) throw new Error(outdated);
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(folder, "..", "package.json"), "utf8"),
  );
  const env = { ...process.env };
  const run = createRun({ env, guard: process.env });
  const resources = new Map<string, ServedResource>();
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
      const [name, load] =
        Object.entries(kinds).find(([kind]) => type === `${pluginTypePrefix}${kind}`) ?? [];
      if (!name || !load) throw new Error(`The plugin page-guard has no resource of the type ${type}.`);
      const { servedResource } = require("./resource") as typeof import("./resource");
      const resource = resources.get(name) ?? servedResource(load, run);
      resources.set(name, resource);
      return resource;
    },
    invoke(token, args: Properties) {
      const { invoke } = require("./invokes") as typeof import("./invokes");
      return invoke(run, token.slice(token.lastIndexOf(":") + 1), args);
    },
  };
  const { port } = await serveProvider(calls, strangerAt);
  // The engine reads where it is from the first line.
  process.stdout.write(`${port}\n`);
}
