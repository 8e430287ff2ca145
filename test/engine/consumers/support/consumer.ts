import assert from "node:assert/strict";
import type { Simulator } from "../../../../simulator/src";
import { each } from "../../../support/each";
import { emptyStack, lightly, newPlace, uncollected } from "../../real-engine/engine";
import { Stack } from "../../real-engine/stack";
import { folders } from "./installation";

/** A stack of the program in `project`, with its own backend and home. `env` is added to its environment. */
export async function stackAt(project: string, sim: Simulator, env: NodeJS.ProcessEnv = {}): Promise<Stack> {
  const place = await newPlace();
  folders.push(place.folder);
  emptyStack(place, project, "dev");
  const { NODE_OPTIONS: _, ...withoutOurs } = place.env;
  return new Stack({ ...place, project, env: { ...withoutOurs, ...uncollected, ...env } }, sim);
}

const seed = { plan: "enterprise", settings: { enabled: false }, policies: [] } as const;

/**
 * Runs up, with the program, and destroy, without it. This is enough to test another way in which the package is found:
 * versions.test.ts tests what it does once it is loaded, and with all that the SDK loads.
 */
export async function expectUpAndDestroy(project: string, sim: Simulator, zoneId: string): Promise<void> {
  sim.zones.seed(zoneId, seed);
  const stack = await stackAt(project, sim, lightly);
  await stack.up();
  const { settings, policies } = sim.zone(zoneId);
  assert.equal(settings.enabled, true);
  assert.deepEqual(each(policies, "value"), ["script-src 'self'; object-src 'none'; base-uri 'self'"]);
  await stack.destroy();
  const left = sim.zone(zoneId);
  assert.deepEqual(left.policies, []);
  assert.equal(left.settings.enabled, false, "as it was before the stack");
}
