import { type Draft, findChangedNames, makeSchemas } from "../../lifecycle/draft";
import { runInFlight, settleInFlight } from "../../lifecycle/in-flight";
import type { Kind, Plan, RecordedObject } from "../../lifecycle/kind";
import { whereOnline } from "../../lifecycle/offline";
import type { Run } from "../../lifecycle/run";
import type { Finding } from "../../model/finding";
import { asDeclared } from "../../model/policies/declared-policy";
import { loggingSince, tooEarlyFindings } from "../../model/policies/log-time";
import { deletesOthers, keepersOf, policyEffects } from "../../model/policies/policy-effects";
import type { PolicyList } from "../../model/policies/policy-list";
import { isUnknown } from "../../model/unknown";
import { parseZoneId } from "../../model/zone-id";
import { changeFindings } from "../csp-policy/impact";
import { missingFindings, notAlone, notAloneFindings, placeFindings } from "../csp-policy/zone-findings";
import { ZonePolicies } from "../csp-policy/zone-policies";
import {
  findChangedEntries,
  importedPolicies,
  type PolicyRecord,
  policiesInRecordedSpelling,
  readEntries,
  readRecords,
  recordedPolicy,
  splitIntoMaps,
} from "./entries";
import { makeSetPlan } from "./plan";
import {
  declaredFindings,
  findUndeclared,
  labelPolicies,
  leavingFindings,
  readOthers,
  undeclaredFindings,
} from "./set-findings";
import { type Inputs, type RecordedEntry, type State, shape, stateSchema } from "./state";
import { mostInFlight, sync } from "./sync";

