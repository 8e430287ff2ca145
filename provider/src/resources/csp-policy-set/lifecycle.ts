import type { Policy } from "../../api/client-types";
import { changedNames, type Draft, schemasOf } from "../../lifecycle/draft";
import { errorsOf, type Finding } from "../../lifecycle/finding";
import { inFlight } from "../../lifecycle/in-flight";
import type { Kind, Plan, Properties, Recorded } from "../../lifecycle/kind";
import { whereOnline } from "../../lifecycle/offline";
import type { Run } from "../../lifecycle/run";
import { urnParts } from "../../lifecycle/urn";
import { loggingSince, tooEarlyFindings } from "../../policies/log-time";
import { notAlone } from "../../policies/policy-claims";
import { asDeclared } from "../../policies/policy-record";
import { rivalFindings, type ZonePolicies, zonePolicies } from "../../policies/zone-policies";
import { mostInFlight } from "./apply";
import {
  changedKeys,
  entriesOf,
  importedPolicies,
  inMaps,
  inRecordedWords,
  type PolicyRecord,
  recordedPolicy,
  recordsOf,
} from "./entries";
import { bodyIn, planFor } from "./plan";
import { openFindings, releasedNow, releasedThere, toDeleteFindings } from "./released";
import {
  blockingFindings,
  declaredFindings,
  findingsAt,
  missingFindings,
  sentActionFindings,
  uncheckedInSet,
} from "./set-findings";
import { allSiblingPolicies, planInZone, siblingPolicies, uncertainMoveFindings } from "./siblings";
import { type Inputs, type RecordedEntry, type State, shape, stateSchema } from "./state";
import { sync } from "./sync";
import { labelsOf, othersOf, undeclaredFindings, undeclaredIn } from "./undeclared";

