import assert from "node:assert/strict";
import {
  decide,
  type ListFacts,
  outcomes,
  type UpdateAction,
} from "../../../provider/src/resources/waf-migration/decision-table";
import type { Observation, State } from "../../../provider/src/resources/waf-migration/state";
import { observed, recorded, sentAt } from "./support/standings";

const list: ListFacts = { isAsSent: false };
/** Someone or a finish has saved the list again, with the rules that a finish sends. */
const saved: ListFacts = { isAsSent: true, lastUpdated: "2025-01-01T00:00:00Z" };
const sends = (outcome: UpdateAction): boolean => outcome === "validate" || outcome === "finish";

const names = [undefined, "start", "x1", "x2", "validation", "pending", "done", "validation pending"];
const onOff = [true, false, undefined];

/** Every possible reading of a zone, with and without rules. */
function* readings(): Generator<Observation> {
  for (const migrationState of names)
    for (const oldEnabled of onOff)
      for (const newEnabled of onOff)
        for (const compatible of onOff)
          for (const entrypointVersion of [undefined, "1", "2"])
            for (const ruleCount of [0, 2])
              for (const checkGone of compatible === undefined ? [true, false] : [false])
                yield {
                  migrationState,
                  oldEnabled,
                  newEnabled,
                  compatible,
                  entrypointVersion,
                  ruleCount,
                  checkGone,
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

describe("An update, whatever the zone shows", () => {
  /** Asserts that no decision is wrong, for all states whose text matches. */
  function none(
    pattern: RegExp,
    isWrong: (seen: Observation, outcome: UpdateAction, state: State) => boolean,
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

  it("sends a request only to a zone on the previous WAF or in validation, and never moves a zone back", () => {
    const rows = Object.entries(outcomes).map(([at, by]) => `${at}: ${by.validation}, ${by.finished}`);
    assert.deepEqual(rows, [
      "old: validate, finish",
      "validation: adopt, finish",
      "finishing: refuse, wait",
      "finished: refuse, adopt",
      "unclear: ask, ask",
    ]);
  });

  it("never sends an accepted finish again, and never takes a finished migration back", () => {
    none(
      /^pending accepted|said accepted|^finished/,
      (_seen, outcome) => outcome !== "wait" && outcome !== "adopt",
    );
  });

  it("sends nothing if the name means a finish, or if the previous WAF was switched off after the state was written", () => {
    none(/./, (seen, outcome, { attempt, observed: seenBefore }) => {
      const isOff = seen.newEnabled === true && seen.oldEnabled === false;
      const wasOn = (attempt?.before ?? seenBefore)?.oldEnabled === true;
      return sends(outcome) && (/pend|done/.test(seen.migrationState ?? "") || (isOff && wasOn));
    });
  });

  it("sends nothing after an unanswered finish once the list, the name or the previous WAF has changed", () => {
    none(/^pending unknown [^,]*$/, (seen, outcome, { attempt }) => {
      const fields = ["migrationState", "oldEnabled", "ruleCount", "entrypointVersion"] as const;
      return sends(outcome) && fields.some((field) => seen[field] !== attempt?.before[field]);
    });
  });

  it("believes that a finish was not accepted only if the check says that the zone can be finished", () => {
    none(/notAccepted/, (seen, outcome) => sends(outcome) && seen.compatible !== true);
  });

  it("sends nothing after the list was saved again with the rules of a finish", () => {
    none(
      /^validation, seen validated( old=no)?$/,
      (seen, outcome) => sends(outcome) && seen.entrypointVersion === "2",
      saved,
    );
  });

  it("with an empty state, sends a finish only to a zone that has no rules or is named validation", () => {
    none(
      /^$/,
      (seen, outcome) => sends(outcome) && seen.migrationState !== "validation" && seen.ruleCount > 0,
    );
  });
});

/**
 * Title, what the zone shows, what the state contains, and the position of the zone, or why a person's answer is refused. No
 * status: the status does not show which WAF is on.
 */
const cases = `
  an untouched zone | untouched | | old
  a zone that is entering validation | validated new=no | | validation
  validation named by a number, no status | validated name=2 old=- new=- | | validation
  both WAFs on, an unknown name | validated name=phase-b | | unclear
  only the new WAF on, named validation, no longer compatible | validated old=no fits=no | | unclear
  a finish under way, named by a number | underWay name=1 | | finishing
  a name that sounds like a finish, a zone without rules | untouched name=in_progress | | finishing
  the old API gone, no status, some rules | underWay fits=- name=- old=- new=- gone=yes | | finished
  the old API gone, no status, no rules | untouched fits=- name=- old=- new=- gone=yes | | unclear
  the old API gone, but the previous WAF reported as on | untouched fits=- name=- gone=yes | | unclear
  the old API gone, the new WAF on, no status of the previous one | validated fits=- name=- old=- gone=yes | | finished
  a name that means the end, no status | over old=- new=- | | finished
  a name that means the end, the new WAF on, no status of the previous one | over old=- | | finished
  the old API gone, only the new WAF on | over fits=- name=- gone=yes | | finished
  the old API gone, no status, a name that means the end | untouched fits=- name=done old=- new=- gone=yes | | finished
  the old API gone, no status, a name that sounds like a finish | untouched fits=- name=pending old=- new=- gone=yes | | finished
  an emptied list, an unknown name, no status | untouched name=x1 old=- new=- version=2 | | unclear
  an emptied list of a zone at its start | untouched version=2 | | old
  accepted, but the zone has not changed yet | validated | pending accepted validated | finishing
  accepted, the status has changed, the name not yet | over name=validation | pending accepted validated | finished
  unanswered, no longer compatible, the list unchanged | untouched fits=no | pending unknown untouched | old
  unanswered, a name that sounds like a finish | underWay | pending unknown validated | finishing
  unanswered, the old API gone since, but only the previous WAF reported as on | untouched fits=- name=- gone=yes | pending unknown untouched | finishing
  unanswered, the old API gone since, no status | untouched fits=- name=- old=- new=- gone=yes | pending unknown untouched | finished
  unanswered, the previous WAF off from the start, no longer compatible | validated fits=no old=no | pending unknown validated old=no | validation
  unanswered, the previous WAF switched off since, the name not changed yet | over name=validation | pending unknown validated | finished
  reported as accepted, no status of either WAF | validated version=2 name=x old=- new=- | pending unknown validated, said accepted | finished as reported
  reported as accepted, only the status of the new WAF is known | validated version=2 name=x old=- new=no | pending unknown validated, said accepted | finishing
  reported as not accepted, the list has changed | validated version=2 | pending unknown validated, said notAccepted | validation
  reported as not accepted, a name that means a finish, still compatible | underWay fits=yes | pending unknown validated, said notAccepted | contradicted
  reported as not accepted, only the new WAF on, still compatible | over fits=yes | pending unknown validated, said notAccepted | contradicted
  reported as not accepted, no longer compatible | validated version=2 fits=no | pending unknown validated, said notAccepted | contradicted
  another attempt reported as accepted | validated version=2 | pending unknown validated, earlier accepted | outdated
  validation unanswered, not accepted | untouched | validation unknown untouched | old
  validation unanswered, accepted under an unknown name | validated name=x1 new=no | validation unknown untouched | validation
  validation unanswered, a new list without rules since | untouched version=2 | validation unknown untouched | unclear
  validation unanswered, finished by others since | over | validation unknown untouched | finished
  validation accepted but not visible yet, others are finishing | underWay | validation accepted untouched | finishing
  validation accepted but not visible yet, the list was emptied | untouched version=2 | validation accepted untouched | unclear
  as in the state, but the new WAF now reported as on | validated name=- | validation, seen validated name=- new=- | validation
  as in the state, no versions, but the new WAF now reported as on | validated name=- version=- | validation, seen validated name=- new=- version=- | unclear
  rules edited since, the same unknown name | validated name=x1 version=7 | validation, seen validated name=x1 | validation
  another unknown name since | validated name=x2 | validation, seen validated name=x1 | finishing
  another unknown name, the previous WAF off from the start | validated name=x2 old=no | validation, seen validated name=x1 old=no | finished
  a name that means the end, the previous WAF off from the start | over fits=yes | validation, seen validated old=no | finished
  the old API gone, the previous WAF off from the start | over fits=- name=- gone=yes | validation, seen validated old=no | finished
  the old API gone, and the previous WAF switched off since | over fits=- name=- gone=yes | validation, seen validated | finished
  in validation, then only the new WAF on, the name not changed yet | over name=validation fits=yes | validation, seen validated | finished
  in validation, then an emptied list, an unknown name, no status | untouched name=x1 old=- new=- version=2 | validation, seen validated | unclear
  in validation, then the old API gone | validated fits=- name=- gone=yes | validation, seen validated | finishing
  in validation, the list saved again as a finish sends it | validated version=2 saved | validation, seen validated | unclear
  the list saved again, and a finish under way | underWay saved | validation, seen validated | finishing
  in validation, the list as a finish sends it, but not saved since | validated saved | validation, seen validated | validation
  the list saved again, a finish reported as not accepted | validated version=2 saved | validation, seen validated, said notAccepted | validation
  the list saved again, a finish reported as not accepted but under way | underWay saved | validation, seen validated, said notAccepted | finishing
  finished in the state, whatever the zone shows | untouched | finished, seen over | finished
`;

describe("The position of a zone", () => {
  for (const line of cases.trim().split("\n")) {
    const [what = "", zone = "", record = "", expected] = line.split("|").map((part) => part.trim());
    const shown = zone.replace(" saved", "");
    it(`${what}: ${expected}`, () => {
      const facts = shown === zone ? list : saved;
      const { at, outcome, refusal, isByWord } = decide("finished", recorded(record), observed(shown), facts);
      assert.equal(outcome, refusal ? "refuse" : outcomes[at].finished);
      assert.equal(refusal ?? (isByWord ? `${at} as reported` : at), expected);
    });
  }

  it("given a declared list that the zone does not have, then a validation sends it, unless the zone is or may be past validation", () => {
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
    // A finish sends the declared list in any case.
    assert.equal(decide("finished", {}, observed("validated"), adjusted).outcome, "finish");
  });

  it("given a list that was saved again, then an update to either stage asks about it, by the time of that save", () => {
    const state = recorded("validation, seen validated");
    const edited = observed("validated version=2");
    for (const stage of ["validation", "finished"] as const) {
      const { outcome, asked } = decide(stage, state, edited, saved);
      assert.deepEqual([outcome, asked?.sentAt], ["ask", sentAt]);
    }
    assert.equal(decide("finished", state, edited, { isAsSent: true }).asked, undefined);
  });
});
