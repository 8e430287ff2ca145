import { howMany } from "../support/random-runs";
import { prove } from "./prove";
import { play } from "./world/play";
import { scenarioAbout } from "./world/scenario";

describe("The proof", function () {
  this.timeout(0);

  // `npm run prove` plays 10,000 with a seed of its own.
  it("holds for whole programs over several zones, whatever fails, dies, is lost, or is changed by others", () =>
    prove({
      scenario: scenarioAbout(process.env["ABOUT"]),
      play: (story) => play(story),
      runs: howMany("RUNS", 250, 600),
      seed: Number(process.env["SEED"] ?? 5),
      isShrunk: process.env["SHRINK"] !== "no",
    }));
});
