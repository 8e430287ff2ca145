import assert from "node:assert/strict";
import { end } from "./end";
import type { Machine } from "./machine";
import { SmallMachine } from "./small-machine";
import type { Scenario } from "./story";
import { World } from "./world";

export interface Outcome {
  readonly requests: number;
  readonly operations: number;
}

/** Plays a scenario to its end. The judge is the simulator's own state. Throws what is wrong, with the trace. */
export async function play(story: Scenario, machine: Machine = new SmallMachine(story)): Promise<Outcome> {
  const world = new World(story, machine);
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  try {
    for (const step of story.steps) await world.take(step);
    await end(world);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(rejections, [], "a rejection that nobody handles");
    return { requests: world.sim.journal.length, operations: world.operations };
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`${reason}\n\nThe trace:\n${world.trace.lines.join("\n")}\n`);
  } finally {
    process.off("unhandledRejection", onRejection);
  }
}
