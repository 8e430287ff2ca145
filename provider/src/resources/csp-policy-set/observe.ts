import type { Policy } from "../../api/client-types";
import type { Run } from "../../lifecycle/run";
import type { PolicyList } from "../../policies/policy-list";
import type { ZonePolicies } from "../../policies/zone-policies";
import { planFor, type SetPlan } from "./plan";
import { releasedNow, releasedThere } from "./released";
import {
  allSiblingPolicies,
  type HandOvers,
  planInZone,
  type SiblingPolicies,
  siblingPolicies,
} from "./siblings";
import type { Inputs, Released, State } from "./state";
import { othersOf, undeclaredIn } from "./undeclared";

/** One update of a set, or its creation. */
export interface SetUpdate {
  readonly run: Run;
  readonly zone: ZonePolicies;
  readonly state: State;
  readonly inputs: Inputs;
  readonly urn: string;
}

/** What an update is to do, and what it knows by then. */
export interface Observed {
  /** Where the state alone can't tell. */
  readonly list: PolicyList | undefined;
  readonly siblings: SiblingPolicies;
  readonly plan: SetPlan;
  readonly plannedHandOvers: HandOvers;
  readonly stillReleased: Released;
  readonly toDelete: Released;
  /** What an exact set deletes, as the preview has said. */
  readonly undeclared: readonly Policy[];
}

/** Reads what the plan needs, and says in the claims of the zone who may adopt what. */
export async function observe({ run, zone, state, inputs, urn }: SetUpdate): Promise<Observed> {
  const { claims, zoneId } = zone;
  const isExact = othersOf(inputs) === "delete";
  const planned = () => planFor(claims, urn, state, inputs);
  const mayRelease = planned().dropped.length > 0 || state.released !== undefined;
  const siblings = await (mayRelease ? allSiblingPolicies : siblingPolicies)(run, urn, zoneId);
  const { missing, dropped } = planned();
  const isLeaving = dropped.length > 0 || releasedNow(state, siblings).needsUpdate;
  const mayMove = isLeaving && siblings.known.size > 0;
  const needsList = missing.length > 0 || state.incomplete === true || isExact || mayMove;
  const list = needsList ? await zone.list() : undefined;
  const there = list ? { ...state, released: await releasedThere(zone, state) } : state;
  // By now another resource may have adopted what leaves the set.
  const known = planned();
  const { stillReleased, toDelete } = releasedNow(there, siblings, list);
  for (const [policyId, adopters] of Object.entries(stillReleased))
    claims.release(policyId, urn, Object.keys(adopters));
  const { plan, plannedHandOvers }: Pick<Observed, "plan" | "plannedHandOvers"> = list
    ? planInZone(known, list, toDelete, siblings)
    : { plan: known, plannedHandOvers: new Map() };
  // Keep policies that were only renamed; release those that move to another resource.
  for (const { key, record } of plan.kept)
    if (!claims.isHeld(record.policyId)) claims.adopt(record.policyId, urn, key);
  for (const [policyId, adopters] of plannedHandOvers) claims.release(policyId, urn, adopters);
  const isNamed = ({ policyId }: Policy) => claims.isNamedForDeletion(policyId, urn);
  const undeclared = list && isExact ? undeclaredIn(list, plan, claims, state).filter(isNamed) : [];
  for (const policyId of Object.keys(toDelete))
    if (!plannedHandOvers.has(policyId)) claims.release(policyId, urn, []);
  return { list, siblings, plan, plannedHandOvers, stillReleased, toDelete, undeclared };
}
