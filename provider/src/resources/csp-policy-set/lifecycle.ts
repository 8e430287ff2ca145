import { changedNames } from "../../lifecycle/changed-inputs";
import { type Draft, schemasOf } from "../../lifecycle/draft";
import { errorsOf, type Finding } from "../../lifecycle/finding";
import { unlessZoneGone } from "../../lifecycle/gone-zone";
import { inFlight } from "../../lifecycle/in-flight";
import type { Kind, Plan, Properties, Recorded } from "../../lifecycle/kind";
import { whereOnline } from "../../lifecycle/offline";
import type { Run } from "../../lifecycle/run";
import { urnParts } from "../../lifecycle/urn";
import { declaredText } from "../../policies/declared-policy";
import { declaredService } from "../../policies/declared-service";
import { asDeclared, livePolicy } from "../../policies/live-policy";
import { earliestAllow, loggingSince, reports } from "../../policies/log-time";
import { notAlone, rivalFindings } from "../../policies/rivals";
import { zonePolicies } from "../../policies/zone-policies";
import { mostInFlight } from "./apply";
import { policiesBeside, unclearFindings } from "./beside";
import { atKey } from "./by-key";
import { changedKeys, entriesOf, inRecordedWords } from "./entries";
import { planFor } from "./partly-known";
import { recordedPolicy, type Plan as SetPlan } from "./plan";
import { planInZone } from "./plan-in-zone";
import { textOf } from "./recorded";
import { dueFindings, releasedNow, releasedThere } from "./released";
import {
  blockingFindings,
  declaredFindings,
  findingsAt,
  missingFindings,
  sentActionFindings,
  unlookedFindings,
} from "./set-findings";
import { type Inputs, type State, shape, stateSchema } from "./state";
import { sync } from "./sync";
import { labelsOf, othersOf, undeclaredFindings, undeclaredIn } from "./undeclared";

