import assert from "node:assert/strict";
import type { Simulator } from "../../../simulator/src";
import type { Books } from "./books";
import { policyIdsByName, ruleIdsOf } from "./checkpoint";
import { type Declarations, ourZones, zones } from "./declarations";
import type { Stack } from "./machine";
import { pictureOf } from "./picture";

/** The zones are as the program declares them, and what is on record is what is there. */
export function expectDeclared({
  sim,
  books,
  stack,
  program,
}: {
  readonly sim: Simulator;
  readonly books: Books;
  readonly stack: Stack;
  readonly program: Declarations;
}): void {
  const { policies, rules, settings } = pictureOf(sim);
  const backup = stack.backup();
  for (const zone of ourZones) {
    const book = books.of[zone];
    book.policies.expectDeclared(policies[zone], program, policyIdsByName(backup, zone));
    if (zone !== "m") book.rules.expectDeclared(rules[zone], program, ruleIdsOf(backup, zone));
    book.settings.expectDeclared(settings[zone], program);
  }
  for (const one of program.values()) {
    if (one.kind !== "migration") continue;
    const { stage } = sim.zones.get(zones.m).waf;
    assert.equal(stage, one.stage === "finished" ? "new" : "validation", "where the migration stands");
  }
}
