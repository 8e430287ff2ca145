import type { Policy, PolicyBody } from "../api/client-types";
import { errorOn, type Finding, warningOn } from "../lifecycle/finding";
import { listed, shownList } from "../text/listed";
import { shown } from "../text/shown";
import { reports } from "./log-time";
import type { NearMiss, PolicyList } from "./policy-list";
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
  return warningOn("", "csp-adopted", message);
}

/** Whether an adopted policy logs: nobody knows since when, so its days of log begin now. */
export function countsFromNow({ action, enabled }: Policy): boolean {
  return reports(action) && enabled;
}

/**
 * A set that is declared elsewhere in the program stops managing the policy in the same run, and can't know who declares
 * it: it is adopted if this resource gets to it before the set deletes it.
 */
export function uncertainAdoptionFinding(policyIds: readonly string[], from: string): Finding {
  const message = `the zone has this already (id ${shownList(policyIds)}), and ${shown(from)} stops managing it in this update: it will be adopted here, or deleted there and created again. ${moveForCertain(shown(from), "this resource")}`;
  return warningOn("", "csp-hand-over-unclear", message);
}

export function moveForCertain(set: string, taker: string): string {
  return `To move it for certain, let ${set} depend on ${taker} (dependsOn). In TypeScript it is enough to declare both without an await between them, with values that are known in a preview.`;
}

/** Policies of no resource of this run that differ from the declared one in one field: it is probably meant to be one of them. */
export function nearMissFindings(list: PolicyList, zone: ZonePolicies, wanted: PolicyBody): Finding[] {
  const near = list.nearTo(wanted).filter(({ policy }) => zone.claims.isFree(policy.policyId));
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
