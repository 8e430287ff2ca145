import assert from "node:assert/strict";
import {
  type Attempt,
  decide,
  differs,
  type MigrationRecord,
  type Observation,
  type Position,
  position,
  showsFinish,
} from "../../provider/src/resources/waf-migration/decision";

/** A zone before anything: only the previous WAF. */
const untouched: Observation = {
  compatible: true,
  migrationState: "start",
  oldEnabled: true,
  newEnabled: false,
  checkGone: false,
  ruleCount: 0,
};
const validated: Observation = {
  ...untouched,
  migrationState: "validation",
  newEnabled: true,
  ruleCount: 2,
  entrypointVersion: "1",
};
const underWay: Observation = {
  ...validated,
  compatible: false,
  migrationState: "pending",
  entrypointVersion: "2",
};
const over: Observation = { ...underWay, migrationState: "done", oldEnabled: false, newEnabled: true };
/** The status says nothing that anybody understands. */
const mute = { oldEnabled: undefined, newEnabled: undefined } as const;
const gone = { checkGone: true, compatible: undefined, migrationState: undefined } as const;

const sent = (mode: Attempt["mode"], outcome: Attempt["outcome"], before: Observation): MigrationRecord => ({
  attempt: { mode, sentAt: "2025-01-01T00:00:00.000Z", outcome, before },
});
const inValidation: MigrationRecord = { reached: "validation", observed: validated };