export const cspPolicySet: Kind<Inputs, State> = {
  name: "CspPolicySet",
  ...schemasOf(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: false,
  parts: ["policies"],
  outputs: { policyIds: [], undeclared: [], loggingSince: [], impact: [] },
  // Policies that move between the two forms, or from one set to another, are handed over.
  beside: ["CspPolicy", "CspPolicySet"],

  inspect: ({ values }, wanted) => declaredFindings(values, wanted),
  inRecordedWords,
  changedInputs: (state, { values }) => [
    ...(changedKeys(state, values).size > 0 ? ["policies"] : []),
    ...changedNames(state, values, { onDestroy: "delete", others: "keep" }),
  ],

  claim(run, { values, urn }, recorded, isReplaced) {
    const rivals = rivalsOf(run, values, urn);
    if (!recorded) return { rivals };
    const { id, state } = recorded;
    const { claims } = zonePolicies(run, id);
    if (isReplaced) {
      for (const policyId of Object.values(state.policyIds ?? {}))
        claims.startReplacing(policyId, urn, state.onDestroy);
      return { rivals };
    }
    for (const { key, record } of planFor(claims, urn, state, values).kept)
      claims.recordOwned(record.policyId, urn, key);
    if (state.released === undefined) return { rivals };
    const siblings = siblingPolicies(run, urn, id);
    for (const [policyId, labels] of Object.entries(state.released))
      claims.release(policyId, urn, siblings.thatMayHave(Object.keys(labels)));
    return { rivals };
  },

  async plan(run, draft, recorded) {
    const findings = await declaredInZone(run, draft, recorded?.inputs);
    if (!recorded || errorsOf(findings).length > 0) return { findings, needsUpdate: false };
    const others = await othersInZone(run, draft, recorded);
    findings.push(...others.findings);
    if (recorded.isDue || others.needsUpdate) findings.push(...(await updateFindings(run, draft, recorded)));
    return { findings, needsUpdate: others.needsUpdate };
  },

  async create(run, inputs, urn) {
    return { id: inputs.zoneId, state: await sync(run, inputs.zoneId, {}, inputs, urn) };
  },

  async read(run, id, recorded, isRecorded) {
    const zone = zonePolicies(run, id, recorded.connection);
    const { claims } = zone;
    const list = await zone.unlessGone(() => zone.list());
    if (!list) return undefined;
    // Nothing is recorded of a set that is being imported.
    const state = recorded.policies ? recorded : { ...recorded, ...importedPolicies(list.all()) };
    const before = [...recordsOf(state).values()];
    const looked = await inFlight(mostInFlight, before, ({ policyId }) => zone.live(policyId));
    const records = new Map<string, PolicyRecord>();
    for (const { item: record, result: live, error } of looked) {
      if (error !== undefined) throw error;
      if (!live) continue;
      const { key, policyId } = record;
      const policy = recordedPolicy(record);
      const { description, ...found } = asDeclared(policy, policy.value, live);
      const isDefault = record.entry.description === undefined && description === key;
      const since = loggingSince(run.now(), policy, live);
      const entry = { ...found, ...(!isDefault && { description }) } as RecordedEntry;
      records.set(key, { ...record, entry, since });
      claims.noteRecorded(policyId, state.onDestroy === "keep");
    }
    const released = Object.fromEntries(
      Object.entries(await releasedThere(zone, state)).filter(([policyId]) => !claims.isRecorded(policyId)),
    );
    for (const policyId of Object.keys(released)) claims.noteRecorded(policyId, false);
    const own = new Set([...before.map(({ policyId }) => policyId), ...Object.keys(released)]);
    const isOther = ({ policyId }: Policy) => !own.has(policyId) && !claims.isAccountedFor(policyId);
    const undeclared = othersOf(state) === "keep" ? undefined : labelsOf(list.all().filter(isOther));
    const { policies, policyIds, loggingSince: since } = inMaps(records);
    const { impactLevel, impact, onDestroy, lint, minimumLogDays, connection } = state;
    const kept = { zoneId: id, policies, others: state.others, onDestroy, lint, minimumLogDays, connection };
    return {
      inputs: { ...kept, impact: impactLevel },
      state: {
        ...{
          ...kept,
          policyIds,
          loggingSince: isRecorded ? since : undefined,
          impact,
          impactLevel,
          undeclared,
        },
        ...(Object.keys(released).length > 0 && { released }),
      },
      hasDrifted: JSON.stringify(undeclared ?? []) !== JSON.stringify(state.undeclared ?? []),
    };
  },

  update: sync,

  async delete(run, id, state, urn) {
    const zone = zonePolicies(run, id, state.connection);
    const own = state.onDestroy === "keep" ? [] : Object.values(state.policyIds ?? {});
    const all = [...own, ...(await toDeleteAtEnd(run, zone, state, urn))];
    const ended = await inFlight(mostInFlight, all, async (policyId) => {
      // Another resource of this run has it: a successor, a CspPolicy or another set.
      if (zone.claims.claimForDeletion(policyId)) await zone.unlessGone(() => zone.delete(policyId));
    });
    const failure = ended.find(({ error }) => error !== undefined);
    // What is gone already is gone: the next destroy does the rest.
    if (failure) throw failure.error;
  },
};

/** What a set that ends has released for no one: of one that is deleted before it is replaced, takers may come later. */
async function toDeleteAtEnd(run: Run, zone: ZonePolicies, state: State, urn: string): Promise<string[]> {
  if (!state.released) return [];
  const siblings = await allSiblingPolicies(run, urn, zone.zoneId);
  const list = siblings.known.size > 0 ? await zone.unlessGone(() => zone.list()) : undefined;
  return Object.keys(releasedNow(state, siblings, list).toDelete);
}

/** An exact set decides on all policies of its zone. */
function rivalsOf(run: Run, values: Properties, urn: string): readonly Finding[] {
  const isExact = othersOf(values) !== "keep";
  const rivals = rivalFindings(run, values, urn, isExact ? "exact set" : "set");
  if (rivals.length > 0 || !isExact) return rivals;
  // A run with targets checks these alone: who is beside it is known by the program only.
  const [sibling] = siblingPolicies(run, urn, String(values["zoneId"])).inZone;
  return sibling === undefined ? [] : [notAlone(urnParts(urn).name, sibling)];
}

/** What is found of policies that are new or changed. `before`: the inputs of the last update. */
async function declaredInZone(
  run: Run,
  draft: Draft<Inputs>,
  before: Properties | undefined,
): Promise<Finding[]> {
  const { values, unknown } = draft;
  if (unknown.has("zoneId") || unknown.has("connection")) return uncheckedInSet(run, values, before);
  if (before !== undefined && changedKeys(before, values).size === 0) return [];
  const findings = sentActionFindings(run, values);
  if (findings.length > 0) return findings;
  const created = before === undefined ? await whereOnline(() => beforeCreate(run, draft)) : [];
  return [...created, ...(await blockingFindings(run, values, before))];
}

async function beforeCreate(run: Run, { values, known, urn }: Draft<Inputs>): Promise<Finding[]> {
  const { zoneId = "", connection } = known;
  const zone = zonePolicies(run, zoneId, connection);
  const list = await zone.list();
  const plan = planFor(zone.claims, urn, {}, values);
  const undeclared = undeclaredIn(list, plan, zone.claims);
  return [
    ...missingFindings(plan, list, zone, values),
    ...undeclaredFindings(zone.claims, urn, othersOf(values), undeclared, plan.partlyUnknownPolicies),
  ];
}

/** What the zone has besides, and whether the set has lost something or has to decide on what it released. */
async function othersInZone(
  run: Run,
  { values, known, unknown, urn }: Draft<Inputs>,
  { id, state }: Recorded<State>,
): Promise<Plan> {
  const zone = zonePolicies(run, id, known.connection);
  const { claims } = zone;
  const isLost = Object.values(state.policyIds ?? {}).some((policyId) => claims.takenFrom(policyId, urn));
  const isReleased =
    state.released !== undefined && releasedNow(state, siblingPolicies(run, urn, id)).needsUpdate;
  const needsUpdate = isLost || isReleased;
  const others = othersOf(values);
  if (others === "keep" || unknown.has("connection")) return { findings: [], needsUpdate };
  const plan = planFor(claims, urn, state, values);
  const undeclared = await whereOnline(async () => {
    const list = await zone.list();
    return undeclaredIn(list, plan, claims, state);
  });
  return {
    findings: undeclaredFindings(claims, urn, others, undeclared, plan.partlyUnknownPolicies),
    needsUpdate: needsUpdate || undeclared.length > 0,
  };
}

/** What an update would do besides: what is released or deleted, and what would enforce too early. */
async function updateFindings(
  run: Run,
  { values, known, unknown, urn }: Draft<Inputs>,
  { id, state }: Recorded<State>,
): Promise<Finding[]> {
  const entries = entriesOf(values);
  if (!entries) return [];
  const zone = zonePolicies(run, id, known.connection);
  const { claims } = zone;
  const siblings = siblingPolicies(run, urn, id);
  const first = planFor(claims, urn, state, values);
  let plan = first;
  const needsList = first.missing.length > 0 || releasedNow(state, siblings).needsUpdate;
  const found = await whereOnline(async () => {
    if (!needsList || unknown.has("connection")) return [];
    const list = await zone.list();
    const { toDelete } = releasedNow(state, siblings, list);
    const inZone = planInZone(first, list, toDelete, siblings);
    plan = inZone.plan;
    return [
      ...toDeleteFindings(toDelete, inZone.plannedHandOvers, list),
      ...missingFindings(plan, list, zone, values),
    ];
  });
  const findings: Finding[] = [...uncertainMoveFindings(plan, siblings), ...openFindings(state, siblings)];
  for (const record of plan.dropped) {
    const old = bodyIn(record, record.entry.description ?? record.key);
    if (siblings.declaring(old).length === 0) claims.release(record.policyId, urn, []);
  }
  for (const { key, record } of plan.kept) {
    const entry = entries.get(key) ?? {};
    const early = tooEarlyFindings(run.now(), known.minimumLogDays, recordedPolicy(record), entry);
    findings.push(...findingsAt(key, early));
  }
  return [...findings, ...found];
}