export const cspPolicySet: Kind<Inputs, State> = {
  name: "CspPolicySet",
  ...schemasOf(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: false,

  inspect: ({ values }, wanted) =>
    declaredFindings(values, wanted, () =>
      // The provider process knows its connection better, and asks before it changes anything.
      wanted === "all" ? declaredService(values["connection"]) : undefined,
    ),
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
        claims.giveUp(policyId, urn, state.onDestroy);
      return { rivals };
    }
    for (const { policyId, key } of planFor(claims, urn, state, values).kept) claims.hold(policyId, urn, key);
    if (state.released === undefined) return { rivals };
    const beside = policiesBeside(run, urn, id);
    for (const [policyId, labels] of Object.entries(state.released)) {
      const takers = Object.keys(labels).filter((label) => beside.mayHave(label));
      claims.release(policyId, urn, takers);
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

  async read(run, id, state) {
    const zone = zonePolicies(run, id);
    const { claims } = zone;
    const client = run.client(state.connection);
    const policyIds = Object.entries(state.policyIds ?? {});
    const list = await unlessZoneGone(client, id, () => zone.list(client, id));
    if (!list) return undefined;
    const looked = await inFlight(mostInFlight, policyIds, ([, policyId]) =>
      livePolicy(client, zone, id, policyId),
    );
    const policies: Record<string, Inputs["policies"][string]> = {};
    const ids: Record<string, string> = {};
    const since: Record<string, string> = {};
    for (const { item, result: live, error } of looked) {
      if (error !== undefined) throw error;
      const [key, policyId] = item;
      const entry = atKey(state.policies, key);
      if (!live || !entry) continue;
      const before = { ...entry, description: entry.description ?? key };
      const { description, ...found } = asDeclared(before, textOf(entry), live);
      const isDefault = entry.description === undefined && description === key;
      policies[key] = { ...found, ...(!isDefault && { description }) } as Inputs["policies"][string];
      ids[key] = policyId;
      const logs = loggingSince(
        run.now(),
        { ...before, value: textOf(entry), loggingSince: atKey(state.loggingSince, key) },
        live,
      );
      if (logs !== undefined) since[key] = logs;
      claims.noteRecorded(policyId, logs, state.onDestroy === "keep");
    }
    const released = await releasedThere(client, zone, id, state);
    const own = new Set([...policyIds.map(([, policyId]) => policyId), ...Object.keys(released)]);
    const others = othersOf(state);
    const undeclared =
      others === "keep"
        ? undefined
        : labelsOf(
            list.all().filter(({ policyId }) => !own.has(policyId) && !claims.isAccountedFor(policyId)),
          );
    const kept = {
      zoneId: id,
      policies,
      others: state.others,
      onDestroy: state.onDestroy,
      lint: state.lint,
      minimumLogDays: state.minimumLogDays,
      connection: state.connection,
    };
    const { impactLevel, impact } = state;
    return {
      inputs: { ...kept, impact: impactLevel },
      state: {
        ...kept,
        policyIds: ids,
        loggingSince: since,
        impact,
        impactLevel,
        undeclared,
        ...(Object.keys(released).length > 0 && { released }),
      },
      hasDrifted: JSON.stringify(undeclared ?? []) !== JSON.stringify(state.undeclared ?? []),
    };
  },

  update: (run, id, state, inputs, urn) => sync(run, id, state, inputs, urn),

  async delete(run, id, state) {
    const zone = zonePolicies(run, id);
    const client = run.client(state.connection);
    const own = state.onDestroy === "keep" ? [] : Object.values(state.policyIds ?? {});
    const ended = await inFlight(
      mostInFlight,
      [...own, ...Object.keys(state.released ?? {})],
      async (policyId) => {
        // Another resource of this run has it: a successor, a CspPolicy or another set.
        if (!zone.claims.mayDelete(policyId)) return;
        await unlessZoneGone(client, id, () => zone.delete(client, id, policyId));
      },
    );
    const failure = ended.find(({ error }) => error !== undefined);
    // What is gone already is gone: the next destroy does the rest.
    if (failure) throw failure.error;
  },
};

/** An exact set decides on all policies of its zone. */
function rivalsOf(run: Run, values: Properties, urn: string): readonly Finding[] {
  const isExact = othersOf(values) !== "keep";
  const rivals = rivalFindings(run, values, urn, isExact ? "exact set" : "set");
  if (rivals.length > 0 || !isExact) return rivals;
  // A run with targets checks these alone: who is beside it is known by the program only.
  const [beside] = policiesBeside(run, urn, String(values["zoneId"])).inZone;
  return beside === undefined ? [] : [notAlone(urnParts(urn).name, beside)];
}

/** What is found of policies that are new or changed. `before`: the inputs of the last update. */
async function declaredInZone(
  run: Run,
  draft: Draft<Inputs>,
  before: Properties | undefined,
): Promise<Finding[]> {
  const { values, unknown } = draft;
  if (unknown.has("zoneId") || unknown.has("connection")) return unlookedFindings(run, values, before);
  if (before !== undefined && changedKeys(before, values).size === 0) return [];
  const findings = sentActionFindings(run, values);
  if (findings.length > 0) return findings;
  const created = before === undefined ? await whereOnline(() => beforeCreate(run, draft)) : [];
  return [...created, ...(await blockingFindings(run, values, before))];
}

async function beforeCreate(run: Run, { values, known, urn }: Draft<Inputs>): Promise<Finding[]> {
  const { zoneId = "", connection } = known;
  const zone = zonePolicies(run, zoneId);
  const list = await zone.list(run.client(connection), zoneId);
  const plan = planFor(zone.claims, urn, {}, values);
  return [
    ...missingFindings(plan, list, zone, values),
    ...undeclaredFindings(run, urn, othersOf(values), undeclaredIn(list, plan, zone.claims), plan.unclear),
  ];
}

/** What the zone has besides, and whether the set has lost something or has to decide on what it released. */
async function othersInZone(
  run: Run,
  { values, known, unknown, urn }: Draft<Inputs>,
  { id, state }: Recorded<State>,
): Promise<Plan> {
  const zone = zonePolicies(run, id);
  const { claims } = zone;
  const isLost = Object.values(state.policyIds ?? {}).some((policyId) => claims.takenFrom(policyId, urn));
  const isReleased =
    state.released !== undefined && releasedNow(state, policiesBeside(run, urn, id), claims).needsUpdate;
  const needsUpdate = isLost || isReleased;
  const others = othersOf(values);
  if (others === "keep" || unknown.has("connection")) return { findings: [], needsUpdate };
  const plan = planFor(claims, urn, state, values);
  const undeclared = await whereOnline(async () => {
    const list = await zone.list(run.client(known.connection), id);
    return undeclaredIn(list, plan, claims, state);
  });
  return {
    findings: undeclaredFindings(run, urn, others, undeclared, plan.unclear),
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
  const zone = zonePolicies(run, id);
  const { claims } = zone;
  const beside = policiesBeside(run, urn, id);
  const first = planFor(claims, urn, state, values);
  let plan: SetPlan = first;
  const isDue = first.missing.length > 0 || releasedNow(state, beside, claims).needsUpdate;
  const found = await whereOnline(async () => {
    if (!isDue || unknown.has("connection")) return [];
    const list = await zone.list(run.client(known.connection), id);
    const { due } = releasedNow(state, beside, claims, list);
    const inZone = planInZone(first, list, { state, declared: first.declared, due, beside, claims });
    plan = inZone.plan;
    return [...dueFindings(due, inZone.handed, list), ...missingFindings(plan, list, zone, values)];
  });
  const findings: Finding[] = [...unclearFindings(plan, beside)];
  for (const { key, policyId } of plan.dropped) {
    const entry = atKey(state.policies, key);
    const old = recordedPolicy(key, entry, entry?.description ?? key);
    if (beside.declaring(old).length === 0) claims.release(policyId, urn, []);
  }
  for (const { key, recordedKey } of plan.kept) {
    findings.push(...findingsAt(key, tooEarly(run, state, recordedKey, entries.get(key) ?? {}, values)));
  }
  return [...findings, ...found];
}

function tooEarly(run: Run, state: State, key: string, entry: Properties, now: Properties): Finding[] {
  const days = now["minimumLogDays"];
  const before = atKey(state.policies, key);
  if (typeof days !== "number" || !before || !reports(before.action) || entry["action"] !== "allow")
    return [];
  const logged = { ...before, value: textOf(before), loggingSince: atKey(state.loggingSince, key) };
  const finding = earliestAllow(run.now(), days, logged, textIn(entry), entry["expression"]);
  return finding ? [finding] : [];
}

function textIn(entry: Properties): string | undefined {
  const text = declaredText(entry);
  return typeof text === "string" ? text : undefined;
}
