import type { ZoneRule } from "../../../simulator/src";
import type { Backup, Properties } from "../../provider/small-engine/checkpoint";
import { type Declarations, type Zone, zones } from "./declarations";

/** Returns the ids of policies and rules in a checkpoint, also of resources that wait for their deletion. */
export function recordedIds(backup: Backup): Set<string> {
  return new Set(all(backup).flatMap(({ outputs }) => [...policyIdsIn(outputs), ...ruleIdsIn(outputs)]));
}

/** Returns the policies in a checkpoint that stay in the zone when their resource is deleted (`onDestroy: "keep"`). */
export function keptIds(backup: Backup): Set<string> {
  const keeping = all(backup).filter(({ outputs }) => outputs["onDestroy"] === "keep");
  return new Set(keeping.flatMap(({ outputs }) => policyIdsIn(outputs)));
}

/** Returns those of the kept policies whose resource is no longer declared, unless another resource would delete them. */
export function releasedIds({ state, pending }: Backup, program: Declarations): Set<string> {
  const gone = state.flatMap(([name]) => (program.has(name) ? [] : [name]));
  const deleting = all({ state, pending: [] }).filter(({ outputs }) => outputs["onDestroy"] !== "keep");
  const doomed = new Set([...deleting, ...pending].flatMap(({ outputs }) => policyIdsIn(outputs)));
  const kept = keptIds({ state, pending: [] });
  return new Set([...policyIdsOf({ state, pending }, gone)].filter((id) => kept.has(id) && !doomed.has(id)));
}

/** Returns the policies that only the named resources have in the state. */
export function policyIdsOf({ state }: Backup, names: readonly string[]): Set<string> {
  const idsOf = (isWanted: (name: string) => boolean) =>
    state.flatMap(([name, { outputs }]) => (isWanted(name) ? policyIdsIn(outputs) : []));
  const others = new Set(idsOf((name) => !names.includes(name)));
  return new Set(idsOf((name) => names.includes(name)).filter((id) => !others.has(id)));
}

/** Returns the ids of a zone's policies in the state, by name, or by name and key. */
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

/** Returns the rules of a zone in the state, also unmanaged ones that a refresh has found. */
export function ruleIdsOf({ state }: Backup, zone: Zone): string[] {
  return state.flatMap(([, { outputs }]) =>
    outputs["zoneId"] === zones[zone] ? ruleIdsIn(outputs, true) : [],
  );
}

/** Returns the names of a zone's resources of one kind. `letter` is the first letter of such names. */
export function namesIn({ state }: Pick<Backup, "state">, zone: Zone, letter: string): string[] {
  return state
    .filter(([name, { outputs }]) => name.startsWith(letter) && outputs["zoneId"] === zones[zone])
    .map(([name]) => name);
}

/** Returns the outputs of a zone's resources of one kind, also of those that wait for their deletion. */
export function recordedIn(backup: Backup, zone: Zone, letter: string): Properties[] {
  return all(backup)
    .filter(({ name, outputs }) => name.startsWith(letter) && outputs["zoneId"] === zones[zone])
    .map(({ outputs }) => outputs);
}

/** Returns the rule ids of entry points that another entry point of the zone has replaced. */
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
  // In the state, unmanaged rules that a refresh has found are marked with `foreign`.
  return rules.flatMap(({ id, foreign }: Properties) =>
    typeof id === "string" && (isWithForeign || foreign !== true) ? [id] : [],
  );
}

/**
 * Returns live rules that an entry point may identify by their content: rules without an id in the state (their write got no
 * answer), or all rules if none of the ids in the state exists any more. Leaves out rules that it knows as unmanaged.
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
