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

const bases: Readonly<Record<string, Observation>> = { untouched, validated, underWay, over };
const fields: Readonly<Record<string, string>> = {
  fits: "compatible",
  name: "migrationState",
  old: "oldEnabled",
  new: "newEnabled",
  gone: "checkGone",
  rules: "ruleCount",
  version: "entrypointVersion",
};

/** `validated name=x1 new=-`: like that zone, but for these; `-` is what the service does not tell. */
function observed(text: string): Observation {
  const [base = "", ...changes] = text.split(" ");
  const changed = changes.map((change) => {
    const [field = "", word = ""] = change.split("=");
    const plain = { yes: true, no: false, "-": undefined };
    const value = field === "rules" ? Number(word) : word in plain ? Object(plain)[word] : word;
    return [fields[field], value];
  });
  return { ...bases[base], ...Object.fromEntries(changed) };
}

/** Parts with commas: `pending unknown ZONE` is an attempt and what was seen before it, `seen ZONE` what was observed, else what was reached. */
function recorded(text: string): State {
  const parts = text.split(", ").map((part): State => {
    const attempt = /^(validation|pending) (accepted|unknown) (.*)$/.exec(part);
    if (attempt) {
      const [, mode, outcome, before = ""] = attempt;
      return sent(mode as Attempt["mode"], outcome as Attempt["outcome"], observed(before));
    }
    if (part.startsWith("seen ")) return { observed: observed(part.slice(5)) };
    return part === "" ? {} : { reached: part as Position };
  });
  return Object.assign({}, ...parts);
}

