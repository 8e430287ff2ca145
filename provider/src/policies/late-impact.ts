import type { Finding } from "../lifecycle/finding";
import type { Properties } from "../lifecycle/kind";
import { containsUnknown } from "../lifecycle/unknown";
import { listed } from "../text/listed";

/** What has to be known of a zone's policies, and of one of them, before its impact can be looked at. */
export const neededOfZone = ["zoneId", "connection"];
export const neededOfPolicy = ["expression", "value", "directives"];

/** Those of the inputs that are not known before the update. */
export function lateOf(inputs: Properties, names: readonly string[]): string[] {
  return names.filter((name) => containsUnknown(inputs[name]));
}

/**
 * A preview that is silent about the impact of an `allow` policy says that nothing is blocked. `late`: the inputs that
 * kept it from looking; `names`: of the policies, where they are several.
 */
export function lateImpactFinding(
  level: unknown,
  late: readonly string[],
  names: readonly string[] = [],
): Finding[] {
  if (level === "off" || late.length === 0) return [];
  const are = late.length === 1 ? "is" : "are";
  const message = `${listed(late, { separator: ", " })} ${are} not known before the update, so what ${inWords(names)} would block of what is in use was not looked at. The update looks before it changes anything.`;
  return [{ severity: "warning", code: "csp-impact-unknown", property: "", message }];
}

function inWords(names: readonly string[]): string {
  if (names.length === 0) return "this policy";
  return `the ${names.length === 1 ? "policy" : "policies"} ${listed(names, { separator: ", " })}`;
}
