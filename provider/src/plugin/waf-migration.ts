import type { ServedComponent } from "../declaration/internals/construct";
import type { Properties } from "../model/properties";
import { unknownValue } from "../model/unknown";
import { pluginTypePrefix } from "../model/urn";
import { migrationOutputs } from "../resources/waf-migration/component";
import { plainValue } from "./wire";

/** The component `WafMigration`. Like the class of that name, it is protected unless the program sets `allowForget`. */
export const wafMigration: ServedComponent = {
  childType: `${pluginTypePrefix}WafMigrationStep`,
  childName: (name) => `${name}-step`,
  childInputs: ({ allowForget, ...declared }) =>
    plainValue(allowForget) ? { ...declared, allowForget } : declared,
  isProtected: ({ allowForget }, isAsked) => plainValue(allowForget) !== true || isAsked,
  outputs: ({ zoneId }, child, isPreview) => ({ zoneId, ...selectOutputs(child, isPreview) }),
};

/** Returns the component's outputs. In a preview, an absent output is unknown if the child is not in the state yet. */
function selectOutputs(child: Properties, isPreview: boolean): Properties {
  const isAwaited = isPreview && child["schemaVersion"] === undefined;
  return Object.fromEntries(
    Object.entries(migrationOutputs).flatMap(([name, output]) => {
      const value = child[output] ?? (isAwaited ? unknownValue : undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
