import { engine } from "../../engine/real-engine/engine";
import { prove } from "../prove";
import { play } from "../world/play";
import { RealMachine } from "./real-machine";
import { realScenario } from "./real-scenario";

// Not of `npm test`: `npm run prove -- --real`.
describe("The proof, on the real engine", function () {
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
