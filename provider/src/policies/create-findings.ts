import type { Policy, PolicyBody } from "../api/client-types";
import { errorOn, type Finding, infoOn, warningOn } from "../model/finding";
import { reports } from "../model/policies/log-time";
import type { NearMiss, PolicyList } from "../model/policies/policy-list";
import { urnParts } from "../model/urn";
import { listed, shown } from "../text/shown";
import type { ZonePolicies } from "./zone-policies";

/** How many policies that nearly are the declared one are named. */
const mostNear = 3;

/** A policy that blocks from its first moment on cannot have logged; one that is there and blocks already need not. */
export function newAllowFinding(policy: { readonly action: unknown }, days: unknown): Finding[] {
  if (typeof days !== "number" || days <= 0 || policy.action !== "allow") return [];
  const message = `a new policy cannot have logged for ${days} days (minimumLogDays) yet. Create it with action "log" and change it to "allow" later.`;
  return [errorOn("action", "csp-not-logged-yet", message)];
}

/** The policy that the zone has already is going to be this resource's. */
export function adoptionFinding(found: Policy, isKept: boolean): Finding {
  const after = isKept ? "" : ", and deleted on destroy";
  const logged = countsFromNow(found)
    ? ` Its days of log count from now on: a renamed resource keeps them with aliases: [{ name: "the old name" }] in its options.`
    : "";
  const message = `the zone has exactly this policy already (id ${shown(found.policyId)}): unless another resource of this stack owns it, it will be adopted instead of created a second time${after}.${logged}`;
  return infoOn("", "csp-adopted", message);
}

/** Whether an adopted policy logs: nobody knows since when, so its days of log begin now. */
export function countsFromNow({ action, enabled }: Policy): boolean {
  return reports(action) && enabled;
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
export function nearMissFindings(list: PolicyList, zone: ZonePolicies, wanted: PolicyBody): Finding[] {
  const near = list.nearTo(wanted).filter(({ policy }) => zone.ownership.isFree(policy.policyId));
  if (near.length === 0) return [];
  const named = listed(near.map(difference), { most: mostNear });
  const message = `the zone has nearly this policy already: ${named}. Unless another resource of this stack owns it, it stays as it is, and this one is created beside it. To adopt it instead, declare it as it is, apply, and then change it; if this resource had another name before, give it aliases: [{ name: "the old name" }].`;
  return [warningOn("", "csp-near-miss", message)];
}

/** Only what the zone has is quoted: what is declared may be secret. */
function difference({ policy, field }: NearMiss): string {
  const there = field === "enabled" ? String(policy.enabled) : `"${shown(policy[field])}"`;
  return `${shown(policy.policyId)} differs in ${field} only (there: ${there})`;
}
