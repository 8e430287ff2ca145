import { changedNames, type Draft, schemasOf } from "../../lifecycle/draft";
import { inFlight } from "../../lifecycle/in-flight";
import type { Kind, Plan, Recorded } from "../../lifecycle/kind";
import { whereOnline } from "../../lifecycle/offline";
import type { Run } from "../../lifecycle/run";
import { errorsOf, type Finding } from "../../model/finding";
import { loggingSince, tooEarlyFindings } from "../../model/policies/log-time";
import type { Properties } from "../../model/properties";
import { zoneIdOf } from "../../model/zone-id";
import { deletionsOf, notAlone, rivalFindings } from "../../policies/exact-sets";
import { asDeclared } from "../../policies/policy-record";
import { zonePolicies } from "../../policies/zone-policies";
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
import { planFor } from "./plan";
import {
  blockingFindings,
  declaredFindings,
  findingsAt,
  leavingFindings,
  missingFindings,
  sentActionFindings,
  uncheckedInSet,
} from "./set-findings";
import { type Inputs, type RecordedEntry, type State, shape, stateSchema } from "./state";
import { mostInFlight, sync } from "./sync";
import { labelsOf, othersOf, undeclaredFindings, undeclaredIn } from "./undeclared";

export const cspPolicySet: Kind<Inputs, State> = {
  name: "CspPolicySet",
  ...schemasOf(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: false,
  parts: ["policies"],
  inZone: {
    object: "policy",
    policies: (_id, { policies }, { policyIds }) =>
      Object.entries(Object(policyIds)).flatMap(([key, policyId]) => {
        const args = { description: key, ...Object(Object(policies)[key]) };
        return typeof policyId === "string" ? [{ path: `policies.${key}.`, policyId, args }] : [];
      }),
  },
  outputs: { policyIds: [], undeclared: [], loggingSince: [], impact: [] },

  inspect: ({ values }, wanted) => declaredFindings(values, wanted),
  inRecordedWords,
  changedInputs: (state, { values }) => [
    ...(changedKeys(state, values).size > 0 ? ["policies"] : []),
    ...changedNames(state, values, { onDestroy: "delete", others: "keep" }),
  ],

  // An exact set decides on all policies of its zone.
  rivals(values, name, beside) {
    const zone = zoneIdOf(values["zoneId"]);
    if (zone === undefined || othersOf(values) === "keep") return [];
    const isOfPolicies = (kind: string) => kind === "CspPolicy" || kind === "CspPolicySet";
    const other = beside.find(({ kind, args }) => isOfPolicies(kind) && zoneIdOf(args["zoneId"]) === zone);
    return other === undefined ? [] : [notAlone(name, other.name)];
  },

  claim(run, { values, urn }, recorded, isReplaced) {
    const rivals = rivalFindings(run, values, urn, othersOf(values) !== "keep");
    if (!recorded) return { rivals };
    const { id, state } = recorded;
    const { ownership } = zonePolicies(run, id);
    if (!isReplaced) planFor(ownership, urn, state, values);
    else
      for (const policyId of Object.values(state.policyIds ?? {})) {
        // What stays in the zone may be adopted, by the successor first.
        if (state.onDestroy === "keep") ownership.giveUp(policyId, urn);
        else ownership.leave(policyId, urn);
      }
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
      const { key } = record;
      const policy = recordedPolicy(record);
      const { description, ...found } = asDeclared(policy, policy.value, live);
      const isDefault = record.entry.description === undefined && description === key;
      const since = loggingSince(run.now(), policy, live);
      const entry = { ...found, ...(!isDefault && { description }) } as RecordedEntry;
      records.set(key, { ...record, entry, since });
    }
    const own = new Set([...before.map(({ policyId }) => policyId), ...Object.keys(state.released ?? {})]);
    const others = list.all().filter(({ policyId }) => !own.has(policyId));
    const undeclared = othersOf(state) === "keep" ? undefined : labelsOf(others);
    const { policies, policyIds, loggingSince: since } = inMaps(records);
    const { impactLevel, impact, release, onDestroy, lint, minimumLogDays, connection } = state;
    const settings = { others: state.others, release, onDestroy, lint, minimumLogDays, connection };
    const kept = { zoneId: id, policies, ...settings };
    return {
      inputs: { ...kept, impact: impactLevel },
      state: {
        ...kept,
        policyIds,
        loggingSince: isRecorded ? since : undefined,
        impact,
        impactLevel,
        undeclared,
        released: state.released,
      },
      hasDrifted: JSON.stringify(undeclared ?? []) !== JSON.stringify(state.undeclared ?? []),
    };
  },

  update: sync,

  async delete(run, id, state) {
    if (state.onDestroy === "keep") return;
    const zone = zonePolicies(run, id, state.connection);
    const ended = await inFlight(mostInFlight, Object.values(state.policyIds ?? {}), (policyId) =>
      zone.unlessGone(() => zone.delete(policyId)),
    );
    const failure = ended.find(({ error }) => error !== undefined);
    // What is gone already is gone: the next destroy does the rest.
    if (failure) throw failure.error;
  },
};

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
  const plan = planFor(zone.ownership, urn, {}, values);
  const { named } = deletionsOf(run, zoneId, urn);
  return [
    ...missingFindings(plan, list, zone, values),
    ...undeclaredFindings(
      othersOf(values),
      named,
      undeclaredIn(list, plan, {}, zone.isOf(urn)),
      plan.partlyUnknownPolicies,
    ),
  ];
}

/** What the zone has besides, and whether the set has lost something or has to forget something. */
async function othersInZone(
  run: Run,
  { values, known, unknown, urn }: Draft<Inputs>,
  { id, state }: Recorded<State>,
): Promise<Plan> {
  const zone = zonePolicies(run, id, known.connection);
  const plan = planFor(zone.ownership, urn, state, values);
  const needsUpdate = plan.lost.length > 0 || state.released !== undefined;
  const others = othersOf(values);
  if (others === "keep" || unknown.has("connection")) return { findings: [], needsUpdate };
  const undeclared = await whereOnline(async () =>
    undeclaredIn(await zone.list(), plan, state, zone.isOf(urn)),
  );
  const { named } = deletionsOf(run, id, urn);
  return {
    findings: undeclaredFindings(others, named, undeclared, plan.partlyUnknownPolicies),
    needsUpdate: needsUpdate || undeclared.length > 0,
  };
}

/** What an update would do besides: what leaves the set, what is new, and what would enforce too early. */
async function updateFindings(
  run: Run,
  { values, known, unknown, urn }: Draft<Inputs>,
  { id, state }: Recorded<State>,
): Promise<Finding[]> {
  const entries = entriesOf(values);
  if (!entries) return [];
  const zone = zonePolicies(run, id, known.connection);
  const plan = planFor(zone.ownership, urn, state, values);
  const findings = leavingFindings(plan, zone, values, state);
  for (const { key, record } of plan.kept) {
    const entry = entries.get(key) ?? {};
    const early = tooEarlyFindings(run.now(), known.minimumLogDays, recordedPolicy(record), entry);
    findings.push(...findingsAt(key, early));
  }
  if (plan.missing.length === 0 || unknown.has("connection")) return findings;
  const missing = await whereOnline(async () => missingFindings(plan, await zone.list(), zone, values));
  return [...findings, ...missing];
}
