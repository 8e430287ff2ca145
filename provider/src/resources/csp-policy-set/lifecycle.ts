import type { ConnectionArgs } from "../../api/client-types";
import type { Finding } from "../../lifecycle/finding";
import { unlessZoneGone } from "../../lifecycle/gone-zone";
import { inFlight } from "../../lifecycle/in-flight";
import type { Kind, Properties } from "../../lifecycle/kind";
import { whereOnline } from "../../lifecycle/offline";
import { PartialFailure } from "../../lifecycle/partial-failure";
import type { Run } from "../../lifecycle/run";
import { isSameZone } from "../../lifecycle/same-zone";
import { tell } from "../../lifecycle/tell";
import { containsUnknown } from "../../lifecycle/unknown";
import { urnParts } from "../../lifecycle/urn";
import { declaredText } from "../csp-policy/declared-policy";
import { declaredService } from "../csp-policy/declared-service";
import { asDeclared, livePolicy } from "../csp-policy/live-policy";
import { earliestAllow, loggingSince, reports } from "../csp-policy/log-time";
import { notAlone, rivalFindings } from "../csp-policy/rivals";
import { zonePolicies } from "../csp-policy/zone-policies";
import { apply, mostInFlight } from "./apply";
import { handedOver, noteBeside, policiesBeside, unclearFindings } from "./beside";
import { atKey } from "./by-key";
import { changedKeys, entriesOf, inRecordedWords } from "./entries";
import { SetFailure } from "./outcome";
import { planFor } from "./partly-known";
import { planOf, type Recorded, recordedPolicy } from "./plan";
import { recordAfter, textOf } from "./recorded";
import {
  blockingFindings,
  declaredFindings,
  findingsAt,
  missingFindings,
  sentActionFindings,
  unlookedFindings,
} from "./set-findings";
import { type Inputs, inputsSchema, type State, shape, stateSchema } from "./state";
import { labelsOf, namedFor, type Others, undeclaredFindings, undeclaredIn } from "./undeclared";

export const cspPolicySet: Kind<Inputs, State> = {
  name: "CspPolicySet",
  shape,
  replacedBy: ["zoneId"],
  onePerZone: false,
  parseInputs: (inputs) => inputsSchema.parse(inputs),
  parseState: (state) => stateSchema.parse(state),

  inspect: (inputs, wanted) =>
    declaredFindings(inputs, wanted, () =>
      // The provider process knows its connection better, and asks before it changes anything.
      wanted === "all" ? declaredService(inputs["connection"]) : undefined,
    ),

  inRecordedWords,

  rivals(run, now, urn) {
    const isExact = othersOf(now) !== "keep";
    const rivals = rivalFindings(run, now, urn, isExact ? "exact set" : "set");
    if (rivals.length > 0 || !isExact) return rivals;
    // A run with targets checks these alone: who is beside it is known by the program only.
    const [beside] = policiesBeside(run, urn, String(now["zoneId"])).inZone;
    return beside === undefined ? [] : [notAlone(urnParts(urn).name, beside)];
  },
  noteBeside,

  changedInputs(recorded, declared) {
    const changed = changedKeys(recorded, declared).size > 0 ? ["policies"] : [];
    if (!isSameZone(recorded["zoneId"], declared["zoneId"])) changed.push("zoneId");
    if ((recorded["onDestroy"] ?? "delete") !== (declared["onDestroy"] ?? "delete"))
      changed.push("onDestroy");
    if (othersOf(recorded) !== othersOf(declared)) changed.push("others");
    return changed;
  },

  async preflight(run, { before, now, urn }) {
    if (containsUnknown(now["zoneId"])) return [];
    const findings = sentActionFindings(run, now);
    if (findings.length > 0) return findings;
    const created = before === undefined ? await whereOnline(() => beforeCreate(run, now, urn)) : [];
    return [...created, ...(await blockingFindings(run, now, before))];
  },

  unlooked: (run, { before, now }) => unlookedFindings(run, now, before),

  matters: (before, now) => changedKeys(before, now).size > 0,

  noteDeclared(run, id, state, urn, declared) {
    const zone = zonePolicies(run, id);
    for (const { policyId } of planFor(zone, urn, state, declared).kept) zone.declare(policyId, urn);
  },

  noteReplaced(run, id, { policyIds = {}, onDestroy }, urn) {
    const zone = zonePolicies(run, id);
    for (const policyId of Object.values(policyIds)) zone.giveUp(policyId, urn, onDestroy);
  },

  async look(run, id, state, now, urn) {
    const others = othersOf(now);
    const zone = zonePolicies(run, id);
    const isLost = Object.values(state.policyIds ?? {}).some((policyId) => zone.takenFrom(policyId, urn));
    if (others === "keep" || containsUnknown(now["connection"])) return { findings: [], needsUpdate: isLost };
    const list = await zone.list(run.client(now["connection"] as ConnectionArgs | undefined), id);
    const plan = planFor(zone, urn, state, now);
    const undeclared = undeclaredIn(list, plan, zone);
    return {
      findings: undeclaredFindings(run, urn, others, undeclared, plan.unclear),
      needsUpdate: isLost || undeclared.length > 0,
    };
  },

  async beforeUpdate(run, id, state, now, urn) {
    const entries = entriesOf(now);
    if (!entries) return [];
    const zone = zonePolicies(run, id);
    const plan = planFor(zone, urn, state, now);
    const beside = policiesBeside(run, urn, id);
    const findings: Finding[] = unclearFindings(plan, beside);
    for (const { key, policyId } of plan.dropped) {
      const old = recordedPolicy(
        key,
        atKey(state.policies, key),
        atKey(state.policies, key)?.description ?? key,
      );
      if (beside.countOf(old) === 0) zone.noteAboutToDrop(policyId, urn);
    }
    for (const { key, recordedKey } of plan.kept) {
      findings.push(...findingsAt(key, tooEarly(run, state, recordedKey, entries.get(key) ?? {}, now)));
    }
    if (plan.missing.length === 0 || containsUnknown(now["connection"])) return findings;
    const missing = await whereOnline(async () => {
      const list = await zone.list(run.client(now["connection"] as ConnectionArgs | undefined), id);
      return missingFindings(plan, list, zone, now);
    });
    return [...findings, ...missing];
  },

  async create(run, inputs, urn) {
    return { id: inputs.zoneId, state: await sync(run, inputs.zoneId, {}, inputs, urn) };
  },

  async read(run, id, state) {
    const zone = zonePolicies(run, id);
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
      zone.noteLogging(policyId, logs);
      if (state.onDestroy !== "keep") zone.noteRecorded(policyId);
    }
    const own = new Set(policyIds.map(([, policyId]) => policyId));
    const others = othersOf(state);
    const undeclared =
      others === "keep"
        ? undefined
        : labelsOf(list.all().filter(({ policyId }) => !own.has(policyId) && !zone.isAccountedFor(policyId)));
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
      state: { ...kept, policyIds: ids, loggingSince: since, impact, impactLevel, undeclared },
      hasDrifted: JSON.stringify(undeclared ?? []) !== JSON.stringify(state.undeclared ?? []),
    };
  },

  update: (run, id, state, inputs, urn) => sync(run, id, state, inputs, urn),

  async delete(run, id, state) {
    if (state.onDestroy === "keep") return;
    const zone = zonePolicies(run, id);
    const client = run.client(state.connection);
    const policyIds = Object.values(state.policyIds ?? {});
    const ended = await inFlight(mostInFlight, policyIds, async (policyId) => {
      // Another resource of this run has it: a successor, a CspPolicy or another set.
      if (zone.isOwnedElseLetGo(policyId)) return;
      await unlessZoneGone(client, id, () => client.deletePolicy(id, policyId));
    });
    const failure = ended.find(({ error }) => error !== undefined);
    // What is gone already is gone: the next destroy does the rest.
    if (failure) throw failure.error;
  },
};

