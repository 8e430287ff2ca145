import type { WafConfiguration } from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
import { MigrationError } from "../../errors/zone-error";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import { makeInfo, makeWarning } from "../../model/finding";
import { isSameConfiguration, ruleRecord, toApplied, wireBody } from "./configuration";
import { isKnownAccepted } from "./decision-table";
import { letSettle, type MigrationWork, type Prepared, prepare, settlingMs } from "./prepare";
import { observe, type Reading, readMigration, type Standing } from "./reading";
import type { Attempt, Inputs, State } from "./state";
import { answerTo, cleanName, onOrOff, unclearZone } from "./texts";
import { differs, tellsNothing } from "./zone-view";

const defaultTimeoutMinutes = 60;

/** Maximum number of attempts to get two equal readings of a zone in a row before a request. */
const mostReadings = 5;

/** Longest random pause in milliseconds before a reading that needs no settling. It separates pipelines that began together. */
const usualJitterMs = 250;

/** Pauses in milliseconds before each reading after a request that got no clear response. */
const pausesAfterUnknown = [0, 1000, 2000, 4000];

/** Pauses in milliseconds during a wait: the first and the longest pause between readings, and the pause between messages. */
const pollMs = { first: 500, longest: 15_000, betweenMessages: 30_000 };

/** Runs one update of a migration: observe, decide, observe again, send at most one request, wait for the declared stage. */
export async function advance(work: MigrationWork, record: State): Promise<State> {
  const { zoneId } = work.inputs;
  for (let readings = 1; ; readings += 1) {
    // 1. Observe, and decide from the present state of the zone, because a preview may be out of date.
    const found = await prepare(work, record);
    const { outcome, body } = found;
    const state = stateFrom(work, record, found);
    if (!body || outcome === "adopt" || outcome === "wait")
      return awaitStage(work, state, outcome === "adopt" ? found : undefined);
    // 2. Observe again right before the request. The first reading may have missed a recent change: an edit of the list, which a
    // second validation request would undo, or a request that a killed process sent and did not record.
    const isFirstRequest = outcome === "validate" && found.at === "old" && record.attempt === undefined;
    await settle(work, !isFirstRequest, readings === 1);
    const again = await readMigration(work.client, zoneId);
    if (!differs(found.seen, again.seen))
      return send(work, state, outcome === "finish" ? "pending" : "validation", body, found);
    const because = "The zone keeps changing.";
    if (readings === mostReadings) throw unclearZone(zoneId, { ...again, because });
  }
}

/** Pauses between the two readings that have to agree before a request. Reports the first long pause (`isFirst`). */
async function settle({ run, tell }: MigrationWork, isLong: boolean, isFirst: boolean): Promise<void> {
  if (!isLong) return run.sleep(run.random() * usualJitterMs);
  if (isFirst) {
    const message = `reading the zone once more in ${settlingMs / 1000} s, before anything is sent: the first reading may be out of date`;
    await tell(makeInfo("", "migration-settling", message));
  }
  return letSettle(run);
}

/** Sends the one request of an update. Whatever the response, this update does not send the request again. */
async function send(
  work: MigrationWork,
  state: State,
  mode: Attempt["mode"],
  body: WafConfiguration,
  before: Standing,
): Promise<State> {
  const { run, client, inputs } = work;
  const { zoneId } = inputs;
  const sentAt = new Date(run.now()).toISOString();
  const attemptWith = (outcome: Attempt["outcome"]): State => ({
    ...state,
    startedAt: state.startedAt ?? sentAt,
    attempt: { mode, sentAt, before: before.seen, from: before.at, outcome },
  });
  try {
    await client.migrate(zoneId, mode, wireBody(body, mode));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isRefusal = error.outcome !== "unknown";
    const unsure = attemptWith("unknown");
    if (mode === "pending" && saysAcceptedAlready(error)) return awaitStage(work, unsure, undefined, error);
    const found = await standingAfterFailure(work, mode, isRefusal ? undefined : unsure, body);
    if (!found && isRefusal) throw refusedUpdate(zoneId, mode, error);
    if (!found) throw new PartialFailureError(zoneId, unsure, unknownOutcome(zoneId, mode, error));
    // The zone shows that the finish has begun, but the service has not confirmed it: record no acceptance.
    if (mode === "pending") return awaitStage(work, unsure);
    // Record that the zone had the list that was sent. If the list is empty later, the record shows that someone emptied it.
    return awaitStage(work, { ...unsure, observed: found.seen }, found);
  }
  return awaitStage(work, attemptWith("accepted"));
}

/**
 * Reads the zone's position in the migration after a failed request. Returns undefined if nothing shows that the request was
 * accepted.
 * `unsure`: the state with the attempt, or undefined if the service refused the request.
 */
