import type { Policy } from "../../api/client-types";
import { type Finding, makeError, makeWarning } from "../../model/finding";
import { isReleased } from "../../model/policies/match-policies";
import type { PolicyList } from "../../model/policies/policy-list";
import type { Properties } from "../../model/properties";
import { clean, cleanList, enumerate } from "../../text/shown";
import { declarationFindings, settingFindings } from "../csp-policy/findings";
import type { Ownership } from "../csp-policy/ownership";
import { few, makePath, onePolicyForTwo, placeFindings } from "../csp-policy/zone-findings";
import { readEntries } from "./entries";
import type { SetPlan } from "./plan";
import type { Inputs, State } from "./state";

/** Returns the input `others`; "keep" if it is absent, unknown or not valid. */
export function readOthers({ others }: { readonly others?: unknown }): NonNullable<Inputs["others"]> {
  return others === "refuse" || others === "delete" ? others : "keep";
}

/** Returns the findings about a set and its policies that need no request. */
export function declaredFindings(inputs: Properties, wanted: "all" | "errors"): Finding[] {
  const each = [...readEntries(inputs)].flatMap(([key, entry]) =>
    placeFindings(key, declarationFindings(entry, inputs, wanted)),
  );
  return [...settingFindings(inputs["lint"]), ...releaseFindings(inputs), ...each];
}

function releaseFindings(inputs: Properties): Finding[] {
  const { release } = inputs;
  if (!Array.isArray(release) || release.length === 0) return [];
  if (readOthers(inputs) !== "keep") {
    const message = `release requires others "keep": with others "${readOthers(inputs)}", no policy in the zone can belong to another resource. Leave release out, or set others to "keep".`;
    return [makeError("release", "csp-release-unclear", message)];
  }
  const both = [...readEntries(inputs).keys()].filter((key) => isReleased(release, key));
  if (both.length === 0) return [];
  const message = `these keys are declared in policies and also named in release: ${cleanList(both)}. Remove each key from policies to let its policy leave the set, or from release to keep the policy in it.`;
  return [makeError("release", "csp-release-unclear", message)];
}

/** Returns findings about policies that leave the set, and about policies in the state that another resource owns. */
export function leavingFindings(
  { dropped, lost, missing }: SetPlan,
  ownership: Ownership,
  { release }: Properties,
  { released = {} }: State,
): Finding[] {
  const declared = new Set(missing.map(({ key }) => key));
  const findings = lost
    .filter(({ key }) => declared.has(key))
    .map(({ key, policyId }) => onePolicyForTwo(makePath(key), policyId, ownership.findOwner(policyId)));
  const deleted = dropped.filter(({ key }) => !isReleased(release, key)).map(({ key }) => key);
  if (deleted.length > 0) {
    const message = `these policies leave the set and are deleted, unless another resource adopts them first in this update: ${cleanList(deleted)}. To keep a policy for another resource, name its key in release.`;
    findings.push(makeWarning("policies", "csp-key-removed", message));
  }
  const before = Object.keys(released);
  if (before.length > 0) {
    const message = `an earlier version of this package removed policies from the set without deleting them: ${cleanList(before)}. The set no longer manages them. A policy that no other resource declares stays in the zone: delete it there if nobody needs it.`;
    findings.push(makeWarning("policies", "csp-released-before", message));
  }
  return few(findings);
}

/** Returns the policies in the zone that the set neither owns nor will adopt. */
export function findUndeclared(
  list: PolicyList,
  { missing }: Pick<SetPlan, "missing">,
  { policyIds = {}, released = {} }: State,
  ownership: Ownership,
  urn: string,
): Policy[] {
  const recorded = new Set([...Object.values(policyIds), ...Object.keys(released)]);
  const others = list
    .all()
    .filter(({ policyId }) => !recorded.has(policyId) && ownership.findOwner(policyId) !== urn);
  const adopted = new Set<Policy>();
  for (const { wanted } of missing) {
    const equal = list.equalTo(wanted).findLast((policy) => others.includes(policy) && !adopted.has(policy));
    if (equal) adopted.add(equal);
  }
  return others.filter((policy) => !adopted.has(policy));
}

/**
 * Returns the findings of a preview or an update about undeclared policies. With "delete", adds the id of each policy to `named`,
 * because the update deletes only policies whose ids are in `named`. Only warns while values of declared policies are unknown: an
 * undeclared policy may turn out to equal a declared one.
 */
export function undeclaredFindings(
  others: "refuse" | "delete",
  named: Set<string>,
  found: readonly Policy[],
  { partlyUnknown: late }: SetPlan,
): Finding[] {
  if (found.length === 0) return [];
  if (late.length > 0) {
    const then =
      others === "refuse"
        ? "fails if any of these policies does not match a declared one"
        : "deletes each of these policies that does not match a declared one";
    const message = `the zone has policies that may be undeclared: ${enumerate(labelPolicies(found), { most: 50, separator: ", " })}. Some values of ${late.join(", ")} are not known before the update. Once they are known, the update ${then} (others "${others}").`;
    return [makeWarning("others", "csp-undeclared-unclear", message)];
  }
  if (others === "refuse") {
    const message = `nothing declares these policies in the zone, and others is "refuse": ${enumerate(labelPolicies(found), { most: 50 })}. Declare them in policies (they are adopted as they are), delete them in the zone, or set others to "keep" to leave them, or to "delete" to delete them. To move a policy here from a CspPolicy or from another set, use two updates: first set others to "keep", declare the policy here and remove it from the other resource; then set others back to "refuse".`;
    return [makeError("others", "csp-undeclared", message)];
  }
  return [...found]
    .sort((left, right) => (label(left) < label(right) ? -1 : 1))
    .map((policy) => {
      const { policyId, action, enabled, expression, value } = policy;
      named.add(policyId);
      const [id, does] = [policyId, action].map((text) => clean(text, { max: 40 }));
      const disabled = enabled ? "" : " (disabled)";
      const message = `no resource declares the policy ${label(policy)}, so the update deletes it. Its id is ${id}, its action ${does}${disabled}, its expression ${clean(expression)}, its value: ${clean(value)}. With others "keep", undeclared policies stay.`;
      return makeWarning("others", "csp-undeclared-deleted", message, { policies: [policy] });
    });
}

export function labelPolicies(policies: readonly Policy[]): string[] {
  return policies.map(label).sort();
}

function label({ description, policyId }: Policy): string {
  return `"${clean(description, { max: 80 }) || clean(policyId, { max: 80 })}"`;
}
