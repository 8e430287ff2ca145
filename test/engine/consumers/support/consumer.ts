import assert from "node:assert/strict";
import type { Simulator } from "../../../../simulator/src";
import { each } from "../../../support/each";
import { emptyStack, lightly, newPlace, uncollected } from "../../real-engine/engine";
import { Stack } from "../../real-engine/stack";
import { folders } from "./installation";

/** A stack of the program in `project`, with a backend and home of its own. `env` is added to its environment. */
export async function stackAt(project: string, sim: Simulator, env: NodeJS.ProcessEnv = {}): Promise<Stack> {
  const place = await newPlace();
  folders.push(place.folder);
  emptyStack(place, project, "dev");
  const { NODE_OPTIONS: _, ...withoutOurs } = place.env;
  return new Stack({ ...place, project, env: { ...withoutOurs, ...uncollected, ...env } }, sim);
}

const seed = { plan: "enterprise", settings: { enabled: false }, policies: [] } as const;

/** Preview, up, refresh and destroy, each judged by what the zone looks like afterwards. */
export async function livesItsLife(project: string, sim: Simulator, zoneId: string): Promise<void> {
  sim.zones.seed(zoneId, seed);
  const stack = await stackAt(project, sim);

  const { steps } = await stack.preview();
  assert.deepEqual(
    steps.map(({ op, name }) => `${op} ${name}`).sort(),
    ["create checkout", "create watch"],
    "the preview says what it would create",
  );
  assert.equal(sim.changing({ zoneId }).length, 0, "a preview changes nothing");

  await isApplied(stack, sim, zoneId);
  await stack.expectEmptyPreview();
  sim.dashboard.setSettings(zoneId, { enabled: false });
  assert.match(await stack.refresh(), /~ 1 updated/, "the refresh finds what someone else has changed");
  sim.dashboard.setSettings(zoneId, { enabled: true });
  await isDestroyed(stack, sim, zoneId);
}

/**
 * Up and destroy, with and without the program, for another way in which the package is found: what becomes of it once it
 * is loaded has been seen already, and so has all that the SDK loads besides.
 */
export async function comesAndGoes(project: string, sim: Simulator, zoneId: string): Promise<void> {
  sim.zones.seed(zoneId, seed);
  const stack = await stackAt(project, sim, lightly);
  await isApplied(stack, sim, zoneId);
  await isDestroyed(stack, sim, zoneId);
}

async function isApplied(stack: Stack, sim: Simulator, zoneId: string): Promise<void> {
  await stack.up();
  const { settings, policies } = sim.zone(zoneId);
  assert.equal(settings.enabled, true);
  assert.deepEqual(each(policies, "value"), ["script-src 'self'; object-src 'none'; base-uri 'self'"]);
}

async function isDestroyed(stack: Stack, sim: Simulator, zoneId: string): Promise<void> {
  await stack.destroy();
  const { settings, policies } = sim.zone(zoneId);
  assert.deepEqual(policies, []);
  assert.equal(settings.enabled, false, "as it was before the stack");
}
