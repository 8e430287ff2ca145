import type { ApiError } from "../../errors/api-error";
import { MigrationError } from "../../errors/zone-error";
import { shown } from "../../text/shown";
import type { Attempt, Observation, Position } from "./state";

/** The zone shows something that is no stage for sure. Nothing is sent then. */
export function unclearZone(
  zoneId: string,
  { seen, lost }: { readonly seen: Observation; readonly lost?: Attempt | undefined },
  attempt?: Attempt,
): MigrationError {
  return new MigrationError("migration-unclear", zoneId, {
    what: `the state of the zone's migration is ambiguous (${facts(seen)}).`,
    ...explanation(lost, attempt),
  });
}

/** Only a person can decide about an attempt: what to check, and how to declare the result. */
function explanation(lost: Attempt | undefined, attempt: Attempt | undefined): { why: string; fix: string } {
  if (lost) {
    return {
      why: `The list of rules was saved at ${lost.sentAt}, with the rules that were sent before: either a finish of this stack was cut off and is under way, or someone saved the list again.`,
      fix: howToAnswer(lost),
    };
  }
  if (attempt?.mode === "pending") {
    return {
      why: `The finishing request of ${attempt.sentAt} got no answer, and the zone has changed since in a way that does not show whether it was accepted: someone may have edited the rules.`,
      fix: howToAnswer(attempt),
    };
  }
  return {
    why: "It may be changing right now, or someone else may have finished it; a finish that is sent twice cannot be undone.",
    fix: "Nothing was sent. Run `pulumi up` again in a few minutes; if this does not change, check the zone's WAF page in the dashboard and finish there: this program then adopts it.",
  };
}

function howToAnswer({ sentAt }: Attempt): string {
  const answer = (outcome: string): string =>
    `unclearAttempt: { startedAt: "${sentAt}", outcome: "${outcome}" }`;
  return `Nothing was sent. Check the zone's WAF page in the dashboard. If the previous WAF is still active and nothing is in progress, add \`${answer("notAccepted")}\` to the WafMigration; if the finish is under way or done, \`${answer("accepted")}\`. It holds for this attempt only.`;
}

/** What a person says contradicts what the service shows. */
export function contradicted(zoneId: string, seen: Observation): MigrationError {
  return new MigrationError("migration-answer-contradicted", zoneId, {
    property: "unclearAttempt",
    what: `outcome says that the finish was not accepted, but the zone shows otherwise (${facts(seen)}).`,
    why: "Check or status say that the finish was accepted, or that the zone can't be finished.",
    fix: 'Nothing was sent. Check the dashboard again; if the finish is under way or done, write outcome: "accepted", or take unclearAttempt out.',
  });
}

/** An answer that nothing asks for. */
export function otherAttempt(zoneId: string, startedAt: string, recordedAt: string): MigrationError {
  return new MigrationError("migration-answer-outdated", zoneId, {
    property: "unclearAttempt.startedAt",
    what: `startedAt is ${shown(startedAt, { max: 40 })}, but the unresolved attempt started at ${recordedAt}.`,
    why: "An answer holds for one attempt: each finish that is sent is a new one.",
    fix: `Check the zone's WAF page in the dashboard again, then write startedAt: "${recordedAt}", or take unclearAttempt out.`,
  });
}

/** No clear answer, and no sign in the zone that the request was taken. */
export function unknownOutcome(zoneId: string, mode: Attempt["mode"], cause: ApiError): MigrationError {
  const what = mode === "pending" ? "the finishing request" : "the validation request";
  return new MigrationError("migration-no-answer", zoneId, {
    cause,
    what: `${what} got no clear answer, and the zone shows no sign that it was accepted. It was sent once and not again.`,
    why: cause.message,
    fix: "Run `pulumi up` again: it checks the zone first, continues if the request was accepted after all, and sends it only if the zone is still unchanged. The attempt is kept in the state.",
  });
}

/** The service said no, or the request never left. */
export function refusedUpdate(zoneId: string, mode: Attempt["mode"], cause: ApiError): MigrationError {
  const isOfPlan = mode === "validation" && mayBeOfPlan(cause);
  const update = mode === "pending" ? "the finishing update" : "the validation";
  return new MigrationError("migration-refused", zoneId, {
    cause,
    what: `${cause.outcome === "unsent" ? `${update} could not be sent` : `the service refused ${update}`}. Nothing has changed in the zone.`,
    why: isOfPlan
      ? `Validation mode exists on Enterprise zones only, and neither API shows the plan of a zone before it is asked. ${reason(cause)}`
      : cause.message,
    fix: isOfPlan
      ? 'On Pro and Business go straight to stage: "finished"; on Enterprise check the reason above.'
      : "Fix the cause above, then run `pulumi up` again.",
  });
}

/**
 * Whether a refusal of validation may mean that the zone's plan has none. No one is to be sent on to the finish, from
 * which there is no way back, by a limit of requests, a token that is not known or a line that is down.
 */
function mayBeOfPlan(cause: ApiError): boolean {
  if (cause.code === "PG_AUTHENTICATION") return cause.facts.httpStatus === 403;
  if (cause.code === "PG_REFUSED") return cause.facts.httpStatus !== 409;
  return cause.code === "PG_NOT_ENTITLED";
}

/** A 403 may be about the plan: our advice for refused tokens would mislead then. */
function reason(cause: ApiError): string {
  return /The service says: ".*?"\./.exec(cause.message)?.[0] ?? cause.message;
}

/** A name or an id that the service gave: of a state, a ruleset, a field. */
export function shownName(migrationState: string): string {
  return shown(migrationState, { max: 40 });
}

function facts(seen: Observation): string {
  return [
    `compatible: ${seen.compatible ?? "unknown"}`,
    `migration state: ${seen.migrationState === undefined ? "unknown" : shownName(seen.migrationState)}`,
    `previous WAF: ${onOrOff(seen.oldEnabled)}`,
    `new WAF: ${onOrOff(seen.newEnabled)}`,
    `rules in the entry point: ${seen.ruleCount}`,
  ].join(", ");
}

export function onOrOff(enabled: boolean | undefined): string {
  return enabled === undefined ? "unknown" : enabled ? "on" : "off";
}

/** `recorded`: only the arguments of the last run are known, not what the service has made of them. */
export function backwards(known: "finished" | "finishing" | "recorded"): string {
  return `${finishText[known]} Write stage: "finished"; rules are edited in a ManagedWafEntrypoint.`;
}

const finishText = {
  finished: "the migration of this zone is finished and cannot go back to validation.",
  finishing: "the finish of this zone's migration is under way, and there is no way back to validation.",
  recorded:
    "the last run sent the finish of this zone's migration: it is finished, or may be, and cannot go back to validation.",
};

/** Whether anyone can have seen the new WAF at work in the zone that is about to be finished. */
export function triedText(at: Position): string {
  return at === "validation"
    ? "The zone is in validation."
    : "The zone is not in validation: the new WAF has not run there yet.";
}
