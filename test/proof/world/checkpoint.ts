import type { ZoneRule } from "../../../simulator/src";
import type { Backup, Properties } from "../../provider/small-engine/checkpoint";
import { type Declarations, type Zone, zones } from "./declarations";

/** Ids of policies and rules that a checkpoint holds, also of what is to be deleted yet. */
export function recordedIds(backup: Backup): Set<string> {
  return new Set(all(backup).flatMap(({ outputs }) => [...policyIdsIn(outputs), ...ruleIdsIn(outputs)]));
}

/** Policies that a checkpoint holds and that stay in the zone whatever becomes of their resource. */
export function keptIds(backup: Backup): Set<string> {
  const keeping = all(backup).filter(({ outputs }) => outputs["onDestroy"] === "keep");
  return new Set(keeping.flatMap(({ outputs }) => policyIdsIn(outputs)));
}

/** Those of them whose resource is not declared any more, as far as no other one has them on record to delete them. */
export function releasedIds({ state, pending }: Backup, program: Declarations): Set<string> {
  const gone = state.flatMap(([name]) => (program.has(name) ? [] : [name]));
  const deleting = all({ state, pending: [] }).filter(({ outputs }) => outputs["onDestroy"] !== "keep");
  const doomed = new Set([...deleting, ...pending].flatMap(({ outputs }) => policyIdsIn(outputs)));
  const kept = keptIds({ state, pending: [] });
  return new Set([...policyIdsOf({ state, pending }, gone)].filter((id) => kept.has(id) && !doomed.has(id)));
}

/** Policies of the named resources, as far as no other one has them on record too. */
export function policyIdsOf({ state }: Backup, names: readonly string[]): Set<string> {
  const idsOf = (isWanted: (name: string) => boolean) =>
    state.flatMap(([name, { outputs }]) => (isWanted(name) ? policyIdsIn(outputs) : []));
  const others = new Set(idsOf((name) => !names.includes(name)));
  return new Set(idsOf((name) => names.includes(name)).filter((id) => !others.has(id)));
}

/** Name, or name and key, to the id on record, for a zone's policies. */
export function policyIdsByName({ state }: Backup, zone: Zone): Map<string, string> {
  const ids = new Map<string, string>();
  for (const [name, { outputs }] of state) {
    if (outputs["zoneId"] !== zones[zone]) continue;
    if (typeof outputs["policyId"] === "string") ids.set(name, outputs["policyId"]);
    for (const [key, id] of Object.entries(Object(outputs["policyIds"] ?? {})))
      ids.set(`${name}.${key}`, String(id));
  }
  return ids;
}

/** Rules of a zone that are on record, also those that a refresh has found and that are somebody else's. */
export function ruleIdsOf({ state }: Backup, zone: Zone): string[] {
  return state.flatMap(([, { outputs }]) =>
    outputs["zoneId"] === zones[zone] ? ruleIdsIn(outputs, true) : [],
  );
}

/** Names of a zone's resources of one kind, by its letter. */
export function namesIn({ state }: Pick<Backup, "state">, zone: Zone, letter: string): string[] {
  return state
    .filter(([name, { outputs }]) => name.startsWith(letter) && outputs["zoneId"] === zones[zone])
    .map(([name]) => name);
}

/** What the checkpoint holds of a zone, also what is to be deleted yet. */
export function recordedIn(backup: Backup, zone: Zone, letter: string): Properties[] {
  return all(backup)
    .filter(({ name, outputs }) => name.startsWith(letter) && outputs["zoneId"] === zones[zone])
    .map(({ outputs }) => outputs);
}

/** Ids of rules of entry points that have made room for another one of the zone. */
export function ruleIdsOfGone(before: Backup, now: Backup, zone: Zone): string[] {
  const names = namesIn(now, zone, "e");
  const gone = namesIn(before, zone, "e").filter((name) => !names.includes(name));
  const outputs = [
    ...before.state.filter(([name]) => gone.includes(name)).map(([, one]) => one.outputs),
    ...before.pending.filter((one) => one.outputs["zoneId"] === zones[zone]).map((one) => one.outputs),
  ];
  return outputs.flatMap((one) => ruleIdsIn(one));
}

export function ruleIdsIn(outputs: Properties, isWithForeign = false): string[] {
  const rules: unknown = outputs["rules"];
  if (!Array.isArray(rules)) return [];
  // What a refresh has found of others is on record as theirs.
  return rules.flatMap(({ id, foreign }: Properties) =>
    typeof id === "string" && (isWithForeign || foreign !== true) ? [id] : [],
  );
}

/**
 * Live rules that an entry point's record may mean by what they say: where nobody has told their ids (its write was not
 * answered), or none of the recorded ids is there any more. Never those that it knows to be somebody else's.
 */
export function meantByContent(outputs: Properties, live: readonly ZoneRule[]): readonly ZoneRule[] {
  const { rules, initial, foreignIds } = outputs;
  if (!Array.isArray(rules)) return [];
  const ours: Properties[] = rules.filter(({ foreign }: Properties) => foreign !== true);
  const areAllGone = !ours.some(({ id }) => live.some((rule) => rule.id === id));
  const sought = ours.filter(({ id }) => id === undefined || areAllGone);
  const { rules: found = [], taken = [] } = Object(initial);
  const known = new Set(found.map(({ id }: Properties) => id));
  for (const id of taken) known.delete(id);
  for (const id of Array.isArray(foreignIds) ? foreignIds : []) known.add(id);
  const isMeant = (rule: ZoneRule) =>
    sought.some(
      ({ action, expression, description }) =>
        rule.action === action && rule.expression === expression && rule.description === description,
    );
  return live.filter((rule) => !known.has(rule.id) && isMeant(rule));
}

function policyIdsIn({ policyId, policyIds }: Properties): string[] {
  const ids = Object.values(Object(policyIds ?? {})).map(String);
  return typeof policyId === "string" ? [policyId, ...ids] : ids;
}

function all({ state, pending }: Backup): { name: string; outputs: Properties }[] {
  return [...state.map(([name, { outputs }]) => ({ name, outputs })), ...pending];
}
