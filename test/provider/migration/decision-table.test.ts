import assert from "node:assert/strict";
import {
  decide,
  type ListFacts,
  type Outcome,
  outcomes,
} from "../../../provider/src/resources/waf-migration/decision-table";
import type { Observation, State } from "../../../provider/src/resources/waf-migration/state";
import { observed, recorded, sentAt } from "./support/standings";

const list: ListFacts = { isAsSent: false };
/** The list was saved again with the rules of a finish. */
const saved: ListFacts = { isAsSent: true, lastUpdated: "2025-01-01T00:00:00Z" };
const sends = (outcome: Outcome): boolean => outcome === "validate" || outcome === "finish";

const names = [undefined, "start", "x1", "x2", "validation", "pending", "done", "validation pending"];
const onOff = [true, false, undefined];

/** Every reading there can be, with and without rules. */
function* readings(): Generator<Observation> {
  for (const migrationState of names)
    for (const oldEnabled of onOff)
      for (const newEnabled of onOff)
        for (const compatible of onOff)
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
    "pending unknown validated, said accepted",
    "pending unknown untouched, said notAccepted",
    "pending unknown validated, said notAccepted",
    "finished, seen over",
  ].map((text) => [text, recorded(text)]),
);

describe("Whatever a zone shows", () => {
  /** Expects that no decision about the states whose text matches is wrong. */
  function none(
    pattern: RegExp,
    isWrong: (seen: Observation, outcome: Outcome, state: State) => boolean,
    facts = list,
  ): void {
    const wrong = Object.entries(states)
      .filter(([text]) => pattern.test(text))
      .flatMap(([text, state]) =>
        [...readings()].flatMap((seen) => {
          const { outcome } = decide("finished", state, seen, facts);
          return isWrong(seen, outcome, state) ? `${text}: ${JSON.stringify(seen)}: ${outcome}` : [];
        }),
      );
    assert.deepEqual(wrong.slice(0, 3), []);
  }

  it("a request is sent only from the previous WAF and from validation, and no zone goes back", () => {
    const rows = Object.entries(outcomes).map(([at, by]) => `${at}: ${by.validation}, ${by.finished}`);
    assert.deepEqual(rows, [
      "old: validate, finish",
      "validation: adopt, finish",
      "finishing: refuse, wait",
      "finished: refuse, adopt",
      "unclear: ask, ask",
    ]);
  });

  it("an accepted finish is never sent again, and no end is taken back", () => {
    none(
      /^pending accepted|said accepted|^finished/,
      (_seen, outcome) => outcome !== "wait" && outcome !== "adopt",
    );
  });

  it("nothing is sent under a name of a finish, nor where the previous WAF has gone off since the state was written", () => {
    none(/./, (seen, outcome, { attempt, observed: seenBefore }) => {
      const isOff = seen.newEnabled === true && seen.oldEnabled === false;
      const wasOn = (attempt?.before ?? seenBefore)?.oldEnabled === true;
      return sends(outcome) && (/pend|done/.test(seen.migrationState ?? "") || (isOff && wasOn));
    });
  });

  it("after a finish without an answer nothing is sent once the list, the name or the previous WAF has changed", () => {
    none(/^pending unknown [^,]*$/, (seen, outcome, { attempt }) => {
      const fields = ["migrationState", "oldEnabled", "ruleCount", "entrypointVersion"] as const;
      return sends(outcome) && fields.some((field) => seen[field] !== attempt?.before[field]);
    });
  });

  it("no one is believed that a finish was not accepted where the check does not say that the zone can be finished", () => {
    none(/notAccepted/, (seen, outcome) => sends(outcome) && seen.compatible !== true);
  });

  it("nothing is sent once the list was saved again with the rules of a finish", () => {
    none(
      /^validation, seen validated( old=no)?$/,
      (seen, outcome) => sends(outcome) && seen.entrypointVersion === "2",
      saved,
    );
  });

  it("a finish is sent with nothing in the state only to a zone without rules, or one that is called validation", () => {
    none(
      /^$/,
      (seen, outcome) => sends(outcome) && seen.migrationState !== "validation" && seen.ruleCount > 0,
    );
  });
});