export const cspPolicySet: Kind<Inputs, State> = {
  name: "CspPolicySet",
  ...makeSchemas(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: false,
  parts: ["policies"],
  inZone: { object: "policy", effects: policyEffects, keepersOf, takesOthers: deletesOthers },
  outputs: { policyIds: [], undeclared: [], loggingSince: [], impact: [] },

  inspect: ({ values, wanted }) => declaredFindings(values, wanted),
  inRecordedSpelling: ({ recorded, declared }) => policiesInRecordedSpelling(recorded, declared),
  changedInputs: ({ state, values }) => {
    const arePoliciesChanged =
      isUnknown(values["policies"]) ||
      readEntries(state).size !== readEntries(values).size ||
      findChangedEntries(state, values).length > 0;
    const others = findChangedNames(state, values, { onDestroy: "delete", others: "keep" });
    return arePoliciesChanged ? ["policies", ...others] : others;
  },

  rivals({ name, values, beside }) {
    const zone = parseZoneId(values["zoneId"]);
    if (zone === undefined || readOthers(values) === "keep") return [];
    const other = beside.find(
      ({ object, args }) => object === "policy" && parseZoneId(args["zoneId"]) === zone,
    );
    return other === undefined ? [] : [notAlone(name, other.name)];
  },

  claim({ run, draft: { values, urn }, recorded, isReplaced }) {
    const rivals = notAloneFindings(run, values, urn, readOthers(values) !== "keep");
    if (!recorded) return { rivals };
    const { id, state } = recorded;
    const { ownership } = new ZonePolicies(run, id);
    const ids = Object.values(state.policyIds ?? {});
    if (isReplaced) for (const policyId of ids) ownership.prepareReplacement(policyId, urn, state.onDestroy);
    else {
      for (const policyId of ids) ownership.claim(policyId, urn);
      // The update of the set deletes policies that the set no longer declares. Until then, other resources can adopt them.
      const { dropped } = makeSetPlan(state, values, (policyId) => ownership.belongsTo(policyId, urn));
      for (const { policyId } of dropped) ownership.release(policyId, urn);
    }
    return { rivals };
  },

  async plan({ run, draft, recorded }) {
    const { values } = draft;
    const changed = findChangedEntries(recorded?.inputs ?? {}, values);
    const beforeCreate = recorded ? undefined : async () => (await zonePlan(run, draft)).findings;
    const findings = await changeFindings(run, values, changed, beforeCreate);
    if (!recorded) return { findings, needsUpdate: false };
    const update = await zonePlan(run, draft, recorded);
    return { ...update, findings: [...findings, ...update.findings] };
  },

  async create({ run, inputs, urn }) {
    return { id: inputs.zoneId, state: await sync({ run, id: inputs.zoneId, state: {}, inputs, urn }) };
  },

  async read({ run, id, state, isRecorded }) {
    const zone = new ZonePolicies(run, id, state.connection);
    const list = await zone.unlessGone(() => zone.list());
    if (!list) return undefined;
    // A set that is being imported has no state yet.
    const before = state.policies ? readRecords(state) : importedPolicies(list.all());
    const found = await runInFlight(mostInFlight, before, ({ policyId }) => zone.live(policyId));
    const records = before.flatMap((record, index): PolicyRecord[] => {
      const live = found[index];
      if (!live) return [];
      const policy = recordedPolicy(record);
      const { description, ...words } = asDeclared(policy, live);
      const isDefault = record.policy.description === undefined && description === record.key;
      const seen = { ...words, ...(!isDefault && { description }) } as RecordedEntry;
      return [{ ...record, policy: seen, since: loggingSince(run.now(), policy, live) }];
    });
    const own = new Set([...before.map(({ policyId }) => policyId), ...Object.keys(state.released ?? {})]);
    const others = list.all().filter(({ policyId }) => !own.has(policyId));
    const undeclared = readOthers(state) === "keep" ? undefined : labelPolicies(others);
    const { policies, policyIds, loggingSince: since } = splitIntoMaps(records);
    const loggingSinceNow = isRecorded ? since : undefined;
    const after = { ...state, zoneId: id, policies, policyIds, loggingSince: loggingSinceNow, undeclared };
    const inputs = Object.entries(after).filter(([name]) => Object.hasOwn(shape, name));
    return {
      inputs: { ...Object.fromEntries(inputs), impact: state.impactLevel },
      state: after,
      hasDrifted: JSON.stringify(undeclared ?? []) !== JSON.stringify(state.undeclared ?? []),
    };
  },

  update: sync,

  async delete({ run, id, state }) {
    if (state.onDestroy === "keep") return;
    const zone = new ZonePolicies(run, id, state.connection);
    const ended = await settleInFlight(mostInFlight, Object.values(state.policyIds ?? {}), (policyId) =>
      zone.unlessGone(() => zone.delete(policyId)),
    );
    const failure = ended.find(({ error }) => error !== undefined);
    // The next destroy deletes the remaining policies.
    if (failure) throw failure.error;
  },
};

/** Plans a create or an update of a set, from the state and the zone. */
async function zonePlan(
  run: Run,
  { values, known, unknown, urn }: Draft<Inputs>,
  { id, state }: RecordedObject<State> = { id: String(known.zoneId), state: {} },
): Promise<Plan> {
  const zone = new ZonePolicies(run, id, known.connection);
  const plan = makeSetPlan(state, values, (policyId) => zone.ownership.belongsTo(policyId, urn));
  const inList = <T>(find: (list: PolicyList) => readonly T[]) =>
    unknown.has("connection") ? [] : whereOnline(async () => find(await zone.list()), []);
  const others = readOthers(values);
  const findings: Finding[] = [];
  let needsUpdate = plan.lost.length > 0 || state.released !== undefined;
  if (others !== "keep") {
    const undeclared = await inList((list) => findUndeclared(list, plan, state, zone.ownership, urn));
    needsUpdate ||= undeclared.length > 0;
    findings.push(...undeclaredFindings(others, zone.ownership.named, undeclared, plan));
  }
  findings.push(...leavingFindings(plan, zone.ownership, values, state));
  const entries = readEntries(values);
  for (const { key, record } of plan.kept) {
    const [before, now] = [recordedPolicy(record), entries.get(key) ?? {}];
    findings.push(...placeFindings(key, tooEarlyFindings(run.now(), known.minimumLogDays, before, now)));
  }
  // A new set always reads the zone, to find out whether the token and the zone's plan allow policies.
  if (plan.missing.length > 0 || !state.policyIds)
    findings.push(...(await inList((list) => missingFindings(plan.missing, list, zone, values))));
  return { findings, needsUpdate };
}
