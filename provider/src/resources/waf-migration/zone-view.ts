import { canonicalize } from "../../text/data";
import type { Observation, State } from "./state";

/** Rows of the decision table, with descriptions: how far the migration has come, according to the state and `unclearAttempt`. */
export const recordings = {
  nothing: "no request, and no stage that the zone has reached",
  validationUnanswered: "a validation request without a response",
  validationSent:
    "a validation request that was accepted, or that was sent when the zone was already in validation",
  validation: "the zone has reached validation",
  cutOff:
    "the zone has reached validation, and after that its list was saved with exactly the rules that a finish sends",
  cutOffDenied: "the same as `cutOff`, and `unclearAttempt` says that no finish was accepted",
  finishUnanswered: "a finish without a response",
  finishDenied: "a finish without a response, and `unclearAttempt` says that it was not accepted",
  finishAccepted: "a finish that was accepted, as the service or `unclearAttempt` says",
  finished: "a migration that has ended",
} as const;
export type Recording = keyof typeof recordings;

/** Columns of the decision table, with descriptions: what one reading of a zone shows, compared with the state. */
export const views = {
  same: "the zone has not changed since the unanswered request or, if every request was answered, since it was last seen in validation. For an unanswered finish, the list, the name of the migration state and the previous WAF are compared; for an unanswered validation, only the list",
  old: "only the previous WAF, and no rules",
  begun: "there are rules, or both WAFs are on, but nothing says how far the migration has come",
  validation: "validation, judging by the name of the migration state",
  finishing:
    "a finish under way, judging by the name of the migration state, or because the compatibility check is gone",
  new: "only the new WAF",
  checkGone: "the compatibility check is gone, and the previous WAF is on or the new one off",
  gone: "the compatibility check is gone, nothing says that the previous WAF is on, and there are no rules",
  unclear: "facts that contradict each other, or a list that was emptied",
} as const;
export type View = keyof typeof views;

type Look = Exclude<View, "same">;

/**
 * Patterns for the names of migration states. Only `start` is documented, so a name is only a hint: a name that sounds like a
 * finish prevents a request, but no name is enough by itself to send one.
 */
const names = {
  end: /finished|complete|done|migrated/i,
  finish: /pend|progress|finish|complet|done|migrated|^1$/i,
  validation: /valid|^2$/i,
  untouched: /^start$/i,
};

/**
 * Meaning of the name of a migration state. With `kept` and `moved`, the new WAF is on and the name itself means nothing. `kept`:
 * the name is the one that the zone had in validation; `moved`: it is another one.
 */
type NameMeaning = "nothing" | "validation" | "kept" | "moved" | "finish" | "end";

type LooksByMeaning = Readonly<Record<NameMeaning, Look>>;

function each(look: Look): LooksByMeaning {
  return { nothing: look, validation: look, kept: look, moved: look, finish: look, end: look };
}

const byName: LooksByMeaning = {
  ...each("finishing"),
  nothing: "begun",
  validation: "validation",
  kept: "validation",
};
const notOn: LooksByMeaning = { ...byName, nothing: "old" };

/**
 * WAFs that are on. Only the new WAF: `newSince` if the previous one was on when the state was written, `newAsBefore` if it was
 * already off, `newAlone` if that is not known. `newOn`: the new WAF, and perhaps the previous one. `notReported`: the service
 * does not say.
 */
type WafsOn = "newSince" | "newAlone" | "newAsBefore" | "newOn" | "both" | "old" | "notReported";

/** View of a zone, by the WAFs that are on, by whether the compatibility check exists, and by the meaning of the state name. */
const looks: Readonly<Record<WafsOn, readonly [there: LooksByMeaning, gone: LooksByMeaning]>> = {
  newSince: [each("new"), each("new")],
  newAlone: [{ ...each("new"), validation: "validation" }, each("new")],
  // The name of the migration state decides.
  newAsBefore: [{ ...byName, moved: "new", end: "new" }, each("new")],
  newOn: [{ ...byName, end: "new" }, each("new")],
  both: [byName, each("finishing")],
  old: [notOn, { ...each("checkGone"), finish: "finishing", end: "finishing" }],
  notReported: [
    { ...notOn, end: "new" },
    { ...each("gone"), finish: "new", end: "new" },
  ],
};

