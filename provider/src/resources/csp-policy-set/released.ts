import { type Finding, warningOn } from "../../lifecycle/finding";
import type { PolicyList } from "../../policies/policy-list";
import type { ZonePolicies } from "../../policies/zone-policies";
import { shownList } from "../../text/listed";
import { shown } from "../../text/shown";
import type { HandOvers, SiblingPolicies } from "./siblings";
import type { Released, State } from "./state";

/**
 * A policy that moves to another resource stays in the set's state until that one has it: a run that is cut off between
 * the two would leave it unmanaged. An engine that finds no change writes no state, so what is known better by now is
 * forgotten at the next update only.
 */
export function releasedNow({ released = {} }: State, siblings: SiblingPolicies, list?: PolicyList) {
  /** Their adopters may have them or adopt them yet. */
  const stillReleased: Released = {};
  /** As any other that leaves the set: of those that were to adopt it some, or all, have not. */
  const toDelete: Released = {};
  /** Whether an update has something to do or to forget. */
  let needsUpdate = false;
  for (const [policyId, labels] of Object.entries(released)) {
    if (siblings.claims.isHeld(policyId)) continue;
    const open = siblings.thatMayHave(Object.keys(labels));
    const isKept = (label: string) => siblings.isKept(label);
    const isAsBefore =
      open.length === Object.keys(labels).length &&
      Object.entries(labels).every(([label, digest]) => (siblings.digestOf(label) ?? digest) === digest);
    // Before the end of a run a plugin can't know more: its update can.
    needsUpdate ||= !isAsBefore || open.some((label) => isKept(label) || siblings.mayFollow(label));
    const live = list?.get(policyId);
    const theirs = isAsBefore ? open : list && live ? siblings.changing(Object.keys(labels), live, list) : [];
    // What a taker leaves in the zone in the end, no one else deletes.
    if ([...open, ...theirs].some(isKept)) continue;
    if (theirs.length > 0) stillReleased[policyId] = siblings.digestsOf(theirs);
    else toDelete[policyId] = labels;
  }
  return { stillReleased, toDelete, needsUpdate };
}

/** Those that are still in the zone. */
export async function releasedThere(zone: ZonePolicies, { released = {} }: State): Promise<Released> {
  const there: Released = {};
  for (const [policyId, labels] of Object.entries(released))
    if (await zone.live(policyId)) there[policyId] = labels;
  return there;
}

/** Why a preview of a plugin shows an update where no input differs. */
export function openFindings({ released = {} }: State, siblings: SiblingPolicies): Finding[] {
  return Object.entries(released).flatMap(([policyId, labels]): Finding[] => {
    const takers = Object.keys(labels);
    if (!takers.some((label) => siblings.mayFollow(label))) return [];
    const message = `the policy ${shown(policyId)} was released for ${shownList(takers)}, and the update that released it ended before it was adopted. This update deletes it if nothing has adopted it.`;
    return [warningOn("policies", "csp-left-behind", message)];
  });
}

/** Reported before they are deleted: no input shows it. */
export function toDeleteFindings(toDelete: Released, handOvers: HandOvers, list: PolicyList): Finding[] {
  return Object.entries(toDelete).flatMap(([policyId, labels]): Finding[] => {
    const policy = list.get(policyId);
    if (!policy || handOvers.has(policyId)) return [];
    const takers = shownList(Object.keys(labels));
    const named = `"${shown(policy.description, { max: 80 })}" (${shown(policyId)})`;
    const message = `the policy ${named} was released for ${takers}, and nothing has adopted it: it is deleted.`;
    return [warningOn("policies", "csp-left-behind", message)];
  });
}
