import { zoneIdOf } from "../model/zone-id";
import type { Run } from "./run";

/*
 * Memories of the provider process, which end with the operation of the engine (the run):
 *
 * - `KindSession` (lifecycle/kind-session.ts): declared objects in the state (`diff` writes them; `create` and the second `check` of
 *   a replacement read them), and ids of objects that have drifted (`read` writes them; the `diff` of a refresh reads them).
 * - `checkedResources` (lifecycle/secret-inputs.ts): secret strings and inputs in the state. `check` writes them. `diff`
 *   reads them; if there is no entry, it belongs to a refresh. The code that removes secrets from messages reads them, too.
 * - `checkedInputs` (lifecycle/remediated-inputs.ts): the inputs that `check` returned. `diff`, `create` and `update` compare
 *   them with their own, which a policy pack may have changed.
 * - `approvedInputs` (lifecycle/remediated-inputs.ts): the inputs that `page-guard apply` approved, read from its file at the first
 *   use by `create` and `update`.
 * - `claimsOf` (lifecycle/zone-claims.ts): the resource of each kind that the program declares for a zone, if a zone can have only
 *   one. `check`, `diff` and `create` write; `check` and `delete` read.
 * - `queueOf` (lifecycle/memory.ts): the last write of a zone's list of rules, or of a policy text; the next one waits for it.
 * - `adoptedIn` (lifecycle/findings-file.ts): how many adoptions were shown; only the first message explains them.
 * - `knownPolicies` (resources/csp-policy/zone-policies.ts): the policies of a zone, its items in use, and who owns each policy. All
 *   operations on policies write and read it.
 * - `readings` (resources/page-guard-settings/lifecycle.ts): the settings that were read last. `plan` writes; `create` reads and
 *   forgets them, and `delete` forgets them.
 * - `listInRun` (resources/managed-waf-entrypoint/lifecycle.ts): ids of the rules of the resource that manages a zone's list, or a
 *   note that they were deleted. `claim`, `create`, `update` and `delete` write; `create` and `delete` read.
 */

/** Returns a function that returns the memory of a run. The memory is created on first use. */
export function inRun<T>(make: (run: Run) => T): (run: Run) => T {
  const key = Symbol("memory");
  return (run) => run.memory(key, () => make(run));
}

/** Like `inRun`, but with a separate memory for each zone of the run. The case of a zone id does not matter. */
export function inZone<T>(make: (run: Run) => T): (run: Run, zoneId: unknown) => T {
  const zonesIn = inRun(() => new Map<string, T>());
  return (run, zoneId) => {
    const zones = zonesIn(run);
    const zone = zoneIdOf(zoneId) ?? String(zoneId);
    const known = zones.get(zone) ?? make(run);
    zones.set(zone, known);
    return known;
  };
}

const queueOf = inZone(() => ({ last: Promise.resolve<unknown>(undefined) }));

/** Runs `work` once all earlier work with the same `key` has ended. The key is a zone id, or a zone id and a policy text. */
export async function oneAtATime<T>(run: Run, key: string, work: () => Promise<T>): Promise<T> {
  const queue = queueOf(run, key);
  const mine = queue.last.then(work, work);
  queue.last = mine;
  return mine;
}