/** What is seen, what is in the state, and where the zone is then, or why the answer of a person is refused. */
const cases = `
  an untouched zone | untouched | | old
  an untouched zone under a name that nobody knows | untouched name=phase-0 | | old
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
  a name of the end, the new WAF on, of the previous one nothing is said | over old=- | | finished
  the old API gone, only the new WAF | over fits=- name=- gone=yes | | finished
  the old API gone, status mute, a name of the end | untouched fits=- name=done old=- new=- gone=yes | | finished
  the old API gone, status mute, a name that sounds like a finish | untouched fits=- name=pending old=- new=- gone=yes | | finished
  an emptied list under a name that nobody knows, status mute | untouched name=x1 old=- new=- version=2 | | unclear
  an emptied list of a zone at its start | untouched version=2 | | old
  accepted, the zone not yet different | validated | pending accepted validated | finishing
  accepted, then the old API gone | underWay fits=- name=- old=- new=- gone=yes | pending accepted validated | finished
  accepted, the status turned, the name not yet | over name=validation | pending accepted validated | finished
  unanswered, the zone is untouched | untouched | pending unknown untouched | old
  unanswered, validation has only settled | validated | pending unknown validated new=no | validation
  unanswered, no longer compatible, the list untouched | untouched fits=no | pending unknown untouched | old
  unanswered, another list | validated version=2 | pending unknown validated | unclear
  unanswered, a name that sounds like a finish | underWay | pending unknown validated | finishing
  unanswered, the old API gone since, while the previous WAF is said to be on alone | untouched fits=- name=- gone=yes | pending unknown untouched | finishing
  unanswered, the old API gone since, status mute | untouched fits=- name=- old=- new=- gone=yes | pending unknown untouched | finished
  unanswered, the previous WAF was off all along, no longer compatible | validated fits=no old=no | pending unknown validated old=no | validation
  unanswered, the previous WAF has gone off, the name not yet | over name=validation | pending unknown validated | finished
  accepted by word, another list | validated version=2 | pending unknown validated, said accepted | finishing
  accepted by word, no status can be read | validated version=2 name=x old=- new=- | pending unknown validated, said accepted | finished by word
  accepted by word, only the new WAF's status can be read | validated version=2 name=x old=- new=no | pending unknown validated, said accepted | finishing
  denied, another list | validated version=2 | pending unknown validated, said notAccepted | validation
  denied, the name of a finish, still compatible | underWay fits=yes | pending unknown validated, said notAccepted | contradicted
  denied, only the new WAF, still compatible | over fits=yes | pending unknown validated, said notAccepted | contradicted
  denied, the check gone | validated version=2 fits=- gone=yes | pending unknown validated, said notAccepted | contradicted
  denied, no longer compatible | validated version=2 fits=no | pending unknown validated, said notAccepted | contradicted
  another attempt accepted by word | validated version=2 | pending unknown validated, earlier accepted | outdated
  another attempt denied, and nothing to be asked | validated | pending unknown validated, earlier notAccepted | validation
  validation sent without an answer, not taken | untouched | validation unknown untouched | old
  validation sent without an answer, taken under a strange name | validated name=x1 new=no | validation unknown untouched | validation
  validation sent without an answer, an empty list since | untouched version=2 | validation unknown untouched | unclear
  validation sent without an answer, finished by others since | over | validation unknown untouched | finished
  validation accepted and not yet seen, a finish by others under way | underWay | validation accepted untouched | finishing
  validation sent without an answer, its list seen, emptied since | untouched name=x1 version=2 | validation unknown untouched, seen untouched rules=3 | unclear
  validation accepted and not yet seen, the list emptied | untouched version=2 | validation accepted untouched | unclear
  as recorded, mute and under a strange name | validated name=x1 old=- new=- | validation, seen validated name=x1 old=- new=- | validation
  as recorded, the new WAF said to be on since | validated name=- | validation, seen validated name=- new=- | validation
  as recorded, but without versions, the new WAF said to be on since | validated name=- version=- | validation, seen validated name=- new=- version=- | unclear
  rules edited since, the same strange name | validated name=x1 version=7 | validation, seen validated name=x1 | validation
  rules edited since, a status that says nothing | validated name=x1 version=7 old=- new=- | validation, seen validated name=x1 old=- new=- | unclear
  another strange name since | validated name=x2 | validation, seen validated name=x1 | finishing
  another strange name, the previous WAF off all along | validated name=x2 old=no | validation, seen validated name=x1 old=no | finished
  a name of the end, the previous WAF off all along | over fits=yes | validation, seen validated old=no | finished
  the old API gone, the previous WAF off all along | over fits=- name=- gone=yes | validation, seen validated old=no | finished
  the old API gone and the previous WAF off since | over fits=- name=- gone=yes | validation, seen validated | finished
  in validation, then only the new WAF, the name not yet | over name=validation fits=yes | validation, seen validated | finished
  in validation under a name that nobody knows, the list emptied | untouched name=x1 old=- new=- version=2 | validation, seen validated | unclear
  in validation, then the old API gone | validated fits=- name=- gone=yes | validation, seen validated | finishing
  in validation, the list saved again as a finish sends it | validated version=2 saved | validation, seen validated | unclear
  the list saved again, and a finish under way | underWay saved | validation, seen validated | finishing
  in validation, the list as a finish sends it, and not saved since | validated saved | validation, seen validated | validation
  the list saved again, a finish accepted by word | validated version=2 saved | validation, seen validated, said accepted | finishing
  the list saved again, a finish denied | validated version=2 saved | validation, seen validated, said notAccepted | validation
  the list saved again, a finish denied and under way | underWay saved | validation, seen validated, said notAccepted | finishing
  finished by the state, whatever is shown | untouched | finished, seen over | finished
`;