const table = `
  an untouched zone | untouched | | old
  an untouched zone whose status is mute | untouched old=- new=- | | old
  an untouched zone under a name that nobody knows | untouched name=phase-0 | | old
  a zone without any name | untouched name=- | | old
  rules although the migration says start | untouched rules=2 | | unclear
  a zone in validation | validated | | validation
  a zone in validation by number | validated name=2 | | validation
  a zone that enters validation | validated new=no | | validation
  validation whose status is mute | validated old=- new=- | | validation
  both on under a name that nobody knows | validated name=phase-b | | unclear
  both on without a name | validated name=- | | unclear
  validation of a zone whose previous WAF was off | validated old=no | | validation
  validation of a zone whose previous WAF was off, seen so before, which can no longer migrate | validated fits=no old=no | validation, seen validated old=no | validation
  a finish that never arrived in a zone whose previous WAF was off and which can no longer migrate | validated fits=no old=no | pending unknown validated old=no | validation
  a finish under way from validation | underWay | | finishing
  a finish under way from the previous WAF | underWay new=no | | finishing
  a finish under way by number | underWay name=1 | | finishing
  a name that sounds like a finish on a zone without rules | untouched name=in_progress | | finishing
  a finish under way under the first name | underWay name=start new=no | | unclear
  only the new WAF | over | | finished
  only the new WAF under the name of the beginning | over name=start | | finished
  only the new WAF, name of validation, no longer compatible | over name=validation | | unclear
  only the new WAF, the old API gone | over fits=- name=- gone=yes | | finished
  the old API gone, status mute, rules there | underWay fits=- name=- old=- new=- gone=yes | | finished
  the old API gone, status mute, no rules | untouched fits=- name=- old=- new=- gone=yes | | unclear
  the old API gone, but the previous WAF said to be on | untouched fits=- name=- gone=yes | | unclear
  a name of the end, status mute | over old=- new=- | | finished
  a name of the way to the end, status mute | underWay old=- new=- | | finishing
  accepted, the zone not yet different | validated | pending accepted validated | finishing
  accepted, then the old API gone | underWay fits=- name=- old=- new=- gone=yes | pending accepted validated | finished
  accepted, everything mute | underWay name=x3 old=- new=- | pending accepted untouched | finishing
  accepted, the status turned | over | pending accepted validated | finished
  unknown, the zone is untouched | untouched | pending unknown untouched | old
  unknown, validation is untouched | validated | pending unknown validated | validation
  unknown, untouched validation under a strange name | validated name=x1 | pending unknown validated name=x1, validation, seen validated name=x1 | validation
  unknown, validation has only settled | validated | pending unknown validated new=no | validation
  unknown, a list that is not what was sent | validated version=2 | pending unknown validated | unclear
  unknown, a list that is not what was sent, and a name that sounds like a finish | underWay | pending unknown validated | finishing
  unknown, no longer compatible, the list untouched | untouched fits=no | pending unknown untouched | old
  unknown, validation of a zone whose previous WAF was off | validated old=no | pending unknown validated old=no | validation
  unknown, the old API gone since | underWay fits=- name=- old=- new=- gone=yes | pending unknown validated | finished
  unknown, the old API gone since, while both are said to be on | underWay fits=- name=- gone=yes | pending unknown validated | finishing
  unknown, the old API gone before and after, and another list | underWay fits=- name=- old=- new=- gone=yes | pending unknown validated fits=- name=- old=- new=- gone=yes | unclear
  unknown, the previous WAF went off, and the list is the same | validated fits=- name=- old=no new=- | pending unknown validated | unclear
  unknown, without versions of the list, and nothing else has changed but that it can no longer migrate | validated fits=no version=- | pending unknown validated version=- | unclear
  unknown, without versions, and a list has come into being | untouched rules=2 | pending unknown untouched | unclear
  unknown, the previous WAF was switched off in validation, the list untouched | validated old=no | pending unknown validated new=no | validation
  validation sent without an answer, not taken | untouched | validation unknown untouched | old
  validation sent without an answer, taken under a strange name | validated name=x1 | validation unknown untouched | validation
  validation sent without an answer, taken, mute | validated name=start old=- new=- | validation unknown untouched | validation
  validation sent, then no longer compatible | validated fits=no name=x2 | validation unknown untouched | unclear
  as recorded | validated | validation, seen validated | validation
  as recorded, mute and under a strange name | validated name=x1 old=- new=- | validation, seen validated name=x1 old=- new=- | validation
  rules edited since | validated version=7 | validation, seen validated | validation
  edited under a name that nobody knows | validated name=x1 version=7 | validation, seen validated name=x1 | validation
  another strange name since | validated name=x2 | validation, seen validated name=x1 | finishing
  finished by someone since | over | validation, seen validated | finished
  being finished by someone | underWay | validation, seen validated | finishing
  in validation, the list emptied | validated rules=0 version=2 | validation, seen validated | validation
  in validation under a name that nobody knows, status mute, the list emptied | untouched name=x1 old=- new=- version=2 | validation, seen validated | unclear
  validation accepted and not yet seen, status mute, the list emptied | untouched old=- new=- version=2 | validation accepted untouched | unclear
  validation not answered, its list seen, the new WAF not on yet, the list emptied | untouched name=x1 version=2 | validation unknown untouched, seen untouched rules=3 | unclear
  an emptied list under a name that nobody knows, status mute, nothing on record | untouched name=x1 old=- new=- version=2 | | unclear
  an emptied list of a zone at its start | untouched version=2 | | old
  validation not answered, its list never seen, emptied since | untouched version=2 | validation unknown untouched | unclear
  validation that never arrived, an empty list all along | untouched version=1 | validation unknown untouched version=1 | old
  in validation, then the old API gone | validated fits=- name=- gone=yes | validation, seen validated | finishing
  in validation without a name, then with a strange one | validated name=x1 | validation, seen validated name=- | unclear
  in validation under a strange name, then without one | validated name=- | validation, seen validated name=x1 | unclear
  in validation under a strange name, then another one with the previous WAF off | validated name=x2 old=no | validation, seen validated name=x1 | finished
  reached although nothing was observed, under a strange name | validated name=x1 | validation | unclear
  an emptied list at its start, status mute, nothing on record | untouched old=- new=- version=2 | | old
  an emptied list without any name, status mute, nothing on record | untouched name=- old=- new=- version=2 | | old
  an emptied list under a strange name, the new WAF said to be off | untouched name=x1 version=2 | | old
  no list yet under a strange name, status mute | untouched name=x1 old=- new=- | | old
  rules and the old API gone, the new WAF said to be off | validated fits=- name=- new=no gone=yes | | unclear
  rules and the old API gone, of the new WAF nothing is said | validated fits=- name=- new=- gone=yes | | unclear
  rules and the old API gone, of the old WAF nothing is said | validated fits=- name=- old=- gone=yes | | finishing
  a name of the end while the previous WAF is said to be on | underWay name=done | | finishing
  a name of the end while the new WAF is said to be off | over old=- new=no | | finishing
  validation sent without an answer, the new WAF off, under a strange name | validated name=x1 new=no | validation unknown untouched | validation
  a finish accepted long ago, both on again | validated | pending accepted untouched | finishing
  finished by the record, whatever is shown | untouched | finished, seen over | finished
  unknown, without versions of the list, and nothing at all has changed | validated version=- | pending unknown validated version=- | validation
  unknown, without versions, and the list has been emptied | untouched name=validation new=yes | pending unknown validated version=- | unclear
  unknown, the same list under another name | validated name=x2 | pending unknown validated name=x1 | unclear
  unknown, the same list, and only the previous WAF went off | validated name=x1 old=no new=no | pending unknown validated name=x1 new=no | unclear
  unknown, the same list, and only the old API is gone | validated gone=yes | pending unknown validated | finishing
  as recorded without a name, the new WAF said to be on since | validated name=- | validation, seen validated name=- new=- | validation
  as recorded under a strange name, the new WAF no longer told | validated name=x1 new=- | validation, seen validated name=x1 | validation
  as recorded without a name in a zone whose previous WAF was off, the new one said to be on since | validated name=- old=no | validation, seen validated name=- old=no new=- | unclear
  recorded without a name and without versions, the new WAF said to be on since | validated name=- version=- | validation, seen untouched name=- new=- rules=2 | unclear
  recorded without a name, the new WAF said to be on since, another list | validated name=- version=2 | validation, seen validated name=- new=- | unclear
  validation seen under a strange name, then no longer compatible | validated fits=no name=x1 new=no | validation unknown untouched, seen validated fits=no name=x1 new=no | unclear
  validation seen before the new WAF was on, on under another strange name now | validated name=x2 | validation unknown untouched, seen validated name=x1 new=no | validation
  in validation by a record that does not say what was observed, the list emptied | untouched old=- new=- version=2 | validation | unclear
  validation accepted and not yet seen in a zone with an empty list, empty again | untouched version=1 | validation accepted untouched version=1 | unclear
  validation not answered in a zone with an empty list, its list seen, emptied again | untouched version=3 | validation unknown untouched version=1, seen untouched rules=3 version=1 | unclear
  an empty list that was seen to be empty | untouched version=1 | validation unknown untouched version=1, seen untouched version=1 | old
  rules and the old API gone, of the old WAF nothing is said, the new one said to be off | validated fits=- name=- old=- new=no gone=yes | | unclear
`;

/** What is seen of a zone, what is on record, and where it stands then. */
export const cases = table
  .trim()
  .split("\n")
  .map((line): readonly [string, Observation, State, Position] => {
    const [what = "", zone = "", record = "", position] = line.split("|").map((part) => part.trim());
    return [what, observed(zone), recorded(record), position as Position];
  });
