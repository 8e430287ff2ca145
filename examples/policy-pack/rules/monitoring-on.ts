import { type StackValidationPolicy, UnknownValueError } from "@pulumi/policy";
import { isOfPageGuard, isPageGuardSettings } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/** In every zone of which the stack has something, somebody watches. */
export const monitoringOn: StackValidationPolicy = {
  name: "monitoring-on",
  description: "Each zone of the stack is watched: it has PageGuardSettings with enabled: true.",
  severity: "high",
  configSchema: { properties: exemptions },
  validateStack: (args, reportViolation) => {
    const report = reporter(args, reportViolation);
    const ours = args.resources.filter(isOfPageGuard);
    const settings = new Map(
      ours.filter(isPageGuardSettings).map((resource) => [zoneOf(resource.props), resource]),
    );
    // A zone that is not known yet may be any: then no other one can be said to lack settings.
    if (settings.has(undefined)) return;
    const first = new Map(ours.map((resource) => [zoneOf(resource.props), resource] as const).reverse());
    for (const [zoneId, resource] of first) {
      if (zoneId === undefined) continue;
      const found = settings.get(zoneId);
      if (found === undefined) {
        report({
          rule: "no-settings",
          resource: resource.name,
          urn: resource.urn,
          text: `zone ${zoneId} is not watched by this stack: declare a PageGuardSettings with enabled: true for it.`,
        });
      } else if (!found.props.enabled) {
        report({
          rule: "switched-off",
          resource: found.name,
          urn: found.urn,
          text: `the monitoring of zone ${zoneId} is switched off. Policies then report nothing that anybody sees.`,
        });
      }
    }
  },
};

/** Undefined as long as a preview does not know it. */
function zoneOf(props: { readonly zoneId: string }): string | undefined {
  try {
    return props.zoneId.toLowerCase();
  } catch (error) {
    if (error instanceof UnknownValueError) return undefined;
    throw error;
  }
}