const cases: readonly (readonly [string, Observation, MigrationRecord, Position])[] = [
  // Nothing is known of earlier runs.
  ["an untouched zone", untouched, {}, "old"],
  ["an untouched zone whose status is mute", { ...untouched, ...mute }, {}, "old"],
  [
    "an untouched zone under a name that nobody knows",
    { ...untouched, migrationState: "phase-0" },
    {},
    "old",
  ],
  ["a zone without any name", { ...untouched, migrationState: undefined }, {}, "old"],
  ["rules although the migration says start", { ...untouched, ruleCount: 2 }, {}, "unclear"],
  ["a zone in validation", validated, {}, "validation"],
  ["a zone in validation by number", { ...validated, migrationState: "2" }, {}, "validation"],
  ["a zone that enters validation", { ...validated, newEnabled: false }, {}, "validation"],
  ["validation whose status is mute", { ...validated, ...mute }, {}, "validation"],
  ["both on under a name that nobody knows", { ...validated, migrationState: "phase-b" }, {}, "unclear"],
  ["both on without a name", { ...validated, migrationState: undefined }, {}, "unclear"],
  ["validation of a zone whose previous WAF was off", { ...validated, oldEnabled: false }, {}, "validation"],
  [
    "validation of a zone whose previous WAF was off, seen so before, which can no longer migrate",
    { ...validated, oldEnabled: false, compatible: false },
    { reached: "validation", observed: { ...validated, oldEnabled: false } },
    "validation",
  ],
  [
    "a finish that never arrived in a zone whose previous WAF was off and which can no longer migrate",
    { ...validated, oldEnabled: false, compatible: false },
    sent("pending", "unknown", { ...validated, oldEnabled: false }),
    "validation",
  ],
  ["a finish under way from validation", underWay, {}, "finishing"],
  ["a finish under way from the previous WAF", { ...underWay, newEnabled: false }, {}, "finishing"],
  ["a finish under way by number", { ...underWay, migrationState: "1" }, {}, "finishing"],
  [
    "a name that sounds like a finish on a zone without rules",
    { ...untouched, migrationState: "in_progress" },
    {},
    "finishing",
  ],
  [
    "a finish under way under the first name",
    { ...underWay, migrationState: "start", newEnabled: false },
    {},
    "unclear",
  ],
  ["only the new WAF", over, {}, "finished"],
  ["only the new WAF under the name of the beginning", { ...over, migrationState: "start" }, {}, "finished"],
  [
    "only the new WAF, name of validation, no longer compatible",
    { ...over, migrationState: "validation" },
    {},
    "unclear",
  ],
  ["only the new WAF, the old API gone", { ...over, ...gone }, {}, "finished"],
  ["the old API gone, status mute, rules there", { ...over, ...gone, ...mute }, {}, "finished"],
  ["the old API gone, status mute, no rules", { ...untouched, ...gone, ...mute }, {}, "unclear"],
  ["the old API gone, but the previous WAF said to be on", { ...untouched, ...gone }, {}, "unclear"],
  ["a name of the end, status mute", { ...over, ...mute }, {}, "finished"],
  ["a name of the way to the end, status mute", { ...underWay, ...mute }, {}, "finishing"],
  // Our own finish.
  ["accepted, the zone not yet different", validated, sent("pending", "accepted", validated), "finishing"],
  [
    "accepted, then the old API gone",
    { ...over, ...gone, ...mute },
    sent("pending", "accepted", validated),
    "finished",
  ],
  [
    "accepted, everything mute",
    { ...over, ...mute, migrationState: "x3" },
    sent("pending", "accepted", untouched),
    "finishing",
  ],
  ["accepted, the status turned", over, sent("pending", "accepted", validated), "finished"],
  ["unknown, the zone is untouched", untouched, sent("pending", "unknown", untouched), "old"],
  ["unknown, validation is untouched", validated, sent("pending", "unknown", validated), "validation"],
  [
    "unknown, untouched validation under a strange name",
    { ...validated, migrationState: "x1" },
    {
      ...inValidation,
      observed: { ...validated, migrationState: "x1" },
      ...sent("pending", "unknown", { ...validated, migrationState: "x1" }),
    },
    "validation",
  ],
  [
    "unknown, validation has only settled",
    validated,
    sent("pending", "unknown", { ...validated, newEnabled: false }),
    "validation",
  ],
  [
    "unknown, a list that is not what was sent",
    { ...validated, entrypointVersion: "2" },
    sent("pending", "unknown", validated),
    "unclear",
  ],
  [
    "unknown, a list that is not what was sent, and a name that sounds like a finish",
    { ...underWay, entrypointVersion: "2" },
    sent("pending", "unknown", validated),
    "finishing",
  ],
  [
    "unknown, no longer compatible, the list untouched",
    { ...untouched, compatible: false },
    sent("pending", "unknown", untouched),
    "old",
  ],
  [
    "unknown, validation of a zone whose previous WAF was off",
    { ...validated, oldEnabled: false },
    sent("pending", "unknown", { ...validated, oldEnabled: false }),
    "validation",
  ],
  [
    "unknown, the old API gone since",
    { ...validated, ...gone, ...mute, entrypointVersion: "2" },
    sent("pending", "unknown", validated),
    "finished",
  ],
  [
    "unknown, the old API gone since, while both are said to be on",
    { ...validated, ...gone, entrypointVersion: "2" },
    sent("pending", "unknown", validated),
    "finishing",
  ],
  [
    "unknown, the old API gone before and after, and another list",
    { ...validated, ...gone, ...mute, entrypointVersion: "2" },
    sent("pending", "unknown", { ...validated, ...gone, ...mute }),
    "unclear",
  ],
  [
    "unknown, the previous WAF went off, and the list is the same",
    { ...validated, ...gone, oldEnabled: false, newEnabled: undefined, checkGone: false },
    sent("pending", "unknown", validated),
    "finishing",
  ],
  [
    "unknown, without versions of the list, and nothing else has changed but that it can no longer migrate",
    { ...validated, entrypointVersion: undefined, compatible: false },
    sent("pending", "unknown", { ...validated, entrypointVersion: undefined }),
    "unclear",
  ],
  [
    "unknown, without versions, and a list has come into being",
    { ...validated, migrationState: "start", newEnabled: false, entrypointVersion: undefined },
    sent("pending", "unknown", { ...untouched, newEnabled: false }),
    "unclear",
  ],
  [
    "unknown, the previous WAF was switched off in validation, the list untouched",
    { ...validated, oldEnabled: false },
    sent("pending", "unknown", { ...validated, newEnabled: false }),
    "validation",
  ],
  // Our own validation.
  [
    "validation sent without an answer, not taken",
    untouched,
    sent("validation", "unknown", untouched),
    "old",
  ],
  [
    "validation sent without an answer, taken under a strange name",
    { ...validated, migrationState: "x1" },
    sent("validation", "unknown", untouched),
    "validation",
  ],
  [
    "validation sent without an answer, taken, mute",
    { ...validated, ...mute, migrationState: "start" },
    sent("validation", "unknown", untouched),
    "validation",
  ],
  [
    "validation sent, then no longer compatible",
    { ...validated, migrationState: "x2", compatible: false },
    sent("validation", "unknown", untouched),
    "unclear",
  ],
  // In validation by the record.
  ["as recorded", validated, inValidation, "validation"],
  [
    "as recorded, mute and under a strange name",
    { ...validated, ...mute, migrationState: "x1" },
    { reached: "validation", observed: { ...validated, ...mute, migrationState: "x1" } },
    "validation",
  ],
  ["rules edited since", { ...validated, entrypointVersion: "7" }, inValidation, "validation"],
  [
    "edited under a name that nobody knows",
    { ...validated, migrationState: "x1", entrypointVersion: "7" },
    { reached: "validation", observed: { ...validated, migrationState: "x1" } },
    "validation",
  ],
  [
    "another strange name since",
    { ...validated, migrationState: "x2" },
    { reached: "validation", observed: { ...validated, migrationState: "x1" } },
    "finishing",
  ],
  ["finished by somebody since", over, inValidation, "finished"],
  ["being finished by somebody", underWay, inValidation, "finishing"],
  [
    "in validation, the list emptied",
    { ...validated, ruleCount: 0, entrypointVersion: "2" },
    inValidation,
    "validation",
  ],
  [
    "in validation under a name that nobody knows, status mute, the list emptied",
    { ...validated, ...mute, migrationState: "x1", ruleCount: 0, entrypointVersion: "2" },
    inValidation,
    "unclear",
  ],
  [
    "validation accepted and not yet seen, status mute, the list emptied",
    { ...untouched, ...mute, entrypointVersion: "2" },
    sent("validation", "accepted", untouched),
    "unclear",
  ],
  [
    "validation not answered, its list seen, the new WAF not on yet, the list emptied",
    { ...untouched, migrationState: "x1", entrypointVersion: "2" },
    { ...sent("validation", "unknown", untouched), observed: { ...untouched, ruleCount: 3 } },
    "unclear",
  ],
  [
    "an emptied list under a name that nobody knows, status mute, nothing on record",
    { ...untouched, ...mute, migrationState: "x1", entrypointVersion: "2" },
    {},
    "unclear",
  ],
  ["an emptied list of a zone at its start", { ...untouched, entrypointVersion: "2" }, {}, "old"],
  ["in validation, then the old API gone", { ...validated, ...gone }, inValidation, "finishing"],
  [
    "in validation without a name, then with a strange one",
    { ...validated, migrationState: "x1" },
    { reached: "validation", observed: { ...validated, migrationState: undefined } },
    "unclear",
  ],
  [
    "in validation under a strange name, then without one",
    { ...validated, migrationState: undefined },
    { reached: "validation", observed: { ...validated, migrationState: "x1" } },
    "unclear",
  ],
  [
    "in validation under a strange name, then another one with the previous WAF off",
    { ...validated, migrationState: "x2", oldEnabled: false },
    { reached: "validation", observed: { ...validated, migrationState: "x1" } },
    "finished",
  ],
  [
    "reached although nothing was observed, under a strange name",
    { ...validated, migrationState: "x1" },
    { reached: "validation" },
    "unclear",
  ],
  [
    "an emptied list at its start, status mute, nothing on record",
    { ...untouched, ...mute, entrypointVersion: "2" },
    {},
    "old",
  ],
  [
    "an emptied list without any name, status mute, nothing on record",
    { ...untouched, ...mute, migrationState: undefined, entrypointVersion: "2" },
    {},
    "old",
  ],
  [
    "an emptied list under a strange name, the new WAF said to be off",
    { ...untouched, migrationState: "x1", entrypointVersion: "2" },
    {},
    "old",
  ],
  [
    "no list yet under a strange name, status mute",
    { ...untouched, ...mute, migrationState: "x1" },
    {},
    "old",
  ],
  [
    "rules and the old API gone, the new WAF said to be off",
    { ...validated, ...gone, newEnabled: false },
    {},
    "unclear",
  ],
  [
    "rules and the old API gone, of the new WAF nothing is said",
    { ...validated, ...gone, newEnabled: undefined },
    {},
    "unclear",
  ],
  [
    "rules and the old API gone, of the old WAF nothing is said",
    { ...validated, ...gone, oldEnabled: undefined },
    {},
    "finishing",
  ],
  [
    "a name of the end while the previous WAF is said to be on",
    { ...over, oldEnabled: true },
    {},
    "finishing",
  ],
  [
    "a name of the end while the new WAF is said to be off",
    { ...over, ...mute, newEnabled: false },
    {},
    "finishing",
  ],
  [
    "validation sent without an answer, the new WAF off, under a strange name",
    { ...validated, newEnabled: false, migrationState: "x1" },
    sent("validation", "unknown", untouched),
    "validation",
  ],
  [
    "a finish accepted long ago, both on again",
    validated,
    { ...sent("pending", "accepted", untouched) },
    "finishing",
  ],
  // Over is over.
  [
    "finished by the record, whatever is shown",
    untouched,
    { reached: "finished", observed: over },
    "finished",
  ],
];

