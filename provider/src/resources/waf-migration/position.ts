import { canonical } from "../../text/data";
import type { Attempt, Observation, Position, State } from "./state";

/**
 * Names of states are hints: just `start` is documented. One that sounds like a finish keeps us from sending; none is
 * ever enough to send.
 */
const names = {
  finish: /pend|progress|finish|complet|done|migrated|^1$/i,
  over: /finished|complete|done|migrated/i,
  validation: /valid|^2$/i,
  untouched: /^start$/i,
};

function soundsLike(what: keyof typeof names, { migrationState = "" }: Observation): boolean {
  return names[what].test(migrationState);
}

/** Where the zone is, by what it shows and by what we know of it. Errs towards not sending. */
export function position(seen: Observation, record: State = {}): Position {
  const { attempt, reached, observed } = record;
  // 1. Over is over for good, and what is in force decides, whatever the state is called.
  if (reached === "finished") return "finished";
  if (isNewAlone(seen) && !wasOldOff(record)) {
    if (seen.checkGone || !soundsLike("validation", seen)) return "finished";
    return seen.compatible === true ? "validation" : "unclear";
  }
  // 2. Our own finish: accepted, or taken although no answer came. Else the zone is where it was before.
  if (attempt?.mode === "pending") {
    const became = whatBecameOf(attempt, knownOutcome(record), seen);
    if (became === "taken") return endOf(seen);
    return became === "unclear"
      ? "unclear"
      : (attempt.from ?? position(attempt.before, { reached, observed }));
  }
  if (soundsLike("finish", seen)) return isOver(seen) ? "finished" : "finishing";
  // 3. As it was when it was seen to be in validation.
  if (reached === "validation" && observed && isUntouched(observed, seen)) return "validation";
  return byItsLooks(seen, record);
}

/** The position of a zone of which neither a name nor the state says it. */
function byItsLooks(seen: Observation, record: State): Position {
  const { attempt, reached, observed } = record;
  const { migrationState: name, oldEnabled, newEnabled, checkGone } = seen;
  const isOurs = attempt?.mode === "validation" && seen.compatible === true ? "validation" : "unclear";
  // 4. Both in force: validation, unless the state has changed since we saw it to be so.
  if (newEnabled === true) {
    const movedOn = isNewAlone(seen) ? "finished" : "finishing";
    if (checkGone) return movedOn;
    if (soundsLike("validation", seen)) return "validation";
    const before = reached === "validation" ? observed?.migrationState : undefined;
    // Another list under the same name: someone has edited rules.
    if (before !== undefined && name !== undefined) return before === name ? "validation" : movedOn;
    return isOurs;
  }
  // 5. The status tells nothing: the old API being gone is the end.
  if (newEnabled === undefined && oldEnabled === undefined && checkGone)
    return seen.ruleCount > 0 ? "finished" : "unclear";
  // 6. The new one is off, or that is not shown. Rules can only be there when a migration has begun.
  if (soundsLike("validation", seen)) return "validation";
  if (checkGone) return "unclear";
  if (seen.ruleCount === 0) return isEmptied(seen, record) ? "unclear" : "old";
  return isOurs;
}

/**
 * What became of a finishing update. Without an answer only a name that sounds like a finish, or an old API that is gone,
 * says that it was taken: a list that was saved, or another name, may be somebody's work.
 */
function whatBecameOf(
  { before }: Attempt,
  known: "accepted" | "notAccepted" | undefined,
  seen: Observation,
): "taken" | "not taken" | "unclear" {
  if (known === "accepted") return "taken";
  if (known === "notAccepted" || isUntouched(before, seen)) return "not taken";
  const hasMoved =
    before.migrationState !== seen.migrationState ||
    before.oldEnabled !== seen.oldEnabled ||
    before.checkGone !== seen.checkGone;
  // The zone is no longer compatible, say: an update that was taken would have written the list.
  if (isListUntouched(before, seen) && !hasMoved) return "not taken";
  return soundsLike("finish", seen) || (seen.checkGone && !before.checkGone) ? "taken" : "unclear";
}

function isListUntouched(before: Observation, now: Observation): boolean {
  if (before.ruleCount !== now.ruleCount || before.entrypointVersion !== now.entrypointVersion) return false;
  // A service that tells no versions shows nothing of an edit, but a list that comes into being is seen.
  return now.entrypointVersion !== undefined || now.ruleCount === 0;
}

/** Whether status or check say that a finish was taken: no one's word counts against them. */
export function showsFinish(seen: Observation, record: State = {}): boolean {
  return (
    seen.checkGone ||
    seen.compatible !== true ||
    (isNewAlone(seen) && !wasOldOff(record)) ||
    soundsLike("finish", seen)
  );
}

/** What is known of the recorded attempt: from the service, else from a person, about this very attempt. */
export function knownOutcome(record: State): "accepted" | "notAccepted" | undefined {
  if (record.attempt?.outcome === "accepted" || isAnswered(record, "accepted")) return "accepted";
  return isAnswered(record, "notAccepted") ? "notAccepted" : undefined;
}

/** Whether a person has said so of the recorded attempt. */
export function isAnswered({ attempt, unclearAttempt }: State, outcome: "accepted" | "notAccepted"): boolean {
  const isMeant = attempt?.mode === "pending" && attempt.sentAt === unclearAttempt?.startedAt;
  return isMeant && unclearAttempt?.outcome === outcome;
}

/** Someone has emptied a list that a migration had made: the zone is not as it was before. */
function isEmptied(seen: Observation, { reached, attempt, observed }: State): boolean {
  if (reached === "validation" || attempt?.outcome === "accepted" || (observed?.ruleCount ?? 0) > 0)
    return true;
  if (seen.entrypointVersion === undefined) return false;
  // It came into being after an update without an answer: that one was taken, or another one was.
  if (attempt && attempt.before.entrypointVersion === undefined) return true;
  // Nothing is known of it, and nothing but the list itself says that there was one.
  const isNamed = seen.migrationState !== undefined && !soundsLike("untouched", seen);
  return seen.newEnabled === undefined && isNamed;
}

/** Nothing says that the previous WAF is still at work, and its API or the state says that it is not. */
function isOver(seen: Observation): boolean {
  if (seen.oldEnabled === true || seen.newEnabled === false) return false;
  return seen.checkGone || soundsLike("over", seen);
}

/** How far a finish is that was taken. */
export function endOf(seen: Observation): "finished" | "finishing" {
  return isOver(seen) || isNewAlone(seen) ? "finished" : "finishing";
}

function isNewAlone({ newEnabled, oldEnabled }: Observation): boolean {
  return newEnabled === true && oldEnabled === false;
}

/** A zone whose previous WAF was switched off all along shows in validation what others show at the end. */
function wasOldOff({ attempt, reached, observed }: State): boolean {
  const before = attempt?.before ?? (reached === "validation" ? observed : undefined);
  return before?.oldEnabled === false;
}

/**
 * Nothing that an accepted finish changes has changed. That the new WAF has come on since is no sign of one as
 * long as all the rest, and the very list of rules, is the same.
 */
function isUntouched(before: Observation, now: Observation): boolean {
  if (!differs(before, now)) return true;
  // A service that tells no versions can't say that it is the very list.
  const isVersioned = before.entrypointVersion !== undefined;
  return isVersioned && now.oldEnabled !== false && !differs({ ...before, newEnabled: now.newEnabled }, now);
}

/** All that is observed is what an accepted finish changes. */
export function differs(before: Observation, now: Observation): boolean {
  return canonical(before) !== canonical(now);
}
