import type {
  Attempt,
  Observation,
  Position,
  State,
} from "../../../../provider/src/resources/waf-migration/state";

/** A zone before anything: only the previous WAF. */
export const untouched: Observation = {
  compatible: true,
  migrationState: "start",
  oldEnabled: true,
  newEnabled: false,
  checkGone: false,
  ruleCount: 0,
};
export const validated: Observation = {
  ...untouched,
  migrationState: "validation",
  newEnabled: true,
  ruleCount: 2,
  entrypointVersion: "1",
};
export const underWay: Observation = {
  ...validated,
  compatible: false,
  migrationState: "pending",
  entrypointVersion: "2",
};
export const over: Observation = { ...underWay, migrationState: "done", oldEnabled: false, newEnabled: true };
/** The status says nothing that anybody understands. */
export const mute = { oldEnabled: undefined, newEnabled: undefined } as const;
export const gone = { checkGone: true, compatible: undefined, migrationState: undefined } as const;

export const sent = (mode: Attempt["mode"], outcome: Attempt["outcome"], before: Observation): State => ({
  attempt: { mode, sentAt: "2025-01-01T00:00:00.000Z", outcome, before },
});
const inValidation: State = { reached: "validation", observed: validated };

/** What is seen of a zone, what is on record, and where it stands then. */
export const cases: readonly (readonly [string, Observation, State, Position])[] = [
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
  [
    "validation not answered, its list never seen, emptied meanwhile",
    { ...untouched, entrypointVersion: "2" },
    sent("validation", "unknown", untouched),
    "unclear",
  ],
  [
    "validation that never arrived, an empty list all along",
    { ...untouched, entrypointVersion: "1" },
    sent("validation", "unknown", { ...untouched, entrypointVersion: "1" }),
    "old",
  ],
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
