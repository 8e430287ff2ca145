import { type StackValidationPolicy, UnknownValueError } from "@pulumi/policy";
import { isClosedSecret, isOfPageGuard, isPageGuardSettings } from "pulumi-page-guard/policy";
import { exemptions, reporter } from "../exemptions";

/** Requires the stack to monitor every zone in which it has a resource. */
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
    const first = new Map(ours.map((resource) => [zoneOf(resource.props), resource] as const).reverse());
    // Settings whose zone is not known yet may belong to any zone, so no zone is certain to have no settings.
    const mayBeAny = [...settings.keys()].some((zoneId) => zoneId === undefined || isClosedSecret(zoneId));
    for (const [zoneId, resource] of first) {
      if (isClosedSecret(zoneId)) {
        const text =
          "its zone is a secret that cannot be decrypted here, so nobody can say whether it is watched.";
        report({ rule: "closed-secret", resource: resource.name, urn: resource.urn, text });
      }
      if (zoneId === undefined || isClosedSecret(zoneId) || mayBeAny) continue;
      const found = settings.get(zoneId);
      if (found === undefined) {
        report({
          rule: "no-settings",
          resource: resource.name,
          urn: resource.urn,
          text: `zone ${zoneId} is not watched by this stack: declare a PageGuardSettings with enabled: true for it.`,
        });
      } else if (isClosedSecret(found.props.enabled)) {
        const text =
          "the input enabled is a secret that cannot be decrypted, so nobody can say whether monitoring is on.";
        report({ rule: "closed-secret", resource: found.name, urn: found.urn, text });
      } else if (!found.props.enabled) {
        report({
          rule: "switched-off",
          resource: found.name,
          urn: found.urn,
          text: `the monitoring of zone ${zoneId} is switched off, so nobody sees what its policies report.`,
        });
      }
    }
  },
};

/** Returns the zone id. Undefined in a preview that does not know it yet. */
function zoneOf(props: { readonly zoneId: string }): string | undefined {
  try {
    return props.zoneId.toLowerCase();
  } catch (error) {
    if (error instanceof UnknownValueError) return undefined;
    throw error;
  }
}