/** Brings the zone to what is declared, and gives the record of it: of all, or of the part that is surely so. */
async function sync(run: Run, zoneId: string, state: State, inputs: Inputs, urn: string): Promise<State> {
  const client = run.client(inputs.connection);
  const zone = zonePolicies(run, zoneId);
  const plan = planOf(
    recordOf(state),
    inputs.policies,
    (policyId) => zone.takenFrom(policyId, urn) !== undefined,
  );
  const beside = policiesBeside(run, urn, zoneId);
  // 1. Observe, where the record alone can't tell.
  const others = othersOf(inputs);
  const needsList =
    plan.missing.length > 0 ||
    state.incomplete === true ||
    others === "delete" ||
    (plan.dropped.length > 0 && beside.known.length > 0);
  const list = needsList ? await zone.list(client, zoneId) : undefined;
  const undeclared =
    list && others === "delete"
      ? undeclaredIn(list, plan, zone).filter(({ policyId }) => namedFor(run, urn).has(policyId))
      : [];
  // 2. Ensure and sync.
  const outcome = await apply({
    client,
    zone,
    zoneId,
    plan,
    live: state.incomplete === true ? list : undefined,
    undeclared: undeclared.map(({ policyId }) => policyId),
    handedOver: list ? handedOver(plan, list, beside, zone) : new Set(),
    urn,
    reserved: (wanted, now) => beside.lacking(wanted, now, zone),
    warn: (finding) => tell(run, finding, { urn, zoneId }),
  });
  const record = recordAfter(run, zone, inputs, state, plan, outcome);
  const after =
    others === "keep"
      ? record
      : { ...record, undeclared: labelsOf(undeclared.filter(({ policyId }) => outcome.left.has(policyId))) };
  if (outcome.failed.size + outcome.left.size === 0) return after;
  // 3. A part of it: recorded by key, so that the next run does the rest.
  const failure = new SetFailure(outcome, Object.keys(inputs.policies).length);
  const isNothingDone = Object.keys(record.policyIds ?? {}).length === 0 && Object.keys(state).length === 0;
  if (isNothingDone) throw failure;
  throw new PartialFailure(zoneId, after, failure);
}

async function beforeCreate(run: Run, now: Properties, urn: string): Promise<Finding[]> {
  const zoneId = String(now["zoneId"]);
  const zone = zonePolicies(run, zoneId);
  const list = await zone.list(run.client(now["connection"] as ConnectionArgs | undefined), zoneId);
  const plan = planFor(zone, urn, {}, now);
  return [
    ...missingFindings(plan, list, zone, now),
    ...undeclaredFindings(run, urn, othersOf(now), undeclaredIn(list, plan, zone), plan.unclear),
  ];
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

function recordOf({ policies = {}, policyIds = {} }: State): Recorded {
  return { policies, policyIds };
}

function othersOf({ others }: { readonly others?: unknown } | Properties): Others {
  return others === "refuse" || others === "delete" ? others : "keep";
}
