import { canonical } from "../../text/data";
import type { Observation, State } from "./state";

/** States of a migration as this stack knows them, from the state and from `unclearAttempt`, each with its description. */
export const recordings = {
  nothing: "nothing",
  validationUnanswered: "a validation request without an answer",
  validationSent: "a validation request that the service accepted",
  validation: "validation",
  cutOff: "validation, and the list was saved since with the rules that a finish sends",
  cutOffDenied: "the same, and `unclearAttempt` says that no finish was accepted",
  finishUnanswered: "a finish without an answer",
  finishDenied: "a finish without an answer, and `unclearAttempt` says that it was not accepted",
  finishAccepted: "a finish that was accepted, as the service or `unclearAttempt` says",
  finished: "the end",
} as const;
export type Recorded = keyof typeof recordings;

/** Kinds of what a zone shows in one reading, compared with the state, each with its description. */
export const views = {
  same: "nothing has changed that a finish changes (for a validation: the list has not)",
  old: "only the previous WAF, and no rules",
  begun: "rules, or both WAFs, and nothing that says how far the migration is",
  validation: "validation, by the name of its state",
  finishing: "a finish under way, by the name of its state or because the check is gone",
  new: "only the new WAF",
  checkGone: "the check is gone, and the previous WAF is still on",
  gone: "check and status are gone, and there are no rules",
  unclear: "facts that contradict each other, or a list that was emptied",
} as const;
export type View = keyof typeof views;

type Look = Exclude<View, "same">;

/**
 * Names of migration states, which are only hints: just `start` is documented. A name that sounds like a finish prevents a request;
 * no name is enough to send one.
 */
const names = {
  end: /finished|complete|done|migrated/i,
  finish: /pend|progress|finish|complet|done|migrated|^1$/i,
  validation: /valid|^2$/i,
  untouched: /^start$/i,
};

/** Meaning of the name of a zone's state. `kept`, `moved`: the new WAF is on, and the name is that of validation, or another. */
type Meaning = "nothing" | "validation" | "kept" | "moved" | "finish" | "end";

type Named = Readonly<Record<Meaning, Look>>;

function each(look: Look): Named {
  return { nothing: look, validation: look, kept: look, moved: look, finish: look, end: look };
}

const byName: Named = {
  ...each("finishing"),
  nothing: "begun",
  validation: "validation",
  kept: "validation",
};
const notOn: Named = { ...byName, nothing: "old" };
type Force = "newSince" | "newAlone" | "newAsBefore" | "newOn" | "both" | "old" | "untold";

/** Appearance of a zone, by the WAFs that are on, by whether the check is there, and by the meaning of its state's name. */
const looks: Readonly<Record<Force, readonly [there: Named, gone: Named]>> = {
  // Since the state was written the previous WAF has gone off.
  newSince: [each("new"), each("new")],
  newAlone: [{ ...each("new"), validation: "validation" }, each("new")],
  // The previous WAF was off all along: the name decides.
  newAsBefore: [{ ...byName, moved: "new", end: "new" }, each("new")],
  // Whether the previous WAF is on is not told.
  newOn: [{ ...byName, end: "new" }, each("new")],
  both: [byName, each("finishing")],
  old: [notOn, { ...each("checkGone"), finish: "finishing", end: "finishing" }],
  untold: [
    { ...notOn, end: "new" },
    { ...each("gone"), finish: "new", end: "new" },
  ],
};

export function viewOf(recorded: Recorded, record: State, seen: Observation): View {
  const { attempt, reached, observed } = record;
  const inValidation = reached === "validation" ? observed : undefined;
  // After an accepted finish the previous WAF is off for good.
  const was = recorded === "finishAccepted" ? undefined : (attempt?.before ?? inValidation);
  const name = meaningOf(seen, recorded.startsWith("finish"), inValidation?.migrationState);
  const force = forceOf(seen, was?.oldEnabled);
  const look = lookOf(seen, name, force);
  if (name === "finish" || name === "end" || force === "newAlone" || force === "newSince") return look;
  return isSame(recorded, record, seen, look) ? "same" : look;
}

function meaningOf(seen: Observation, isSent: boolean, recorded: string | undefined): Meaning {
  const { migrationState: name = "", newEnabled } = seen;
  if (names.end.test(name)) return "end";
  if (names.finish.test(name)) return "finish";
  // A service may be slow to rename what was sent.
  if (isSent) return "nothing";
  if (names.validation.test(name)) return "validation";
  if (newEnabled !== true || recorded === undefined || name === "") return "nothing";
  return recorded === name ? "kept" : "moved";
}

function forceOf({ oldEnabled, newEnabled }: Observation, wasOldOn: boolean | undefined): Force {
  if (newEnabled === true && oldEnabled === false)
    return wasOldOn === undefined ? "newAlone" : wasOldOn ? "newSince" : "newAsBefore";
  if (newEnabled === true) return oldEnabled ? "both" : "newOn";
  return newEnabled === false || oldEnabled === true ? "old" : "untold";
}

function lookOf(seen: Observation, name: Meaning, force: Force): Look {
  const { compatible, migrationState, newEnabled, ruleCount, entrypointVersion, checkGone } = seen;
  const look = looks[force][checkGone ? 1 : 0][name];
  if (look === "validation" && force === "newAlone" && compatible !== true) return "unclear";
  if (look === "gone" && ruleCount > 0) return "new";
  if (look !== "old") return look;
  // Rules can only be there when a migration has begun.
  if (ruleCount > 0) return "begun";
  // Nothing but the list itself says that there was one.
  const isNamed = migrationState !== undefined && !names.untouched.test(migrationState);
  return isNamed && newEnabled === undefined && entrypointVersion !== undefined ? "unclear" : "old";
}

/** Whether the zone shows no effect of the request in the state, and no change since validation. */
function isSame(
  recorded: Recorded,
  { attempt, reached, observed }: State,
  now: Observation,
  look: Look,
): boolean {
  const { newEnabled, compatible, oldEnabled, ruleCount, entrypointVersion: version } = now;
  switch (recorded) {
    case "finishUnanswered":
    case "finishDenied":
      // A service that tells no versions shows nothing of an edit, but a list that comes into being is seen.
      return isAsBefore(
        attempt?.before,
        now,
        (version !== undefined || ruleCount === 0) && { newEnabled, compatible },
      );
    case "validationUnanswered":
      return look === "old" && attempt?.before.entrypointVersion === version;
    case "validationSent":
    case "validation":
      // The new WAF may have come on since.
      return (
        reached === "validation" &&
        isAsBefore(observed, now, version !== undefined && oldEnabled !== false && { newEnabled })
      );
    default:
      return false;
  }
}

/** Whether the observations are equal, apart from the fields in `besides`. */
function isAsBefore(
  before: Observation | undefined,
  now: Observation,
  besides: Partial<Observation> | false,
): boolean {
  return before !== undefined && !differs({ ...before, ...besides }, now);
}

/** Whether neither WAF's status can be read. */
export function tellsNothing({ oldEnabled, newEnabled }: Observation): boolean {
  return oldEnabled === undefined && newEnabled === undefined;
}

/** Whether two observations differ in any field: an accepted finish may change each of them. */
export function differs(before: Observation, now: Observation): boolean {
  return canonical(before) !== canonical(now);
}
