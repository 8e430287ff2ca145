import { howMany } from "../support/random-runs";
import { prove } from "./prove";
import { play } from "./world/play";
import { scenarioAbout } from "./world/scenario";

/** Seed. `npm run test:long` has another seed than `npm test`, so that it plays other stories. */
const usualSeed = process.env["LONG_STORIES"] ? 6 : 5;

describe("The proof", function () {
  this.timeout(0);

  // `npm run prove` plays 10,000 stories with a random seed.
  it("holds for whole programs over several zones under failures, deaths, lost states and changes by others", () =>
    prove({
      scenario: scenarioAbout(process.env["ABOUT"]),
      play: (story) => play(story),
      runs: howMany("RUNS", 250, 350),
      seed: Number(process.env["SEED"] ?? usualSeed),
      isShrunk: process.env["SHRINK"] !== "no",
    }));
});
