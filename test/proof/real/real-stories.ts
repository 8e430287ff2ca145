import type fc from "fast-check";
import { engine } from "../../engine/real-engine/engine";
import { prove } from "../prove";
import type { Edit } from "../world/edits";
import { play } from "../world/play";
import { wholeScenario } from "../world/scenario";
import type { Scenario, Step } from "../world/story";
import { RealMachine } from "./real-machine";

/** Maximum number of operations and acts of people before the end of a story. */
const most = 3;

/**
 * Stories of the small engine, but shorter, because each operation takes seconds. They have no migrations, which would wait in real time;
 * `test/engine` tests those.
 */
const realScenario: fc.Arbitrary<Scenario> = wholeScenario.map((story) => ({
  ...story,
  steps: story.steps
    .filter(({ act }) => act !== "wait")
    .slice(0, most)
    .map(withoutMigrations),
}));

function withoutMigrations(step: Step): Step {
  return "edits" in step ? { ...step, edits: step.edits.filter((edit) => !isMigration(edit)) } : step;
}

function isMigration(edit: Edit): boolean {
  if ("change" in edit) return edit.change.kind === "migration";
  return "kind" in edit && edit.kind === "migration";
}

// `npm run prove -- --real` runs this; `npm test` does not.
describe("The proof on the real engine", function () {
  this.timeout(0);

  before(engine);

  it("holds with real processes and sockets, and deaths by SIGKILL", () =>
    prove({
      scenario: realScenario,
      runs: Number(process.env["RUNS"] ?? 100),
      seed: Number(process.env["SEED"] ?? 5),
      isShrunk: false,
      play: async (story) => {
        const machine = await RealMachine.for(story);
        try {
          return await play(story, machine);
        } finally {
          await machine.end();
        }
      },
    }));
});
