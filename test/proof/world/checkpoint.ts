import { isDeepStrictEqual } from "node:util";
import type { ZoneRule } from "../../../provider/src/simulator";
import type { Backup, Properties } from "../../small-engine/checkpoint";
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
 * Rules of an entry point's record that only what they say can find: those without an id (a write that nobody answered),
 * all of them where none of the recorded ids is in the list (a migration, an old checkpoint).
 */
export function rulesKnownByContent(outputs: Properties, live: readonly ZoneRule[]): Properties[] {
  const rules: unknown = outputs["rules"];
  const ours = Array.isArray(rules) ? rules.filter(({ foreign }: Properties) => foreign !== true) : [];
  const ids = new Set(ruleIdsIn(outputs));
  return live.some(({ id }) => ids.has(id)) ? ours.filter(({ id }: Properties) => id === undefined) : ours;
}

/** Whether a recorded rule says what the live one does. */
export function isSaid(record: Properties, { action, description, expression }: ZoneRule): boolean {
  return isDeepStrictEqual(
    [record["action"], record["description"], record["expression"]],
    [action, description, expression],
  );
}

/** Rules of a zone's list that count as the stack's although no id says so: docs/decisions/0010-whose-a-rule-is.md. */
export function ruleIdsByContent(backup: Backup, zone: Zone, live: readonly ZoneRule[]): string[] {
  return recordedIn(backup, zone, "e").flatMap((outputs) => {
    const known = rulesKnownByContent(outputs, live);
    const { rules = [], taken = [] } = Object(outputs["initial"]);
    const found = ruleIdsIn({ rules }).filter((id) => !taken.includes(id));
    const others = new Set([...found, ...Object(outputs["foreignIds"] ?? [])]);
    return live
      .filter((rule) => !others.has(rule.id) && known.some((record) => isSaid(record, rule)))
      .map(({ id }) => id);
  });
}

function policyIdsIn({ policyId, policyIds }: Properties): string[] {
  const ids = Object.values(Object(policyIds ?? {})).map(String);
  return typeof policyId === "string" ? [policyId, ...ids] : ids;
}

function all({ state, pending }: Backup): { name: string; outputs: Properties }[] {
  return [...state.map(([name, { outputs }]) => ({ name, outputs })), ...pending];
}
