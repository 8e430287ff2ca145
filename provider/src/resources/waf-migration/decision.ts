/** What can be seen of a zone's migration from outside, at one moment. Undefined: the service does not tell. */
export interface Observation {
  readonly compatible?: boolean | undefined;
  readonly migrationState?: string | undefined;
  readonly oldEnabled?: boolean | undefined;
  readonly newEnabled?: boolean | undefined;
  /** The check operation answers "not found": the previous WAF's APIs are gone. */
  readonly checkGone: boolean;
  /** Rules in the managed entry point. A zone whose migration has not begun cannot have any. */
  readonly ruleCount: number;
  readonly entrypointVersion?: string | undefined;
}

/** The irreversible request, noted before anybody knows what became of it. */
export interface Attempt {
  readonly mode: "validation" | "pending";
  /** ISO 8601. */
  readonly sentAt: string;
  /** `accepted`: the service said yes. `unknown`: no clear answer came. */
  readonly outcome: "accepted" | "unknown";
  readonly before: Observation;
}

/** What our state knows from earlier runs. */
export interface MigrationRecord {
  /** The stage that was reached, as observed then. */
  readonly reached?: Position | undefined;
  readonly observed?: Observation | undefined;
  readonly attempt?: Attempt | undefined;
}

/**
 * Where a zone stands: only the previous WAF; both (validation mode); the finish accepted and under way; only the new
 * one; or something that is none of these for sure.
 */
export type Position = "old" | "validation" | "finishing" | "finished" | "unclear";

/**
 * Names of states are hints: just `start` is documented. One that sounds like a finish keeps us from sending; none is
 * ever enough to send.
 */
const soundsLikeFinish = /pend|progress|finish|complet|done|migrated|^1$/i;
const soundsOver = /finished|complete|done|migrated/i;
const soundsLikeValidation = /valid|^2$/i;

/** Where the zone stands, by what it shows and by what we know of it. Errs towards not sending. */
export function position(seen: Observation, record: MigrationRecord = {}): Position {
  const { oldEnabled, newEnabled, migrationState: name = "" } = seen;
  const { attempt, reached, observed } = record;
  // 1. Over is over for good, and what is in force decides, whatever the state is called.
  if (reached === "finished") return "finished";
  if (newEnabled === true && oldEnabled === false && !isStillValidation(seen, record)) return "finished";
  // 2. Our own finish: accepted, or taken although no answer came. Else the zone stands where it stood before it.
  if (attempt?.mode === "pending") {
    if (attempt.outcome === "accepted" || !isUntouched(attempt.before, seen)) {
      return isOver(seen) ? "finished" : "finishing";
    }
    return position(attempt.before, { reached, observed });
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
  // 6. The new one is off, or nobody says. Rules can only be there when a migration has begun.
  if (soundsLikeValidation.test(name)) return "validation";
  if (seen.checkGone) return "unclear";
  if (seen.ruleCount === 0) return "old";
  const mayBeOurs = attempt?.mode === "validation" && seen.compatible === true;
  return mayBeOurs ? "validation" : "unclear";
}

/** Nothing says that the previous WAF is still at work, and its API or the state says that it is not. */
function isOver(seen: Observation): boolean {
  if (seen.oldEnabled === true || seen.newEnabled === false) return false;
  return seen.checkGone || soundsOver.test(seen.migrationState ?? "");
}

/** A zone whose previous WAF was switched off all along shows in validation what others show at the end. */
function isStillValidation(seen: Observation, { attempt, reached, observed }: MigrationRecord): boolean {
  if (attempt?.mode === "pending") {
    return attempt.outcome === "unknown" && isUntouched(attempt.before, seen);
  }
  if (soundsLikeValidation.test(seen.migrationState ?? "")) return seen.compatible === true;
  return reached === "validation" && observed !== undefined && isUntouched(observed, seen);
}

function validationOrUnclear(seen: Observation, { reached, observed, attempt }: MigrationRecord): Position {
  const name = seen.migrationState;
  if (name !== undefined && soundsLikeValidation.test(name)) return "validation";
  if (reached === "validation" && observed?.migrationState !== undefined && name !== undefined) {
    // Another list under the same name: somebody has edited rules.
    return observed.migrationState === name ? "validation" : "finishing";
  }
  return attempt?.mode === "validation" && seen.compatible === true ? "validation" : "unclear";
}

/**
 * Nothing that an accepted finish changes has changed. That the new WAF has come on meanwhile is no sign of one as
 * long as all the rest, and the very list of rules, is the same.
 */
function isUntouched(before: Observation, now: Observation): boolean {
  if (!differs(before, now)) return true;
  const isTheSameList =
    before.entrypointVersion !== undefined && before.entrypointVersion === now.entrypointVersion;
  return (
    isTheSameList && now.oldEnabled !== false && !differs({ ...before, newEnabled: now.newEnabled }, now)
  );
}

/** Whether anything that an accepted finish changes has changed. */
export function differs(before: Observation, now: Observation): boolean {
  return (
    before.migrationState !== now.migrationState ||
    before.oldEnabled !== now.oldEnabled ||
    before.newEnabled !== now.newEnabled ||
    before.checkGone !== now.checkGone ||
    before.compatible !== now.compatible ||
    before.ruleCount !== now.ruleCount ||
    before.entrypointVersion !== now.entrypointVersion
  );
}

export type Stage = "validation" | "finished";

/** What has to happen to bring a zone from where it stands to the declared stage. */
export type Decision =
  | { readonly act: "send"; readonly mode: "validation" | "pending" }
  | { readonly act: "wait" }
  | { readonly act: "adopt" }
  | { readonly act: "refuse"; readonly reason: "backwards" | "unclear" };

/** `isAdjusted`: the declared configuration is another one than the zone has in validation. */
export function decide(at: Position, stage: Stage, isAdjusted: boolean): Decision {
  switch (at) {
    case "old":
      return { act: "send", mode: stage === "finished" ? "pending" : "validation" };
    case "validation":
      if (stage === "finished") return { act: "send", mode: "pending" };
      return isAdjusted ? { act: "send", mode: "validation" } : { act: "adopt" };
    case "finishing":
      return stage === "finished" ? { act: "wait" } : { act: "refuse", reason: "backwards" };
    case "finished":
      return stage === "finished" ? { act: "adopt" } : { act: "refuse", reason: "backwards" };
    case "unclear":
      return { act: "refuse", reason: "unclear" };
  }
}
