import type { Run } from "../../lifecycle/run";
import type { State } from "./state";

const key = Symbol("entry points of this run");
const heldKey = Symbol("rules of entry points of this run");

/** Zone to what is on record of it: read, or compared with the program, in this run. */
function states(run: Run): Map<string, State> {
  return run.memory(key, () => new Map<string, State>());
}

/** Whoever creates an entry point for this zone later in the run is the successor of the resource with this state. */
export function noteState(run: Run, zoneId: string, state: State): void {
  states(run).set(zoneId.toLowerCase(), state);
}

/**
 * The state of the resource that had the zone before: it is being replaced, or it was renamed without an alias and its
 * state was read in this run. Its rules are ours, and what it found first is what is to be restored.
 */
export function predecessor(run: Run, zoneId: string): State | undefined {
  return states(run).get(zoneId.toLowerCase());
}

/**
 * Notes the rules of the resource that has the zone in this run; none while a write is under way, or where not all of
 * them are known by their ids.
 */
export function noteHeld(run: Run, zoneId: string, rules: State["rules"]): void {
  const held = run.memory(heldKey, () => new Map<string, ReadonlySet<string>>());
  const ids = (rules ?? []).flatMap(({ id, foreign }) => (id === undefined || foreign ? [] : [id]));
  if (rules?.every(({ id }) => id !== undefined)) held.set(zoneId.toLowerCase(), new Set(ids));
  else held.delete(zoneId.toLowerCase());
}

/** Ids of the rules of the zone's resource; undefined where nobody can tell all of them. */
export function heldIds(run: Run, zoneId: string): ReadonlySet<string> | undefined {
  return run.memory(heldKey, () => new Map<string, ReadonlySet<string>>()).get(zoneId.toLowerCase());
}
