import type { Policy } from "../../api/client-types";
import { errorOn, type Finding, warningOn } from "../../model/finding";
import type { PolicyList } from "../../model/policies/policy-list";
import { listed, shown } from "../../text/shown";
import { mayBe, type SetPlan } from "./plan";
import type { Inputs, State } from "./state";

/** What an exact set makes of policies that it does not declare. */
export function othersOf({ others }: { readonly others?: unknown }): NonNullable<Inputs["others"]> {
  return others === "refuse" || others === "delete" ? others : "keep";
}

/** How many are named in a message of their own, with what they do. */
const most = 20;
/** How many fit into one message by name and id. */
const mostTogether = 40;

/** Policies of the zone that are not in the set's state, that it is not replacing, and that it does not adopt. */
export function undeclaredIn(
  list: PolicyList,
  plan: SetPlan,
  { policyIds = {}, released = {} }: State,
  isOwn: (policyId: string) => boolean,
): Policy[] {
  const own = new Set([...Object.values(policyIds), ...Object.keys(released)]);
  for (const { policyId } of list.all()) if (isOwn(policyId)) own.add(policyId);
  for (const { wanted } of plan.missing) {
    const taken = list.equalTo(wanted).findLast(({ policyId }) => !own.has(policyId));
    if (taken) own.add(taken.policyId);
  }
  return list.all().filter(({ policyId }) => !own.has(policyId));
}

export function labelsOf(policies: readonly Policy[]): string[] {
  return policies.map(label).sort();
}

/**
 * In every preview and `up`; what is named under "delete", and so in `named`, is what the `up` deletes, and nothing else.
 * What is partly unknown may turn out to be some of them.
 */
export function undeclaredFindings(
  inputs: { readonly others?: unknown },
  named: Set<string>,
  found: readonly Policy[],
  { partlyUnknownPolicies: late }: Pick<SetPlan, "partlyUnknownPolicies">,
): Finding[] {
  const others = othersOf(inputs);
  if (others === "keep") return [];
  const open = found.filter((policy) => late.some((one) => mayBe(one, policy)));
  const undeclared = found.filter((policy) => !open.includes(policy));
  const findings: Finding[] = [];
  if (open.length > 0) {
    const keys = late.map(({ key }) => (key === "" ? "policies" : `policies.${shown(key)}`));
    const fate = others === "refuse" ? "refuse the update" : "delete them";
    const message = `the zone has ${listed(labelsOf(open), { most: 50, separator: ", " })}: what ${listed(keys, { separator: ", " })} will declare is not known yet. Unless it is just this, others "${others}" will ${fate}.`;
    findings.push(warningOn("others", "csp-undeclared-unclear", message));
  }
  if (undeclared.length > 0 && others === "refuse") {
    const count = undeclared.length === 1 ? "a policy" : `${undeclared.length} policies`;
    const message = `the zone has ${count} that nothing declares, and others is "refuse": ${listed(labelsOf(undeclared), { most: 50 })}. Declare it in policies (it is adopted as it is), delete it in the zone, or set others to "keep" to leave it, or to "delete" to delete it. Policies of a CspPolicy or of another set enter this set in two updates: declare them here with others "keep" and remove the other resource, apply, and set others again.`;
    return [...findings, errorOn("others", "csp-undeclared", message)];
  }
  for (const { policyId } of undeclared) named.add(policyId);
  const inOrder = [...undeclared].sort((left, right) => (label(left) < label(right) ? -1 : 1));
  // The first ones each in a message of its own, the rest together: all of them are named.
  const groups = inOrder.slice(0, most).map((policy) => [policy]);
  for (let at = most; at < inOrder.length; at += mostTogether)
    groups.push(inOrder.slice(at, at + mostTogether));
  const deleted = groups.map((policies) =>
    warningOn("others", "csp-undeclared-deleted", deletedText(policies), { policies }),
  );
  return [...findings, ...deleted];
}

function deletedText(policies: readonly Policy[]): string {
  const keep = `others "keep" leaves what is not declared.`;
  const [first, ...rest] = policies;
  if (first === undefined || rest.length > 0) {
    const named = policies.map((policy) => `${label(policy)} (id ${shown(policy.policyId, { max: 40 })})`);
    return `${policies.length} more policies are deleted that nothing declares: ${named.join("; ")}. ${keep}`;
  }
  const { action, enabled, expression, value, policyId } = first;
  return `nothing declares the policy ${label(first)}: it is deleted. Its id is ${shown(policyId, { max: 40 })}, its action ${shown(action, { max: 40 })}${enabled ? "" : ", disabled"}, if ${shown(expression, { max: 200 })}: ${shown(value, { max: 200 })}. ${keep}`;
}

function label({ description, policyId }: Policy): string {
  return `"${shown(description, { max: 80 }) || shown(policyId, { max: 80 })}"`;
}