async function standingAfterFailure(
  { run, client, inputs }: MigrationWork,
  mode: Attempt["mode"],
  unsure: State | undefined,
  body: WafConfiguration,
): Promise<Standing | undefined> {
  for (const pause of unsure ? pausesAfterUnknown : [0]) {
    if (pause > 0) await run.sleep(pause);
    const found = await observe(client, inputs.zoneId, unsure ?? {}).catch(() => undefined);
    if (!found) continue;
    const isOnItsWay = found.at === "finishing" || found.at === "finished";
    const isValidated = found.rules.length > 0 && isSameConfiguration(body.rules, found.rules);
    if (mode === "pending" ? isOnItsWay : isValidated) return found;
  }
  return undefined;
}

const requestNames = { pending: "the finishing request", validation: "the validation request" };

/** Returns the error for a request that got no clear response and, as far as the zone shows, was not accepted. */
function unknownOutcome(zoneId: string, mode: Attempt["mode"], cause: ApiError): MigrationError {
  return new MigrationError("migration-no-answer", zoneId, {
    cause,
    what: `${requestNames[mode]} got no clear response, and the zone shows no sign that it was accepted. It was sent once and not again.`,
    why: cause.message,
    fix: "Run `pulumi up` again: it checks the zone first, continues if the request was accepted after all, and sends it again only if the zone is still unchanged. The attempt is kept in the state.",
  });
}

/** Returns the part of an error's message that quotes the service, without our advice; the whole message if it quotes nothing. */
function serviceWords({ message }: ApiError): string {
  return /The service says: ".*?"\./.exec(message)?.[0] ?? message;
}

/** Whether a refusal says that a finish was accepted earlier, no matter who sent it. */
function saysAcceptedAlready({ facts, message }: ApiError): boolean {
  return (
    facts.httpStatus === 409 ||
    /\balready (been )?(accept|finish|complet|migrat)|accepted already/i.test(message)
  );
}

/** Returns the error for a request that the service refused, or that was never sent. */
function refusedUpdate(zoneId: string, mode: Attempt["mode"], cause: ApiError): MigrationError {
  const update = requestNames[mode];
  const happened =
    cause.outcome === "unsent" ? `${update} could not be sent` : `the service refused ${update}`;
  const what = `${happened}. Nothing has changed in the zone.`;
  // A 403 may mean that the zone's plan has no validation mode. In that case our advice for refused tokens would mislead.
  if (mode === "validation" && mayBeOfPlan(cause))
    return new MigrationError("migration-refused", zoneId, {
      cause,
      what,
      why: `Validation mode exists on Enterprise zones only, and the service's APIs do not show in advance which plan a zone has. ${serviceWords(cause)}`,
      fix: 'On Pro and Business, go straight to stage: "finished". On Enterprise, check the reason above.',
    });
  const fix = "Fix the cause above, then run `pulumi up` again.";
  return new MigrationError("migration-refused", zoneId, { cause, what, why: cause.message, fix });
}

/**
 * Whether a refused validation can mean that the zone's plan has no validation mode. False for rate limits, unknown tokens and
 * network failures, because the advice for a plan without validation mode is to finish, and a finish cannot be undone.
 */
function mayBeOfPlan(cause: ApiError): boolean {
  if (cause.code === "PG_AUTHENTICATION") return cause.facts.httpStatus === 403;
  if (cause.code === "PG_REFUSED") return cause.facts.httpStatus !== 409;
  return cause.code === "PG_NOT_ENTITLED";
}

function stateFrom({ run, inputs }: MigrationWork, record: State, found: Prepared): State {
  const { attempt = found.lost } = record;
  const { outcome, body, proposed, seen, status, rules } = found;
  const isSent = outcome === "validate" || outcome === "finish";
  const evidence = {
    observedAt: new Date(run.now()).toISOString(),
    compatible: seen.compatible,
    migrationState: seen.migrationState,
    ...(status && { status: { ...status.record } }),
    ...(proposed && { configuration: toApplied(proposed) }),
    ...(rules.length > 0 && { entrypointRules: rules.map(ruleRecord) }),
  };
  return {
    ...inputs,
    compatible: record.compatible ?? seen.compatible,
    applied: body ? toApplied(body) : (record.applied ?? toApplied({ name: found.name ?? "default", rules })),
    // The zone before this stack's first request, even if someone else has already brought it into validation.
    before: record.before ?? (isSent ? evidence : undefined),
    startedAt: record.startedAt,
    ...(record.reached && { reached: record.reached }),
    ...(record.observed && { observed: record.observed }),
    ...(attempt && { attempt }),
  };
}

/**
 * Waits up to `timeoutMinutes` for the zone to show the declared stage. If the process is killed while it waits, the next update
 * continues to wait.
 */
