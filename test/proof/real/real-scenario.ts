import type fc from "fast-check";
import type { Edit } from "../world/edits";
import { wholeScenario } from "../world/scenario";
import type { Scenario, Step } from "../world/story";

/** Operations and acts of people of a story before its end. */
const most = 3;

/**
 * The same stories, cut short: an operation takes seconds here. Without migrations, which wait for as long as they do in
 * life, and without a second pipeline, which the engine's lock refuses; `test/engine` tells of both.
 */
export const realScenario: fc.Arbitrary<Scenario> = wholeScenario.map((story) => ({
  ...story,
  steps: story.steps
    .filter(({ act }) => act !== "two ups" && act !== "wait")
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
