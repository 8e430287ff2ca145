import { howMany } from "../support/random-runs";
import { prove } from "./prove";
import { play } from "./world/play";
import { scenarioAbout } from "./world/scenario";

/** A seed of its own for `npm run test:long`, which therefore plays other stories than `npm test`. */
const usualSeed = process.env["LONG_STORIES"] ? 6 : 5;

describe("The proof", function () {
  this.timeout(0);

  // `npm run prove` plays 10,000 with a seed of its own.
  it("holds for whole programs over several zones, whatever fails, dies, is lost, or is changed by others", () =>
    prove({
      scenario: scenarioAbout(process.env["ABOUT"]),
      play: (story) => play(story),
      runs: howMany("RUNS", 250, 350),
      seed: Number(process.env["SEED"] ?? usualSeed),
      isShrunk: process.env["SHRINK"] !== "no",
    }));
});