describe("Where a zone is", () => {
  for (const line of cases.trim().split("\n")) {
    const [what = "", zone = "", record = "", expected] = line.split("|").map((part) => part.trim());
    const shown = zone.replace(" saved", "");
    it(`${what}: ${expected}`, () => {
      const facts = shown === zone ? list : saved;
      const { at, outcome, refusal, isByWord } = decide("finished", recorded(record), observed(shown), facts);
      assert.equal(outcome, refusal ? "refuse" : outcomes[at].finished);
      assert.equal(refusal ?? (isByWord ? `${at} by word` : at), expected);
    });
  }

  it("in validation, a list that is not as declared is sent again, and no other zone gets one", () => {
    const adjusted = { ...list, isAdjusted: true };
    for (const [zone, record, expected] of [
      ["validated", "validation, seen validated", "validate"],
      ["untouched", "", "validate"],
      ["over", "", "refuse"],
      ["underWay", "", "refuse"],
      ["validated name=x1", "", "ask"],
    ] as const)
      assert.equal(decide("validation", recorded(record), observed(zone), adjusted).outcome, expected);
    assert.equal(decide("validation", {}, observed("validated"), list).outcome, "adopt");
    // A finish sends the list that is declared.
    assert.equal(decide("finished", {}, observed("validated"), adjusted).outcome, "finish");
  });

  it("a list that was saved again is asked about by the moment at which it was saved, for either stage", () => {
    const state = recorded("validation, seen validated");
    const edited = observed("validated version=2");
    for (const stage of ["validation", "finished"] as const) {
      const { outcome, asked } = decide(stage, state, edited, saved);
      assert.deepEqual([outcome, asked?.sentAt], ["ask", sentAt]);
    }
    assert.equal(decide("finished", state, edited, { isAsSent: true }).asked, undefined);
  });
});
