import type { Run } from "../../lifecycle/run";
import type { State } from "./state";

const key = Symbol("entry points of this run");

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
