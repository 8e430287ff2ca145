import { rmSync } from "node:fs";
import type { Simulator } from "../../../simulator/src";
import { newPlace } from "../../engine/real-engine/engine";
import { Stack as EngineStack } from "../../engine/real-engine/stack";
import { household } from "../world/household";
import type { Machine, Stack, Watch } from "../world/machine";
import type { Scenario } from "../world/story";
import { RealStack } from "./real-stack";

/** Time limit of a request in milliseconds. It is short, because some requests hang. */
const timeoutMs = 1000;

/** The real CLI, its provider processes, and sockets, in real time. */
export class RealMachine implements Machine {
  readonly stack: Stack;

  private constructor(
    readonly sim: Simulator,
    private readonly engineStack: EngineStack,
  ) {
    engineStack.env["PAGE_GUARD_TIMEOUT_MS"] = String(timeoutMs);
    this.stack = new RealStack(engineStack);
  }

  static async for(story: Scenario): Promise<RealMachine> {
    const sim = household(story, Date.now);
    await sim.listen(0, "127.0.0.1");
    return new RealMachine(sim, new EngineStack(await newPlace(), sim));
  }

  watch({ arrived, processed }: Watch): void {
    this.sim.onRequest(arrived);
    this.sim.onProcessed(processed);
  }

  pass(): void {}

  /** Ends the remaining processes, and removes the folder. */
  async end(): Promise<void> {
    this.engineStack.killLeftOver();
    await this.sim.stop();
    rmSync(this.engineStack.place.folder, { recursive: true, force: true });
  }
}
