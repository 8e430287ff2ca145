import assert from "node:assert/strict";
import {
  decide,
  type Outcome,
  outcomes,
  table,
} from "../../../provider/src/resources/waf-migration/decision-table";
import type { Observation, State } from "../../../provider/src/resources/waf-migration/state";
import { observed, over, recorded, sent, underWay, validated } from "./support/standings";

const list = { isAsSent: false };
const sends = (outcome: Outcome): boolean => outcome === "validate" || outcome === "finish";

describe("The table that decides a migration", () => {
  it("sends only from the previous WAF and from validation, and never goes back", () => {
    const where = Object.entries(outcomes).flatMap(([at, by]) =>
      sends(by.validation) || sends(by.finished) ? [at] : [],
    );
    assert.deepEqual(where, ["old", "validation"]);
    assert.deepEqual([outcomes.finishing.validation, outcomes.finished.validation], ["refuse", "refuse"]);
  });

  it("sends a second finish only where nothing has changed since the first, or a person says that it was not accepted", () => {
    const again = Object.entries(table)
      .filter(([name]) => /^finish|^cutOff/.test(name))
      .flatMap(([name, cells]) =>
        Object.entries(cells).map(([view, [at]]) => [`${name} ${view}`, at] as const),
      )
      .filter(([name, at]) => !/Denied /.test(name) && !["finishing", "finished", "unclear"].includes(at));
    assert.deepEqual(again, [["finishUnanswered same", "from"]]);
  });

  it("believes no one that a finish was not accepted where the zone shows one", () => {
    for (const view of ["finishing", "new", "checkGone", "gone"] as const)
      assert.equal(table.finishDenied[view][0], "contradicted");
    assert.deepEqual([table.cutOffDenied.finishing[0], table.cutOffDenied.new[0]], ["finishing", "finished"]);
  });
});

const names = [undefined, "start", "x1", "x2", "validation", "pending", "done", "validation pending"];
const onOff = [true, false, undefined];

/** Every reading there can be, with and without rules. */
function* readings(): Generator<Observation> {
  for (const migrationState of names)
    for (const oldEnabled of onOff)
      for (const newEnabled of onOff)
        for (const compatible of [true, false, undefined])
          for (const entrypointVersion of [undefined, "1", "2"])
            for (const ruleCount of [0, 2])
              for (const checkGone of compatible === undefined ? [true, false] : [false])
                yield {
                  ...{ migrationState, oldEnabled, newEnabled, compatible },
                  ...{ entrypointVersion, ruleCount, checkGone },
                };
}

const mute = "old=- new=-";
const states: Readonly<Record<string, State>> = Object.fromEntries(
  [
    "",
    "validation, seen validated",
    "validation, seen validated old=no",
    "validation, seen validated name=pending",
    `validation, seen validated name=x1 ${mute}`,
    "validation unknown untouched",
    "validation accepted untouched",
    "validation, seen validated, validation unknown validated",
    "pending unknown untouched",
    "pending unknown validated",
    "pending unknown validated old=no",
    `pending unknown validated name=x1 ${mute}`,
    "pending accepted untouched",
    "pending accepted validated",
    "finished, seen over",
  ].map((text) => [text, recorded(text)]),
);

describe("Whatever a zone shows", () => {
  /** Every decision about the states whose text matches; those that are wrong. */
  function* wrong(pattern: RegExp, isWrong: (seen: Observation, outcome: Outcome, state: State) => boolean) {
    for (const [text, state] of Object.entries(states).filter(([one]) => pattern.test(one)))
      for (const seen of readings()) {
        const { outcome } = decide("finished", state, seen, list);
        if (isWrong(seen, outcome, state)) yield `${text}: ${JSON.stringify(seen)}: ${outcome}`;
      }
  }
  const none = (...all: Parameters<typeof wrong>) => assert.deepEqual([...wrong(...all)].slice(0, 3), []);

  it("an accepted finish is never sent again, and no end is taken back", () => {
    none(/^pending accepted|^finished/, (_seen, outcome) => outcome !== "wait" && outcome !== "adopt");
  });

  it("nothing is sent under a name of a finish, nor where the previous WAF has gone off since the state was written", () => {
    none(/./, (seen, outcome, { attempt, observed: seenBefore }) => {
      const isOff = seen.newEnabled === true && seen.oldEnabled === false;
      const wasOn = (attempt?.before ?? seenBefore)?.oldEnabled === true;
      return sends(outcome) && (/pend|done/.test(seen.migrationState ?? "") || (isOff && wasOn));
    });
  });

  it("after a finish without an answer nothing is sent once the list, the name or the previous WAF has changed", () => {
    none(/^pending unknown/, (seen, outcome, { attempt }) => {
      const fields = ["migrationState", "oldEnabled", "ruleCount", "entrypointVersion"] as const;
      return sends(outcome) && fields.some((field) => seen[field] !== attempt?.before[field]);
    });
  });

  it("a finish is sent with nothing in the state only to a zone without rules, or one that is called validation", () => {
    none(
      /^$/,
      (seen, outcome) => sends(outcome) && seen.migrationState !== "validation" && seen.ruleCount > 0,
    );
  });
});