/** Chooses the column of the decision table for a reading of a zone. `recorded`: the row that `record` belongs to. */
export function chooseColumn(recorded: Recording, record: State, seen: Observation): View {
  const { attempt, reached, observed } = record;
  const inValidation = reached === "validation" ? observed : undefined;
  // After an accepted finish it does not matter whether the previous WAF was on before.
  const was = recorded === "finishAccepted" ? undefined : (attempt?.before ?? inValidation);
  const name = readStateName(seen, recorded.startsWith("finish"), inValidation?.migrationState);
  const wafs = findWafsOn(seen, was?.oldEnabled);
  const look = chooseLook(seen, name, wafs);
  if (name === "finish" || name === "end" || wafs === "newAlone" || wafs === "newSince") return look;
  return isSame(recorded, attempt?.before, inValidation, seen, look) ? "same" : look;
}

function readStateName(seen: Observation, isSent: boolean, recorded: string | undefined): NameMeaning {
  const { migrationState: name = "", newEnabled } = seen;
  if (names.end.test(name)) return "end";
  if (names.finish.test(name)) return "finish";
  // After a finish was sent, the service may still return the name of the earlier migration state.
  if (isSent) return "nothing";
  if (names.validation.test(name)) return "validation";
  if (newEnabled !== true || recorded === undefined || name === "") return "nothing";
  return recorded === name ? "kept" : "moved";
}

function findWafsOn({ oldEnabled, newEnabled }: Observation, wasOldOn: boolean | undefined): WafsOn {
  if (newEnabled === true && oldEnabled === false)
    return wasOldOn === undefined ? "newAlone" : wasOldOn ? "newSince" : "newAsBefore";
  if (newEnabled === true) return oldEnabled ? "both" : "newOn";
  return newEnabled === false || oldEnabled === true ? "old" : "notReported";
}

function chooseLook(seen: Observation, name: NameMeaning, wafs: WafsOn): Look {
  const { compatible, migrationState, newEnabled, ruleCount, entrypointVersion, checkGone } = seen;
  const look = looks[wafs][checkGone ? 1 : 0][name];
  if (look === "validation" && wafs === "newAlone" && compatible !== true) return "unclear";
  if (look === "gone" && ruleCount > 0) return "new";
  if (look !== "old") return look;
  // There are rules only if a migration has begun.
  if (ruleCount > 0) return "begun";
  // An empty list with a version may have had rules. If the migration state has a name other than `start`, and no status says
  // that the new WAF is off, someone may have emptied the list.
  const isNamed = migrationState !== undefined && !names.untouched.test(migrationState);
  return isNamed && newEnabled === undefined && entrypointVersion !== undefined ? "unclear" : "old";
}

/** Whether the zone looks as it did before the request in the state (`before`), or as it did in validation. */
function isSame(
  recorded: Recording,
  before: Observation | undefined,
  inValidation: Observation | undefined,
  now: Observation,
  look: Look,
): boolean {
  const { newEnabled, compatible, oldEnabled, ruleCount, entrypointVersion: version } = now;
  switch (recorded) {
    case "finishUnanswered":
    case "finishDenied": {
      // If the list has a version or is empty, an edit of it can be detected, so two other fields may differ.
      const mayDiffer = (version !== undefined || ruleCount === 0) && { newEnabled, compatible };
      return before !== undefined && !differs({ ...before, ...mayDiffer }, now);
    }
    case "validationUnanswered":
      return look === "old" && before?.entrypointVersion === version;
    case "validationSent":
    case "validation": {
      // The new WAF may have been switched on after the zone was seen in validation.
      const mayDiffer = version !== undefined && oldEnabled !== false && { newEnabled };
      return inValidation !== undefined && !differs({ ...inValidation, ...mayDiffer }, now);
    }
    default:
      return false;
  }
}

/** Whether neither WAF's status can be read. */
export function tellsNothing({ oldEnabled, newEnabled }: Observation): boolean {
  return oldEnabled === undefined && newEnabled === undefined;
}

/** Whether two observations differ in any field. An accepted finish can change every field. */
export function differs(before: Observation, now: Observation): boolean {
  return canonicalize(before) !== canonicalize(now);
}
