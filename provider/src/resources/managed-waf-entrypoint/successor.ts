import type { Run } from "../../lifecycle/run";
import type { State } from "./state";

const key = Symbol("rules of entry points of this run");

/** Zone to the ids of the rules of the resource that has it in this run. */
function heldRules(run: Run): Map<string, ReadonlySet<string>> {
  return run.memory(key, () => new Map());
}

/**
 * Notes the rules of the resource that has the zone in this run; none while a write is under way, or where not all of
 * them are known by their ids.
 */
export function noteHeld(run: Run, zoneId: string, rules: State["rules"]): void {
  const held = heldRules(run);
  const ids = (rules ?? []).flatMap(({ id, foreign }) => (id === undefined || foreign ? [] : [id]));
  if (rules?.every(({ id }) => id !== undefined)) held.set(zoneId.toLowerCase(), new Set(ids));
  else held.delete(zoneId.toLowerCase());
}

/** Ids of the rules of the zone's resource; undefined where nobody can tell all of them. */
export function heldIds(run: Run, zoneId: string): ReadonlySet<string> | undefined {
  return heldRules(run).get(zoneId.toLowerCase());
}
