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

/** Runs preview, up, refresh and destroy, and checks the zone after each. */
export async function expectLifecycle(project: string, sim: Simulator, zoneId: string): Promise<void> {
  sim.zones.seed(zoneId, seed);
  const stack = await stackAt(project, sim);

  const { steps } = await stack.preview();
  assert.deepEqual(
    steps.map(({ op, name }) => `${op} ${name}`).sort(),
    ["create checkout", "create watch"],
    "the preview says what it would create",
  );
  assert.equal(sim.changing({ zoneId }).length, 0, "a preview changes nothing");

  await expectUp(stack, sim, zoneId);
  await stack.expectEmptyPreview();
  sim.dashboard.setSettings(zoneId, { enabled: false });
  assert.match(await stack.refresh(), /~ 1 updated/, "the refresh finds what someone else has changed");
  sim.dashboard.setSettings(zoneId, { enabled: true });
  await expectDestroy(stack, sim, zoneId);
}

/**
 * Runs up, with the program, and destroy, without it. This is enough to test another way in which the package is found:
 * `expectLifecycle` tests what it does once it is loaded, and with all that the SDK loads.
 */
export async function expectUpAndDestroy(project: string, sim: Simulator, zoneId: string): Promise<void> {
  sim.zones.seed(zoneId, seed);
  const stack = await stackAt(project, sim, lightly);
  await expectUp(stack, sim, zoneId);
  await expectDestroy(stack, sim, zoneId);
}

async function expectUp(stack: Stack, sim: Simulator, zoneId: string): Promise<void> {
  await stack.up();
  const { settings, policies } = sim.zone(zoneId);
  assert.equal(settings.enabled, true);
  assert.deepEqual(each(policies, "value"), ["script-src 'self'; object-src 'none'; base-uri 'self'"]);
}

async function expectDestroy(stack: Stack, sim: Simulator, zoneId: string): Promise<void> {
  await stack.destroy();
  const { settings, policies } = sim.zone(zoneId);
  assert.deepEqual(policies, []);
  assert.equal(settings.enabled, false, "as it was before the stack");
}
