import type { ServedComponent } from "../internals/construct";
import type { Properties } from "../lifecycle/kind";
import { unknownValue } from "../lifecycle/unknown";
import { pluginTypePrefix } from "../lifecycle/urn";
import { migrationOutputs } from "../resources/waf-migration/waf-migration";
import { plainValue } from "./wire";

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
