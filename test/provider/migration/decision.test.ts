import assert from "node:assert/strict";
import { differs, position, showsFinish } from "../../../provider/src/resources/waf-migration/position";
import type { Observation } from "../../../provider/src/resources/waf-migration/state";
import { cases, gone, mute, over, sent, underWay, untouched, validated } from "./support/standings";

describe("The position of a zone", () => {
  for (const [what, seen, record, expected] of cases) {
    it(`${what}: ${expected}`, () => assert.equal(position(seen, record), expected));
  }

  const unknown = sent("pending", "unknown", validated);
  const mine = unknown.attempt?.sentAt ?? "";
  const rewritten = { ...validated, entrypointVersion: "2" };

  it("unknown, and the zone says that a finish continues: it is ours", () => {
    for (const migrationState of ["pending", "in progress", "1"]) {
      assert.equal(position({ ...rewritten, migrationState }, unknown), "finishing", migrationState);
    }
    assert.equal(position({ ...rewritten, checkGone: true }, unknown), "finishing");
    // It was gone before.
    const before = { ...validated, checkGone: true };
    assert.equal(
      position({ ...before, entrypointVersion: "2" }, sent("pending", "unknown", before)),
      "unclear",
    );
  });

  it("unknown, and only the new WAF has come on: nothing has happened as long as the list is the same and the old one runs", () => {
    const before = { ...validated, newEnabled: false };
    const of = sent("pending", "unknown", before);
    const at = (seen: Observation) => position(seen, of);
    assert.equal(at(validated), "validation");
    assert.equal(at({ ...validated, entrypointVersion: "2" }), "unclear");
  });

  it("a person's answer holds for the attempt that it names, and for no other", () => {
    const answered = (startedAt: string, outcome: "accepted" | "notAccepted") =>
      position(rewritten, { ...unknown, unclearAttempt: { startedAt, outcome } });
    assert.equal(answered(mine, "accepted"), "finishing");
    assert.equal(answered(mine, "notAccepted"), "validation");
    assert.equal(answered("2020-01-01T00:00:00.000Z", "accepted"), "unclear");
    assert.equal(answered("2020-01-01T00:00:00.000Z", "notAccepted"), "unclear");
  });

  it("an answer leads back to where the attempt began, also where the zone no longer shows it", () => {
    const nameless = { ...rewritten, ...mute, migrationState: "phase-b" };
    for (const from of ["old", "validation"] as const) {
      const { attempt = assert.fail() } = sent("pending", "unknown", nameless);
      const answer = { startedAt: attempt.sentAt, outcome: "notAccepted" } as const;
      const seen = { ...nameless, entrypointVersion: "3" };
      assert.equal(position(seen, { attempt: { ...attempt, from }, unclearAttempt: answer }), from);
    }
  });

  it("no name alone makes a zone old: with rules, or without the check, it never is", () => {
    for (const migrationState of ["start", "", undefined, "old", "none", "xyz"]) {
      assert.notEqual(position({ ...untouched, migrationState, ruleCount: 1 }), "old");
      assert.notEqual(position({ ...untouched, migrationState, checkGone: true }), "old");
    }
  });

  it("an accepted finish is never forgotten, whatever the zone shows", () => {
    for (const seen of [untouched, validated, underWay, over, { ...untouched, ...gone, ...mute }]) {
      const at = position(seen, sent("pending", "accepted", untouched));
      assert.ok(at === "finishing" || at === "finished", `${JSON.stringify(seen)}: ${at}`);
    }
  });
});

describe("Whether a zone shows that a finish was taken", () => {
  const rows: readonly (readonly [string, Observation, boolean])[] = [
    ["validation", validated, false],
    ["validation without a name", { ...validated, migrationState: undefined }, false],
    [
      "validation of a zone whose previous WAF was off, the new one not on yet",
      { ...validated, oldEnabled: false, newEnabled: false },
      false,
    ],
    ["the old API gone", { ...validated, checkGone: true }, true],
    ["no longer compatible", { ...validated, compatible: false }, true],
    ["not told whether compatible", { ...validated, compatible: undefined }, true],
    ["only the new WAF", { ...validated, oldEnabled: false }, true],
    ["a name that sounds like it", { ...validated, migrationState: "in progress" }, true],
  ];
  for (const [what, seen, expected] of rows) {
    it(`${what}: ${expected ? "yes" : "no"}`, () => assert.equal(showsFinish(seen), expected));
  }
});

describe("Whether anything has changed", () => {
  const changes: readonly Partial<Observation>[] = [
    { compatible: false },
    { compatible: undefined },
    { migrationState: "pending" },
    { oldEnabled: false },
    { newEnabled: false },
    { newEnabled: undefined },
    { checkGone: true },
    { ruleCount: 3 },
    { entrypointVersion: "2" },
    { entrypointVersion: undefined },
  ];
  for (const change of changes) {
    it(`${JSON.stringify(change)} is a change`, () =>
      assert.ok(differs(validated, { ...validated, ...change })));
  }
  it("the same is none", () => assert.equal(differs(validated, { ...validated }), false));
});
