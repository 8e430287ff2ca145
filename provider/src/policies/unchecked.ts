import { unseenKinds } from "../csp/suggest/unseen-kinds";
import { type Finding, warningOn } from "../lifecycle/finding";
import type { Properties } from "../lifecycle/kind";
import type { Run } from "../lifecycle/run";
import { containsUnknown } from "../lifecycle/unknown";
import { listed } from "../text/listed";
import { declaredText } from "./declared-policy";

/** One `allow` policy as it is declared; `name` and `pathOf` its inputs where it is one of several. */
export interface BlockingPolicy {
  readonly policy: Properties;
  readonly name?: string;
  readonly pathOf?: (input: string) => string;
}

/** What of `allow` policies was not checked: a preview that is silent about it says that nothing is blocked. */
export function uncheckedFindings(
  run: Run,
  inputs: Properties,
  policies: readonly BlockingPolicy[],
): Finding[] {
  if (inputs["impact"] === "off") return [];
  return [...(run.isOffline ? [] : lateFindings(inputs, policies)), ...unseenFindings(policies)];
}

/** Because of values that are not known before the update. */
function lateFindings(inputs: Properties, policies: readonly BlockingPolicy[]): Finding[] {
  const lateOf = (values: Properties, names: readonly string[]) =>
    names.filter((name) => containsUnknown(values[name]));
  const ofZone = lateOf(inputs, ["zoneId", "connection"]);
  const unchecked = policies.flatMap(({ policy, name, pathOf = String }) => {
    const late = lateOf(policy, ["expression", "value", "directives"]).map(pathOf);
    return ofZone.length + late.length === 0 ? [] : [{ name, late }];
  });
  if (unchecked.length === 0) return [];
  const late = [...ofZone, ...unchecked.flatMap((one) => one.late)];
  const names = unchecked.flatMap(({ name }) => name ?? []);
  const which = names.length === 0 ? "this policy" : policiesNamed(names);
  const message = `${joined(late)} ${late.length === 1 ? "is" : "are"} not known before the update, so the preview could not check what ${which} would block. The update checks this before it changes anything.`;
  return [warningOn("", "csp-impact-unknown", message)];
}

/** Because the service lists scripts and connections alone; in one line. */
export function unseenFindings(policies: readonly BlockingPolicy[]): Finding[] {
  const restricting = policies.flatMap(({ policy, name }) => {
    const text = declaredText(policy);
    const kinds = typeof text === "string" ? unseenKinds(text) : [];
    return kinds.length === 0 ? [] : [{ kinds, name }];
  });
  if (restricting.length === 0) return [];
  const kinds = [...new Set(restricting.flatMap((one) => one.kinds))];
  const names = restricting.flatMap(({ name }) => name ?? []);
  const which =
    names.length === 0
      ? "this policy also restricts"
      : `${policiesNamed(names)} also ${names.length === 1 ? "restricts" : "restrict"}`;
  const message = `with action "allow" ${which} ${new Intl.ListFormat("en-GB").format(kinds)}. The service does not list these, so they were not checked: open the pages with action "log" first.`;
  return [warningOn("", "csp-not-looked-at", message)];
}

function policiesNamed(names: readonly string[]): string {
  return `the ${names.length === 1 ? "policy" : "policies"} ${joined(names)}`;
}

function joined(texts: readonly string[]): string {
  return listed(texts, { separator: ", " });
}
