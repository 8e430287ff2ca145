import type { ProviderCalls, ServedResource } from "../declaration/internals/provider-server";
import { tell } from "../lifecycle/findings-file";
import { offlineFinding } from "../lifecycle/offline";
import { createRun } from "../lifecycle/run";
import type { Properties } from "../model/properties";
import { isDefaultProvider, pluginTypePrefix, urnParts } from "../model/urn";
import { kinds } from "../resources/kinds";
import { readCheckedConfig, readGivenSettings, toEnvironment } from "./provider-inputs";
import { wafMigration } from "./waf-migration";

export function pluginCalls(): Omit<ProviderCalls, "version" | "schema"> {
  const env = { ...process.env };
  const run = createRun({ env, guard: process.env });
  const resources = new Map<string, ServedResource>();
  return {
    components: { [`${pluginTypePrefix}WafMigration`]: wafMigration },
    checkConfig: readCheckedConfig,
    async configure(urn, args) {
      const given = readGivenSettings(args);
      if (!isDefaultProvider(urn)) Object.assign(env, toEnvironment(given));
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
}
