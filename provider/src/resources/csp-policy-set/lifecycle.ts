import { changedNames, type Draft, schemasOf } from "../../lifecycle/draft";
import { inFlight } from "../../lifecycle/in-flight";
import type { Compared, Kind, Plan } from "../../lifecycle/kind";
import { whereOnline } from "../../lifecycle/offline";
import type { Run } from "../../lifecycle/run";
import { errorsOf, type Finding } from "../../model/finding";
import { loggingSince, tooEarlyFindings } from "../../model/policies/log-time";
import { zoneIdOf } from "../../model/zone-id";
import { findingsAt } from "../../policies/at-key";
import { deletionsOf, notAlone, rivalFindings } from "../../policies/exact-sets";
import { changeFindings } from "../../policies/findings";
import { missingFindings } from "../../policies/new-policies";
import { asDeclared } from "../../policies/policy-record";
import { type ZonePolicies, zonePolicies } from "../../policies/zone-policies";
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
import { planFor, type SetPlan } from "./plan";
import { changedIn, declaredFindings, leavingFindings } from "./set-findings";
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
      for (const policyId of Object.values(state.policyIds ?? {}))
        ownership.makeRoom(policyId, urn, state.onDestroy);
    return { rivals };
  },

  async plan(run, draft, recorded) {
    const { values } = draft;
    const before = recorded?.inputs;
    const findings =
      before !== undefined && changedKeys(before, values).size === 0
        ? []
        : await changeFindings(
            run,
            values,
            changedIn(values, before),
            before ? undefined : () => createFindings(run, draft),
          );
    if (!recorded || errorsOf(findings).length > 0) return { findings, needsUpdate: false };
    const update = await updatePlan(run, draft, recorded);
    return { ...update, findings: [...findings, ...update.findings] };
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

/** What a new set finds in the zone. */
async function createFindings(run: Run, draft: Draft<Inputs>): Promise<Finding[]> {
  const zone = zonePolicies(run, draft.known.zoneId, draft.known.connection);
  const list = await zone.list();
  const plan = planFor(zone.ownership, draft.urn, {}, draft.values);
  const missing = missingFindings(plan.missing, list, zone, draft.values);
  return [...missing, ...(await others(run, zone, draft, {}, plan)).findings];
}

/** What the zone has besides. */
async function others(
  run: Run,
  zone: ZonePolicies,
  { values, urn }: Draft<Inputs>,
  state: State,
  plan: SetPlan,
) {
  const undeclared = await whereOnline(async () =>
    undeclaredIn(await zone.list(), plan, state, zone.isOf(urn)),
  );
  const { named } = deletionsOf(run, zone.zoneId, urn);
  return { findings: undeclaredFindings(values, named, undeclared, plan), isAny: undeclared.length > 0 };
}

/** What an update would do: to others, to what leaves the set, to what is new, and to what would enforce too early. */
async function updatePlan(run: Run, draft: Draft<Inputs>, recorded: Compared<State>): Promise<Plan> {
  const { values, known, unknown, urn } = draft;
  const { id, state, isDue } = recorded;
  const zone = zonePolicies(run, id, known.connection);
  const plan = planFor(zone.ownership, urn, state, values);
  const looks = othersOf(values) !== "keep" && !unknown.has("connection");
  const besides = looks ? await others(run, zone, draft, state, plan) : { findings: [], isAny: false };
  const needsUpdate = plan.lost.length > 0 || state.released !== undefined || besides.isAny;
  const entries = entriesOf(values);
  if (!entries || !(isDue || needsUpdate)) return { findings: besides.findings, needsUpdate };
  const findings = [...besides.findings, ...leavingFindings(plan, zone, values, state)];
  for (const { key, record } of plan.kept) {
    const early = tooEarlyFindings(
      run.now(),
      known.minimumLogDays,
      recordedPolicy(record),
      entries.get(key) ?? {},
    );
    findings.push(...findingsAt(key, early));
  }
  if (plan.missing.length > 0 && !unknown.has("connection"))
    findings.push(
      ...(await whereOnline(async () => missingFindings(plan.missing, await zone.list(), zone, values))),
    );
  return { findings, needsUpdate };
}
