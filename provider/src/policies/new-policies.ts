import type { Policy, PolicyBody } from "../api/client-types";
import { errorOn, type Finding, infoOn, warningOn } from "../model/finding";
import { reports } from "../model/policies/log-time";
import type { PolicyList } from "../model/policies/policy-list";
import type { Properties } from "../model/properties";
import { urnParts } from "../model/urn";
import { listed, shown } from "../text/shown";
import { few, findingsAt } from "./at-key";
import type { ZonePolicies } from "./zone-policies";

/** What becomes of declared policies that are not in the state of their resource yet; `key`: in a set. */
export function missingFindings(
  missing: readonly { readonly key?: string; readonly wanted: PolicyBody }[],
  list: PolicyList,
  zone: ZonePolicies,
  { minimumLogDays, onDestroy }: Properties,
): Finding[] {
  const adopted = new Map<string, { readonly key: string | undefined; readonly policy: Policy }>();
  const isFree = ({ policyId }: Policy) => zone.ownership.isFree(policyId) && !adopted.has(policyId);
  const findings = missing.flatMap(({ key, wanted }) => {
    const policy = list.equalTo(wanted).findLast(isFree);
    if (policy) adopted.set(policy.policyId, { key, policy });
    if (policy) return [];
    const others = nearMissFindings(list, zone, wanted);
    return findingsAt(key, [...newAllowFindings(wanted, minimumLogDays), ...others]);
  });
  return [...adoptionFindings([...adopted.values()], onDestroy), ...few(findings)];
}

/** A policy that blocks from its first moment on cannot have logged; one that is there and blocks already need not. */
function newAllowFindings(policy: PolicyBody, days: unknown): Finding[] {
  if (typeof days !== "number" || days <= 0 || policy.action !== "allow") return [];
  const message = `a new policy cannot have logged for ${days} days (minimumLogDays) yet. Create it with action "log" and change it to "allow" later.`;
  return [errorOn("action", "csp-not-logged-yet", message)];
}

function adoptionFindings(
  adopted: readonly { readonly key: string | undefined; readonly policy: Policy }[],
  onDestroy: unknown,
): Finding[] {
  const [first] = adopted;
  if (!first) return [];
  const isSet = first.key !== undefined;
  const names = isSet ? adopted.map(({ key = "" }) => shown(key)) : [`id ${shown(first.policy.policyId)}`];
  const what = `exactly ${adopted.length === 1 ? "this policy" : `these ${adopted.length} policies`} already: ${listed(names, { separator: ", " })}`;
  const after = onDestroy === "keep" ? "" : ", and deleted on destroy";
  // Nobody knows since when an adopted policy logs.
  const isLogging = adopted.some(({ policy }) => reports(policy.action) && policy.enabled);
  const alias = `: a renamed resource keeps them with aliases: [{ name: "the old name" }] in its options`;
  const logged = isLogging ? ` The days of log count from now on${isSet ? "" : alias}.` : "";
  const message = `the zone has ${what}. Unless another resource of this stack owns it, it will be adopted instead of created a second time${after}.${logged}`;
  return [infoOn(isSet ? "policies" : "", "csp-adopted", message)];
}

/** A resource that has a policy in its state which another one has as well, or which this run has deleted. */
export function onePolicyForTwo(property: string, policyId: string, by: string | undefined): Finding {
  const what =
    by === undefined
      ? `the policy ${shown(policyId)} was deleted in this update for another resource`
      : `the policy ${shown(policyId)} also belongs to ${shown(urnParts(by).name)}, which keeps it as it is`;
  return warningOn(property, "csp-one-policy-for-two", `${what}. This resource gets a policy of its own.`);
}

/** Policies of no resource of this run that differ from the declared one in one field: it is probably meant to be one of them. */
function nearMissFindings(list: PolicyList, { ownership }: ZonePolicies, wanted: PolicyBody): Finding[] {
  const near = list.nearTo(wanted).filter(({ policy }) => ownership.isFree(policy.policyId));
  if (near.length === 0) return [];
  // Only what the zone has is quoted: what is declared may be secret.
  const named = near.map(({ policy, field }) => {
    const there = field === "enabled" ? String(policy.enabled) : `"${shown(policy[field])}"`;
    return `${shown(policy.policyId)} differs in ${field} only (there: ${there})`;
  });
  const message = `the zone has nearly this policy already: ${listed(named, { most: 3 })}. Unless another resource of this stack owns it, it stays as it is, and this one is created beside it. To adopt it instead, declare it as it is, apply, and then change it; if this resource had another name before, give it aliases: [{ name: "the old name" }].`;
  return [warningOn("", "csp-near-miss", message)];
}
