import { canonical } from "../../text/data";
import type { Attempt, Inputs, Observation, Position, State } from "./state";

/** What a reading shows besides what is kept of it. */
interface Circumstances {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The entry point holds exactly what was sent last. */
  readonly isListAsSent: boolean;
  /** ISO 8601, if the service tells it. */
  readonly listUpdatedAt?: string | undefined;
}

/**
 * Names of states are hints: just `start` is documented. One that sounds like a finish keeps us from sending; none is
 * ever enough to send.
 */
const soundsLikeFinish = /pend|progress|finish|complet|done|migrated|^1$/i;
const soundsOver = /finished|complete|done|migrated/i;
const soundsLikeValidation = /valid|^2$/i;
const soundsUntouched = /^start$/i;

const nothingAround: Circumstances = { now: 0, isListAsSent: false };

/** Where the zone is, by what it shows and by what we know of it. Errs towards not sending. */
export function position(
  seen: Observation,
  record: State = {},
  around: Circumstances = nothingAround,
): Position {
  const at = recordedPosition(seen, record, around);
  if (!mayBeLost(at) || !isSavedAgain(seen, record, around)) return at;
  // Validation may be what the service still calls a finish of ours that was cut off before it was recorded.
  switch (knownOutcome({ ...record, attempt: lostAttempt(seen, record, around) })) {
    case "accepted":
      return isOver(seen) || isNewAlone(seen) ? "finished" : "finishing";
    case "notAccepted":
      return "validation";
    case undefined:
      return "unclear";
  }
}

/** Neither status nor check show a finish. */
function mayBeLost(at: Position): boolean {
  return at === "validation" || at === "unclear";
}

/** The list of a zone in validation is a new version of exactly what was sent, and no attempt is recorded that explains it. */
function isSavedAgain(
  { entrypointVersion: now }: Observation,
  { attempt, reached, observed }: State,
  { isListAsSent }: Circumstances,
): boolean {
  const before = observed?.entrypointVersion;
  const isOther = before !== undefined && now !== undefined && before !== now;
  return reached === "validation" && attempt === undefined && isOther && isListAsSent;
}

/**
 * The finish that may have saved the list, as it would have been recorded: a person may say what became of it as long as
 * nothing shows that.
 */
export function lostAttempt(seen: Observation, record: State, around: Circumstances): Attempt | undefined {
  const savedAt = Date.parse(around.listUpdatedAt ?? "");
  if (!record.observed || Number.isNaN(savedAt) || !isSavedAgain(seen, record, around)) return undefined;
  if (!mayBeLost(recordedPosition(seen, record, around))) return undefined;
  const sentAt = new Date(savedAt).toISOString();
  return { mode: "pending", sentAt, outcome: "unknown", before: record.observed, from: "validation" };
}

function recordedPosition(seen: Observation, record: State, around: Circumstances): Position {
  const { oldEnabled, newEnabled, migrationState: name = "" } = seen;
  const { attempt, reached, observed } = record;
  // 1. Over is over for good, and what is in force decides, whatever the state is called.
  if (reached === "finished") return "finished";
  if (isNewAlone(seen) && !wasOldOff(record)) return validationOrFinished(seen);
  // 2. Our own finish: accepted, or taken although no answer came. Else the zone is where it was before.
  if (attempt?.mode === "pending") {
    switch (whatBecameOf(attempt, knownOutcome(record), seen, around)) {
      case "taken":
        return isOver(seen) || isNewAlone(seen) ? "finished" : "finishing";
      case "not taken":
        return attempt.from ?? position(attempt.before, { reached, observed });
      case "unclear":
        return "unclear";
    }
  }
  if (soundsLikeFinish.test(name)) return isOver(seen) ? "finished" : "finishing";
  // 3. As it was when it was seen to be in validation.
  if (reached === "validation" && observed && isUntouched(observed, seen)) return "validation";
  // 4. Both in force: validation, unless the state has changed since we saw it to be so.
  if (newEnabled === true) return validationOrUnclear(seen, record);
  // 5. The status tells nothing: the old API being gone is the end.
  if (newEnabled === undefined && oldEnabled === undefined && seen.checkGone) {
    return seen.ruleCount > 0 ? "finished" : "unclear";
  }
  // 6. The new one is off, or that is not shown. Rules can only be there when a migration has begun.
  if (soundsLikeValidation.test(name)) return "validation";
  if (seen.checkGone) return "unclear";
  if (seen.ruleCount === 0) return isEmptied(seen, record) ? "unclear" : "old";
  const mayBeOurs = attempt?.mode === "validation" && seen.compatible === true;
  return mayBeOurs ? "validation" : "unclear";
}

/**
 * What became of a finishing update. Without an answer a change of the zone is a sign of it only where it is one that the
 * update makes: it writes the list that was sent, and the state changes. Someone's edit of the rules looks the same from
 * far; and what has not ended within the hour that it may take cannot be distinguished from it any more.
 */