async function awaitStage(
  work: MigrationWork,
  state: State,
  found?: Standing,
  cause?: ApiError,
): Promise<State> {
  const { zoneId, stage } = work.inputs;
  const isThere = ({ at, seen }: Standing): boolean =>
    stage === "finished" ? at === "finished" : seen.newEnabled !== false;
  const last = found && isThere(found) ? found : await observeUntil(work, state, isThere);
  if (!last || !isThere(last))
    throw new PartialFailureError(zoneId, state, notThereYet(work.inputs, state, last, cause));
  if (last.isByWord) {
    const message =
      "no status of this zone can be read: the migration counts as finished, because unclearAttempt says that the finish was accepted.";
    await work.tell(makeWarning("", "migration-counts-as-finished", message));
  }
  return reachedState(work, state, last);
}

/** Returns the error for a zone that does not show the declared stage in time. */
function notThereYet(
  { zoneId, stage }: Inputs,
  state: State,
  last: Standing | undefined,
  cause: ApiError | undefined,
): MigrationError {
  if (stage === "finished" && last?.at === "unclear") return unclearZone(zoneId, last);
  const { attempt } = state;
  const accepted = stage === "finished" ? describeFinish(state) : "the validation was accepted";
  const earlier = cause ? `The service has accepted an earlier finish. ${serviceWords(cause)} ` : "";
  const answer =
    attempt?.mode === "pending" && last && tellsNothing(last.seen)
      ? ` No status of this zone can be read: once the dashboard shows that only the new WAF is active, add \`${answerTo(attempt, "accepted")}\` to the WafMigration.`
      : "";
  return new MigrationError("migration-not-there-yet", zoneId, {
    cause,
    what: `${accepted}, but after ${state.timeoutMinutes ?? defaultTimeoutMinutes} min the zone shows ${shownStatus(last)}.`,
    why: `${earlier}A migration can take up to an hour.`,
    fix: `Run \`pulumi up\` again: it continues to wait and sends nothing. timeoutMinutes sets how long it waits.${answer}`,
  });
}

function describeFinish(state: State): string {
  if (!isKnownAccepted(state)) return "the finish of the migration seems to be under way";
  const accepted = "the finish of the migration was accepted";
  return state.attempt?.outcome === "accepted" ? accepted : `unclearAttempt says that ${accepted}`;
}

/**
 * Reads the zone until `isThere` returns true or `timeoutMinutes` have passed, with growing pauses and progress messages. Returns
 * the last reading.
 */
async function observeUntil(
  { run, client, inputs, tell }: MigrationWork,
  state: State,
  isThere: (found: Standing) => boolean,
): Promise<Standing | undefined> {
  const { zoneId, timeoutMinutes: minutes = defaultTimeoutMinutes } = inputs;
  const started = run.now();
  const deadline = started + minutes * 60_000;
  let toldAt = Number.NEGATIVE_INFINITY;
  let last: Standing | undefined;
  for (let pause = pollMs.first; ; pause = Math.min(pause * 1.5, pollMs.longest)) {
    const hasTime = run.now() < deadline;
    try {
      last = await observe(client, zoneId, state);
    } catch (error) {
      // Read again after a temporary failure. After any other failure, throw the error with the state, because the service may
      // have accepted the request.
      const isPassing = error instanceof ApiError && error.outcome !== "refused";
      if (!hasTime || !isPassing) throw new PartialFailureError(zoneId, state, error);
    }
    if ((last && isThere(last)) || run.now() >= deadline) return last;
    if (run.now() - toldAt >= pollMs.betweenMessages) {
      toldAt = run.now();
      const message = `waiting for the new WAF of zone ${zoneId}: ${shownStatus(last)}, ${durationText(run.now() - started)} of at most ${minutes} min`;
      await tell(makeInfo("", "migration-waiting", message));
    }
    await run.sleep(Math.min(pause, Math.max(deadline - run.now(), 1)));
  }
}

function reachedState({ run, inputs }: MigrationWork, state: State, { seen, status }: Reading): State {
  const { attempt, ...rest } = state;
  return {
    ...rest,
    migrationState: seen.migrationState,
    status: { ...status?.record },
    reached: inputs.stage,
    observed: seen,
    ...(inputs.stage === "finished" && { finishedAt: new Date(run.now()).toISOString() }),
  };
}

function shownStatus(found: Standing | undefined): string {
  if (!found) return "no readable status";
  const { oldEnabled, newEnabled, migrationState } = found.seen;
  const name = migrationState ? `, state "${cleanName(migrationState)}"` : "";
  return `new WAF ${onOrOff(newEnabled)}, previous WAF ${onOrOff(oldEnabled)}${name}`;
}

function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