/** What is seen, what is in the state, and where the zone is then. */
const cases = `
  an untouched zone | untouched | | old
  an untouched zone whose status is mute | untouched old=- new=- | | old
  an untouched zone under a name that nobody knows | untouched name=phase-0 | | old
  rules although the migration says start | untouched rules=2 | | unclear
  a zone that enters validation | validated new=no | | validation
  validation by number, whose status is mute | validated name=2 old=- new=- | | validation
  both on under a name that nobody knows | validated name=phase-b | | unclear
  validation of a zone whose previous WAF was off | validated old=no | | validation
  only the new WAF, name of validation, no longer compatible | validated old=no fits=no | | unclear
  a finish under way, by number | underWay name=1 | | finishing
  a name that sounds like a finish on a zone without rules | untouched name=in_progress | | finishing
  only the new WAF under the name of the beginning | over name=start | | finished
  the old API gone, status mute, rules there | underWay fits=- name=- old=- new=- gone=yes | | finished
  the old API gone, status mute, no rules | untouched fits=- name=- old=- new=- gone=yes | | unclear
  the old API gone, but the previous WAF said to be on | untouched fits=- name=- gone=yes | | unclear
  the old API gone, the new WAF on, of the previous one nothing is said | validated fits=- name=- old=- gone=yes | | finished
  a name of the end, status mute | over old=- new=- | | finished
  a name of the end while the previous WAF is said to be on | underWay name=done | | finishing
  an emptied list under a name that nobody knows, status mute | untouched name=x1 old=- new=- version=2 | | unclear
  an emptied list of a zone at its start | untouched version=2 | | old
  accepted, the zone not yet different | validated | pending accepted validated | finishing
  accepted, then the old API gone | underWay fits=- name=- old=- new=- gone=yes | pending accepted validated | finished
  accepted, the status turned, the name not yet | over name=validation | pending accepted validated | finished
  unanswered, the zone is untouched | untouched | pending unknown untouched | old
  unanswered, untouched validation under a strange name | validated name=x1 | pending unknown validated name=x1, validation, seen validated name=x1 | validation
  unanswered, validation has only settled | validated | pending unknown validated new=no | validation
  unanswered, no longer compatible, the list untouched | untouched fits=no | pending unknown untouched | old
  unanswered, another list | validated version=2 | pending unknown validated | unclear
  unanswered, another list without versions | validated rules=3 version=- | pending unknown validated version=- | unclear
  unanswered, the same list under another name | validated name=x2 | pending unknown validated name=x1 | unclear
  unanswered, a name that sounds like a finish | underWay | pending unknown validated | finishing
  unanswered, the old API gone since, while both are said to be on | underWay fits=- name=- gone=yes | pending unknown validated | finishing
  unanswered, the old API gone since, while the previous WAF is said to be on alone | untouched fits=- name=- gone=yes | pending unknown untouched | finishing
  unanswered, the previous WAF was off all along, no longer compatible | validated fits=no old=no | pending unknown validated old=no | validation
  unanswered, the previous WAF has gone off, the name not yet | over name=validation | pending unknown validated | finished
  validation sent without an answer, not taken | untouched | validation unknown untouched | old
  validation sent without an answer, taken under a strange name | validated name=x1 new=no | validation unknown untouched | validation
  validation sent without an answer, an empty list since | untouched version=2 | validation unknown untouched | unclear
  validation sent without an answer, its list seen, emptied since | untouched name=x1 version=2 | validation unknown untouched, seen untouched rules=3 | unclear
  validation accepted and not yet seen, the list emptied | untouched version=2 | validation accepted untouched | unclear
  as recorded, mute and under a strange name | validated name=x1 old=- new=- | validation, seen validated name=x1 old=- new=- | validation
  as recorded, the new WAF said to be on since | validated name=- | validation, seen validated name=- new=- | validation
  as recorded, but without versions, the new WAF said to be on since | validated name=- version=- | validation, seen validated name=- new=- version=- | unclear
  as recorded, under a name that sounds like a finish | validated name=pending | validation, seen validated name=pending | finishing
  rules edited since, the same strange name | validated name=x1 version=7 | validation, seen validated name=x1 | validation
  rules edited since, a status that says nothing | validated name=x1 version=7 old=- new=- | validation, seen validated name=x1 old=- new=- | unclear
  another strange name since | validated name=x2 | validation, seen validated name=x1 | finishing
  another strange name, the previous WAF off all along | validated name=x2 old=no | validation, seen validated name=x1 old=no | finished
  in validation, then only the new WAF, the name not yet | over name=validation fits=yes | validation, seen validated | finished
  in validation, the list emptied | validated rules=0 version=2 | validation, seen validated | validation
  in validation under a name that nobody knows, the list emptied | untouched name=x1 old=- new=- version=2 | validation, seen validated | unclear
  in validation, then the old API gone | validated fits=- name=- gone=yes | validation, seen validated | finishing
  finished by the state, whatever is shown | untouched | finished, seen over | finished
`;

