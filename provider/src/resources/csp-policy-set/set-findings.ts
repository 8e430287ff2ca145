import type { Policy } from "../../api/client-types";
import { errorOn, type Finding, warningOn } from "../../model/finding";
import type { PolicyList } from "../../model/policies/policy-list";
import type { Properties } from "../../model/properties";
import { few, findingsAt, pathOf } from "../../policies/at-key";
import { declarationFindings, settingFindings } from "../../policies/findings";
import { onePolicyForTwo } from "../../policies/new-policies";
import type { Ownership } from "../../policies/ownership";
import { compareTexts } from "../../text/data";
import { listed, shown, shownList } from "../../text/shown";
import { entriesOf } from "./entries";
import { isReleased, mayBe, type SetPlan } from "./plan";
import type { Inputs, State } from "./state";

/** What an exact set makes of policies that it does not declare. */
export function othersOf({ others }: { readonly others?: unknown }): NonNullable<Inputs["others"]> {
  return others === "refuse" || others === "delete" ? others : "keep";
}

/** What can be said of all policies without a request. */
export function declaredFindings(inputs: Properties, wanted: "all" | "errors"): Finding[] {
  const each = [...entriesOf(inputs)].flatMap(([key, entry]) =>
    findingsAt(key, declarationFindings(entry, inputs, wanted)),
  );
  return [...settingFindings(inputs["lint"]), ...releaseFindings(inputs), ...each];
}

function releaseFindings(inputs: Properties): Finding[] {
  const { release } = inputs;
  if (!Array.isArray(release) || release.length === 0) return [];
  if (othersOf(inputs) !== "keep") {
    const message = `release goes with others "keep" only: with others "${othersOf(inputs)}" no policy of the zone is left to another resource. Leave release out, or set others to "keep".`;
    return [errorOn("release", "csp-release-unclear", message)];
  }
  const both = [...entriesOf(inputs).keys()].filter((key) => isReleased(release, key));
  if (both.length === 0) return [];
  const message = `declared in policies and named in release: ${shownList(both)}. Remove each from policies, so that it leaves the set, or from release, so that it stays.`;
  return [errorOn("release", "csp-release-unclear", message)];
}

/** What leaves the set, and what another resource has of it. */
export function leavingFindings(
  { dropped, lost, missing }: SetPlan,
  ownership: Ownership,
  { release }: Properties,
  { released = {} }: State,
): Finding[] {
  const declared = new Set(missing.map(({ key }) => key));
  const findings = lost
    .filter(({ key }) => declared.has(key))
    .map(({ key, policyId }) => onePolicyForTwo(pathOf(key), policyId, ownership.ownerOf(policyId)));
  const deleted = dropped.filter(({ key }) => !isReleased(release, key)).map(({ key }) => key);
  if (deleted.length > 0) {
    const message = `what leaves the set is deleted, unless another resource of this update adopts it before: ${shownList(deleted)}. To keep a policy for another resource, name its key in release.`;
    findings.push(warningOn("policies", "csp-key-removed", message));
  }
  const before = Object.keys(released);
  if (before.length > 0) {
    const message = `an earlier version released policies for other resources: ${shownList(before)}. The set no longer manages them. What no other resource declares stays in the zone: delete it there if nobody needs it.`;
    findings.push(warningOn("policies", "csp-released-before", message));
  }
  return few(findings);
}

/** Policies of the zone that the set does not have, in its state or in this run, and that it does not adopt. */
export function undeclaredIn(
  list: PolicyList,
  { missing }: Pick<SetPlan, "missing">,
  { policyIds = {}, released = {} }: State,
  ownership: Ownership,
  urn: string,
): Policy[] {
  const recorded = new Set([...Object.values(policyIds), ...Object.keys(released)]);
  const others = list
    .all()
    .filter(({ policyId }) => !recorded.has(policyId) && ownership.ownerOf(policyId) !== urn);
  const adopted = new Set<Policy>();
  for (const { wanted } of missing) {
    const taken = list.equalTo(wanted).findLast((policy) => others.includes(policy) && !adopted.has(policy));
    if (taken) adopted.add(taken);
  }
  return others.filter((policy) => !adopted.has(policy));
}

/** How many are named in a message of their own, with what they do. */
const most = 20;
/** How many fit into one message by name and id. */
const mostTogether = 40;

/**
 * In every preview and `up`; what is named under "delete", and so in `named`, is what the `up` deletes, and nothing else.
 * What is partly unknown may turn out to be some of them.
 */
export function undeclaredFindings(
  others: "refuse" | "delete",
  named: Set<string>,
  found: readonly Policy[],
  { partlyUnknown }: SetPlan,
): Finding[] {
  const open = found.filter((policy) => partlyUnknown.some((one) => mayBe(one, policy)));
  const undeclared = found.filter((policy) => !open.includes(policy));
  const findings: Finding[] = [];
  if (open.length > 0) {
    const keys = partlyUnknown.map(({ key }) => (key === "" ? "policies" : `policies.${shown(key)}`));
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
  const inOrder = [...undeclared].sort((left, right) => compareTexts(label(left), label(right)));
  // The first ones each in a message of its own, the rest together: all of them are named.
  const groups = inOrder.slice(0, most).map((policy) => [policy]);
  for (let at = most; at < inOrder.length; at += mostTogether)
    groups.push(inOrder.slice(at, at + mostTogether));
  for (const policies of groups)
    findings.push(warningOn("others", "csp-undeclared-deleted", deletedText(policies), { policies }));
  return findings;
}

function deletedText(policies: readonly Policy[]): string {
  const keep = `others "keep" leaves what is not declared.`;
  const id = ({ policyId }: Policy) => shown(policyId, { max: 40 });
  const [one, ...more] = policies;
  if (!one || more.length > 0) {
    const names = policies.map((policy) => `${label(policy)} (id ${id(policy)})`);
    return `${policies.length} more policies are deleted that nothing declares: ${names.join("; ")}. ${keep}`;
  }
  const { action, enabled, expression, value } = one;
  return `nothing declares the policy ${label(one)}: it is deleted. Its id is ${id(one)}, its action ${shown(action, { max: 40 })}${enabled ? "" : ", disabled"}, if ${shown(expression, { max: 200 })}: ${shown(value, { max: 200 })}. ${keep}`;
}

export function labelsOf(policies: readonly Policy[]): string[] {
  return policies.map(label).sort();
}

function label({ description, policyId }: Policy): string {
  return `"${shown(description, { max: 80 }) || shown(policyId, { max: 80 })}"`;
}
