import { parseZoneId } from "../model/zone-id";
import type { Run } from "./run";

/*
 * Memories of the provider process. They end with the operation of the engine (the run):
 *
 * - `KindSession` (lifecycle/kind-session.ts): objects in the state (`diff` writes them; `create` and the `check` of a new
 *   object read them), and ids of objects that have drifted (`read` writes them; the `diff` of a refresh reads them).
 * - `checkedResources` (lifecycle/secret-inputs.ts): secrets and recorded inputs. `check` writes; `diff`, `create` and messages
 *   read. The WAF rules also ask which resources have been checked.
 * - `checkedInputs` (lifecycle/remediated-inputs.ts): the inputs that `check` returned. `diff`, `create` and `update` compare
 *   their inputs with these, because a policy pack may have changed them.
 * - `approvedInputs` (lifecycle/remediated-inputs.ts): the approved inputs. `create`, `update` and `knownPolicies` read them.
 * - `getClaims` (lifecycle/zone-claims.ts): the resource that the program declares for a zone, for each kind that a zone can have
 *   only once. `check`, `diff` and `create` write and read; `delete` reads.
 * - `getQueue` (lifecycle/memory.ts): the last write of each rule list, and the last create of each policy text. The next waits.
 * - `getAdopted` (lifecycle/findings-file.ts): the number of adoptions in a zone so far. Only the first message explains adoptions.
 * - `knownPolicies` (resources/csp-policy/zone-policies.ts): the policies of a zone, the zone's items in use, and the owner of
 *   each policy. All operations on policies write and read this memory.
 * - `readings` (resources/page-guard-settings/lifecycle.ts): the last reading of the settings. `plan` writes it; `create` reads
 *   and clears it; `delete` clears it.
 * - `listInRun` (resources/managed-waf-entrypoint/lifecycle.ts): rule ids of the resource that manages a zone's list, and the last
 *   state of a resource that this run has deleted. `claim`, `create`, `update` and `delete` write; `create` and `delete` read.
 */

/** Returns a function that gives each run its own memory, created on first use. */
export function rememberInRun<T>(make: (run: Run) => T): (run: Run) => T {
  const key = Symbol("memory");
  return (run) => run.memory(key, () => make(run));
}

/** Returns a function that gives each zone of a run its own memory. The case of a zone id does not matter. */
export function rememberInZone<T>(make: (run: Run) => T): (run: Run, zoneId: unknown) => T {
  const zonesIn = rememberInRun(() => new Map<string, T>());
  return (run, zoneId) => {
    const zones = zonesIn(run);
    const zone = parseZoneId(zoneId) ?? String(zoneId);
    const known = zones.get(zone) ?? make(run);
    zones.set(zone, known);
    return known;
  };
}

const getQueue = rememberInZone(() => ({ last: Promise.resolve<unknown>(undefined) }));

/** Runs `work` once all earlier work with the same `key` has ended. The key is a zone id, or a zone id and a policy text. */
export async function oneAtATime<T>(run: Run, key: string, work: () => Promise<T>): Promise<T> {
  const queue = getQueue(run, key);
  const mine = queue.last.then(work, work);
  queue.last = mine;
  return mine;
}