describe("Where a zone is", () => {
  for (const line of cases.trim().split("\n")) {
    const [what = "", zone = "", record = "", at] = line.split("|").map((part) => part.trim());
    it(`${what}: ${at}`, () =>
      assert.equal(decide("finished", recorded(record), observed(zone), list).at, at));
  }
});

describe("What a person says of a finish", () => {
  const unanswered = sent("pending", "unknown", validated);
  const { sentAt } = unanswered.attempt ?? assert.fail();
  const edited = { ...validated, entrypointVersion: "2" };
  const said = (outcome: "accepted" | "notAccepted", seen: Observation, startedAt = sentAt) => {
    const verdict = decide("finished", { ...unanswered, unclearAttempt: { startedAt, outcome } }, seen, list);
    return verdict.refusal ?? verdict.outcome;
  };

  it("decides where the zone does not, for the attempt that it names and no other", () => {
    assert.equal(decide("finished", unanswered, edited, list).outcome, "ask");
    assert.equal(said("accepted", edited), "wait");
    assert.equal(said("notAccepted", edited), "finish");
    assert.equal(said("accepted", edited, "2020-01-01T00:00:00.000Z"), "outdated");
    assert.equal(said("notAccepted", edited, "2020-01-01T00:00:00.000Z"), "outdated");
    assert.equal(said("notAccepted", validated, "2020-01-01T00:00:00.000Z"), "finish", "nothing is asked");
  });

  it("is refused where check or status show the finish that did not arrive", () => {
    for (const seen of [
      underWay,
      { ...underWay, compatible: true },
      over,
      { ...edited, compatible: undefined, checkGone: true },
      { ...edited, compatible: false },
    ])
      assert.equal(said("notAccepted", seen), "contradicted", JSON.stringify(seen));
  });

  it("is the end where no status can be read", () => {
    const silent = { ...edited, oldEnabled: undefined, newEnabled: undefined, migrationState: "x" };
    const state = { ...unanswered, unclearAttempt: { startedAt: sentAt, outcome: "accepted" as const } };
    const { outcome, isByWord } = decide("finished", state, silent, list);
    assert.deepEqual([outcome, isByWord], ["adopt", true]);
    for (const told of [{ newEnabled: false }, { oldEnabled: true }])
      assert.equal(decide("finished", state, { ...silent, ...told }, list).outcome, "wait");
  });
});

describe("A list that was saved again with the rules of a finish", () => {
  const state = recorded("validation, seen validated");
  const saved = { isAsSent: true, lastUpdated: "2025-02-01T00:00:00Z" };
  const edited = { ...validated, entrypointVersion: "2" };
  const startedAt = "2025-02-01T00:00:00.000Z";

  it("is asked about by the moment at which it was saved, for either stage", () => {
    for (const stage of ["validation", "finished"] as const) {
      const { outcome, asked } = decide(stage, state, edited, saved);
      assert.deepEqual([outcome, asked?.sentAt], ["ask", startedAt]);
    }
    assert.equal(
      decide("finished", state, validated, saved).outcome,
      "finish",
      "it is the list that was seen",
    );
    assert.equal(decide("finished", state, edited, list).outcome, "finish", "others have edited it");
    assert.equal(decide("finished", state, edited, { isAsSent: true }).asked, undefined);
  });

  it("is no question where the zone shows a finish, whatever is said of it", () => {
    for (const [outcome, expected] of [
      ["accepted", "wait"],
      ["notAccepted", "finish"],
    ] as const) {
      const answered = { ...state, unclearAttempt: { startedAt, outcome } };
      assert.equal(decide("finished", answered, edited, saved).outcome, expected);
      assert.equal(
        decide("finished", answered, { ...underWay, entrypointVersion: "2" }, saved).outcome,
        "wait",
      );
    }
  });
});