function whatBecameOf(
  { before, sentAt }: Attempt,
  known: "accepted" | "notAccepted" | undefined,
  seen: Observation,
  { now, isListAsSent }: Circumstances,
): "taken" | "not taken" | "unclear" {
  if (known === "accepted") return "taken";
  if (known === "notAccepted") return "not taken";
  if (isUntouched(before, seen)) return "not taken";
  const hasMoved =
    before.migrationState !== seen.migrationState ||
    before.oldEnabled !== seen.oldEnabled ||
    before.checkGone !== seen.checkGone;
  // The zone is no longer compatible, say: an update that was taken would have written the list.
  if (isListUntouched(before, seen) && !hasMoved) return "not taken";
  if (soundsLikeFinish.test(seen.migrationState ?? "") || (seen.checkGone && !before.checkGone))
    return "taken";
  const mayBeTaken = hasMoved || isListAsSent;
  return mayBeTaken && now - Date.parse(sentAt) < longestFinishMs ? "taken" : "unclear";
}

function isListUntouched(before: Observation, now: Observation): boolean {
  if (before.ruleCount !== now.ruleCount || before.entrypointVersion !== now.entrypointVersion) return false;
  // A service that tells no versions shows nothing of an edit, but a list that comes into being is seen.
  return now.entrypointVersion !== undefined || now.ruleCount === 0;
}

/** "It can take up to an hour" until a finish shows, in milliseconds. */
export const longestFinishMs = 3_600_000;

/** Whether status or check say that a finish was taken: no one's word counts against them. */
export function showsFinish(seen: Observation, record: State = {}): boolean {
  return (
    seen.checkGone ||
    seen.compatible !== true ||
    (isNewAlone(seen) && !wasOldOff(record)) ||
    soundsLikeFinish.test(seen.migrationState ?? "")
  );
}

/** What is known of the recorded attempt: from the service, else from a person, about this very attempt. */
export function knownOutcome({ attempt, unclearAttempt }: State): "accepted" | "notAccepted" | undefined {
  if (attempt?.outcome === "accepted") return "accepted";
  const isMeant = attempt?.mode === "pending" && attempt.sentAt === unclearAttempt?.startedAt;
  return isMeant ? unclearAttempt?.outcome : undefined;
}

/** Someone has emptied a list that a migration had made: the zone is not as it was before. */
function isEmptied(seen: Observation, { reached, attempt, observed }: State): boolean {
  if (reached === "validation" || attempt?.outcome === "accepted") return true;
  if (observed !== undefined && observed.ruleCount > 0) return true;
  // It came into being after an update without an answer: that one was taken, or another one was.
  if (attempt && attempt.before.entrypointVersion === undefined && seen.entrypointVersion !== undefined)
    return true;
  // Nothing is known of it, and nothing but the list itself says that there was one.
  return (
    seen.entrypointVersion !== undefined &&
    seen.newEnabled === undefined &&
    seen.migrationState !== undefined &&
    !soundsUntouched.test(seen.migrationState)
  );
}

/** Nothing says that the previous WAF is still at work, and its API or the state says that it is not. */
function isOver(seen: Observation): boolean {
  if (seen.oldEnabled === true || seen.newEnabled === false) return false;
  return seen.checkGone || soundsOver.test(seen.migrationState ?? "");
}

function isNewAlone({ newEnabled, oldEnabled }: Observation): boolean {
  return newEnabled === true && oldEnabled === false;
}

/** A zone whose previous WAF was switched off all along shows in validation what others show at the end. */
function wasOldOff({ attempt, reached, observed }: State): boolean {
  const before = attempt?.before ?? (reached === "validation" ? observed : undefined);
  return before?.oldEnabled === false;
}

/** The same where nothing is known of the time before. */
function validationOrFinished({ migrationState = "", checkGone, compatible }: Observation): Position {
  if (checkGone || !soundsLikeValidation.test(migrationState)) return "finished";
  return compatible === true ? "validation" : "unclear";
}

function validationOrUnclear(seen: Observation, { reached, observed, attempt }: State): Position {
  const name = seen.migrationState;
  const hasMovedOn = isNewAlone(seen) ? "finished" : "finishing";
  if (seen.checkGone) return hasMovedOn;
  if (name !== undefined && soundsLikeValidation.test(name)) return "validation";
  if (reached === "validation" && observed?.migrationState !== undefined && name !== undefined) {
    // Another list under the same name: someone has edited rules.
    return observed.migrationState === name ? "validation" : hasMovedOn;
  }
  return attempt?.mode === "validation" && seen.compatible === true ? "validation" : "unclear";
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

/** What has to happen to bring a zone from where it is to the declared stage. */
export type Decision =
  | { readonly act: "send"; readonly mode: "validation" | "pending" }
  | { readonly act: "wait" }
  | { readonly act: "adopt" }
  /** The zone's position says why. */
  | { readonly act: "refuse" };

/** `isAdjusted`: the declared configuration is another one than the zone has in validation. */
export function decide(at: Position, stage: Inputs["stage"], isAdjusted: boolean): Decision {
  switch (at) {
    case "old":
      return { act: "send", mode: stage === "finished" ? "pending" : "validation" };
    case "validation":
      if (stage === "finished") return { act: "send", mode: "pending" };
      return isAdjusted ? { act: "send", mode: "validation" } : { act: "adopt" };
    case "finishing":
      return stage === "finished" ? { act: "wait" } : { act: "refuse" };
    case "finished":
      return stage === "finished" ? { act: "adopt" } : { act: "refuse" };
    case "unclear":
      return { act: "refuse" };
  }
}