describe("Where a zone stands", () => {
  for (const [what, seen, record, expected] of cases) {
    it(`${what}: ${expected}`, () => assert.equal(position(seen, record), expected));
  }

  const unknown = sent("pending", "unknown", validated);
  const mine = unknown.attempt?.sentAt ?? "";
  const sentAt = Date.parse(mine);
  const rewritten = { ...validated, entrypointVersion: "2" };
  const hour = 3_600_000;

  it("unknown, the list is what was sent: under way for the hour that a finish may take, then unclear", () => {
    const at = (passed: number) => position(rewritten, unknown, { now: sentAt + passed, isListAsSent: true });
    assert.deepEqual([at(0), at(hour - 1), at(hour)], ["finishing", "finishing", "unclear"]);
  });

  it("unknown, and the zone says that a finish goes on: it is ours, however long ago it was sent", () => {
    const late = { now: sentAt + 5 * hour, isListAsSent: false };
    for (const migrationState of ["pending", "in progress", "1"]) {
      assert.equal(position({ ...rewritten, migrationState }, unknown, late), "finishing", migrationState);
    }
    assert.equal(position({ ...rewritten, checkGone: true }, unknown, late), "finishing");
    // It was gone before.
    const before = { ...validated, checkGone: true };
    const of = sent("pending", "unknown", before);
    assert.equal(position({ ...before, entrypointVersion: "2" }, of, late), "unclear");
  });

  it("unknown, and only the new WAF has come on: nothing has happened as long as the list is the same and the old one runs", () => {
    const before = { ...validated, newEnabled: false };
    const of = sent("pending", "unknown", before);
    const at = (seen: Observation) => position(seen, of, { now: sentAt + 5 * hour, isListAsSent: false });
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

describe("What has to happen", () => {
  const send = (mode: Attempt["mode"]) => ({ act: "send", mode });
  const rows: readonly (readonly [Position, "validation" | "finished", boolean, object])[] = [
    ["old", "validation", true, send("validation")],
    ["old", "finished", true, send("pending")],
    ["validation", "validation", false, { act: "adopt" }],
    ["validation", "validation", true, send("validation")],
    ["validation", "finished", false, send("pending")],
    ["validation", "finished", true, send("pending")],
    ["finishing", "validation", false, { act: "refuse" }],
    ["finishing", "finished", true, { act: "wait" }],
    ["finished", "validation", true, { act: "refuse" }],
    ["finished", "finished", true, { act: "adopt" }],
    ["unclear", "validation", false, { act: "refuse" }],
    ["unclear", "finished", true, { act: "refuse" }],
  ];
  for (const [at, stage, isAdjusted, expected] of rows) {
    it(`from ${at} to ${stage}${isAdjusted ? ", rules adjusted" : ""}: ${Object.values(expected).join(" ")}`, () => {
      assert.deepEqual(decide(at, stage, isAdjusted), expected);
    });
  }
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
