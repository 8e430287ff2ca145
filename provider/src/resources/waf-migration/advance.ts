import type { WafConfiguration } from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
import { MigrationError } from "../../errors/zone-error";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import { makeInfo, makeWarning } from "../../model/finding";
import { canonicalize } from "../../text/data";
import { isSameConfiguration, ruleRecord, toApplied, wireBody } from "./configuration";
import { isKnownAccepted } from "./decision-table";
import { decideOnce, letSettle, type MigrationWork, type Prepared, prepare, settlingMs } from "./prepare";
import { observe, type Standing } from "./reading";
import type { Attempt, State } from "./state";
import {
  answerTo,
  canceled,
  cleanName,
  notReadAgain,
  onOrOff,
  quoteService,
  refusedUpdate,
  unclearZone,
  unknownOutcome,
} from "./texts";
import { differs, tellsNothing } from "./zone-view";

const defaultTimeoutMinutes = 60;

/** Maximum number of attempts to get two equal readings of a zone before a request. */
const mostReadings = 5;

/** Maximum random pause in milliseconds before the second reading for a first validation. Other requests wait half a minute. */
const usualJitterMs = 250;

/** Pauses in milliseconds before the readings that follow a request without a clear response. */
const pausesAfterUnknown = [0, 1000, 2000, 4000];

/** Pauses in milliseconds during a wait: the first and the longest between readings, and the pause between messages. */
const pollMs = { first: 500, longest: 15_000, betweenMessages: 30_000 };

/** Runs one update of a migration: observes twice, decides, sends at most one request, and waits for the declared stage. */
export async function advance(work: MigrationWork, record: State): Promise<State> {
  const { run, inputs, tell } = work;
  for (let readings = 1; ; readings += 1) {
    // 1. Observe and decide again, because the preview may be out of date.
    const found = await prepare(work, record);
    const { outcome, body } = found;
    const state = makeState(work, record, found);
    if (!body || outcome === "adopt" || outcome === "wait") return awaitStage(work, state, found);
    // 2. Observe again right before the request. The first reading may have missed a recent change: an edit of the list, which a
    // second validation request would undo, or a request that a killed process sent and did not record.
    const isFirstRequest = outcome === "validate" && found.at === "old" && record.attempt === undefined;
    if (isFirstRequest) await run.sleep(run.random() * usualJitterMs);
    else {
      const message = `reading the zone once more in ${settlingMs / 1000} s, before anything is sent: the first reading may be out of date`;
      if (readings === 1) await tell(makeInfo("", "migration-settling", message));
      await letSettle(run);
    }
    const again = await prepare(work, record);
    // 3. Send.
    if (isSameRequest(found, again))
      try {
        return await send(work, state, { ...found, body }, record);
      } catch (error) {
        if (!(error instanceof ZoneChange)) throw error;
      }
    const because = "The zone keeps changing.";
    if (readings === mostReadings) throw unclearZone(inputs.zoneId, { ...again, because });
  }
}

/** Thrown before a request if the zone has changed while the request waited for the rate limit. */
class ZoneChange {}

/** Whether two readings show the same zone and result in the same request. */
function isSameRequest(found: Prepared, again: Prepared): boolean {
  const isSameBody = canonicalize(found.body ?? null) === canonicalize(again.body ?? null);
  return found.outcome === again.outcome && isSameBody && !differs(found.seen, again.seen);
}

/** Runs right before a request. Checks that the engine has not stopped and, if `isLate`, that the zone still matches `found`. */
async function checkAgain(
  work: MigrationWork,
  record: State,
  found: Prepared,
  isLate: boolean,
): Promise<void> {
  if (isLate) {
    const again = await decideOnce({ ...work, client: work.client.urgently() }, record).catch(
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        throw notReadAgain(work.inputs.zoneId, error);
      },
    );
    if (!isSameRequest(found, again)) throw new ZoneChange();
  }
  await requireEngine(work);
}

/** Throws if the update was canceled, or if the engine has stopped, so that nothing would record the request. */
async function requireEngine({ run, inputs, cancellation }: MigrationWork): Promise<void> {
  const isGone = await run.isEngineGone();
  if (isGone || cancellation.aborted) throw canceled(inputs.zoneId, isGone);
}

/** Sends the one request of an update. This update never sends it again, whatever the response. */
async function send(
  work: MigrationWork,
  state: State,
  found: Prepared & { readonly body: WafConfiguration },
  record: State,
): Promise<State> {
  const { run, client, inputs } = work;
  const { body } = found;
  const mode = found.outcome === "finish" ? "pending" : "validation";
  const { zoneId } = inputs;
  const sentAt = new Date(run.now()).toISOString();
  const attemptWith = (outcome: Attempt["outcome"]): State => ({
    ...state,
    startedAt: state.startedAt ?? sentAt,
    attempt: { mode, sentAt, before: found.seen, from: found.at, outcome },
  });
  try {
    await client.migrate(zoneId, mode, wireBody(body, mode), (isLate) =>
      checkAgain(work, record, found, isLate),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "PG_ABORTED" && error.outcome === "unsent") await requireEngine(work);
    const isRefusal = error.outcome !== "unknown";
    const unsure = attemptWith("unknown");
    if (mode === "pending" && saysAcceptedAlready(error)) return awaitStage(work, unsure, undefined, error);
    const shown = await findAccepted(work, mode, isRefusal ? undefined : unsure, body);
    if (!shown && isRefusal) throw refusedUpdate(zoneId, mode, error);
    if (!shown) throw new PartialFailureError(zoneId, unsure, unknownOutcome(zoneId, mode, error));
    // The zone shows that the finish has begun, but the service has not said that it accepted the request: record no acceptance.
    if (mode === "pending") return awaitStage(work, unsure);
    // Record that the zone had the list that was sent. If the list is empty later, the state shows that someone emptied it.
    return awaitStage(work, { ...unsure, observed: shown.seen }, shown);
  }
  return awaitStage(work, attemptWith("accepted"));
}

/**
 * Returns a reading of the zone that shows that a failed request was accepted; undefined if no reading shows this. `unsure`: the
 * state with the attempt; undefined if the service refused the request.
 */
async function findAccepted(
  { run, client, inputs }: MigrationWork,
  mode: Attempt["mode"],
  unsure: State | undefined,
  body: WafConfiguration,
): Promise<Standing | undefined> {
  for (const pause of unsure ? pausesAfterUnknown : [0]) {
    await run.sleep(pause);
    const found = await observe(client, inputs.zoneId, unsure ?? {}).catch(() => undefined);
    if (!found) continue;
    const isOnItsWay = found.at === "finishing" || found.at === "finished";
    const isValidated = found.rules.length > 0 && isSameConfiguration(body.rules, found.rules);
    if (mode === "pending" ? isOnItsWay : isValidated) return found;
  }
  return undefined;
}

/** Whether a refusal says that an earlier finish was accepted, whoever sent it. */
function saysAcceptedAlready({ facts, message }: ApiError): boolean {
  return (
    facts.httpStatus === 409 ||
    /\balready (been )?(accept|finish|complet|migrat)|accepted already/i.test(message)
  );
}

function makeState({ run, inputs }: MigrationWork, record: State, found: Prepared): State {
  const { attempt = found.lost, startedAt, reached, observed } = record;
  const { outcome, body, proposed, seen, status, rules } = found;
  const evidence = {
    observedAt: new Date(run.now()).toISOString(),
    compatible: seen.compatible,
    migrationState: seen.migrationState,
    status: status && { ...status.record },
    configuration: proposed && toApplied(proposed),
    entrypointRules: rules.length > 0 ? rules.map(ruleRecord) : undefined,
  };
  const isSent = outcome === "validate" || outcome === "finish";
  return {
    ...inputs,
    compatible: record.compatible ?? seen.compatible,
    applied: body ? toApplied(body) : (record.applied ?? toApplied({ name: found.name ?? "default", rules })),
    // The zone before this stack's first request. Someone else may already have brought it into validation.
    before: record.before ?? (isSent ? evidence : undefined),
    startedAt,
    reached,
    observed,
    attempt,
  };
}

/** Waits up to `timeoutMinutes` for the zone to show the declared stage, and returns the new state. */
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
    throw new PartialFailureError(zoneId, state, notThereYet(work, state, last, cause));
  if (last.isByWord) {
    const message =
      "no status of this zone can be read: the migration is treated as finished, because unclearAttempt says that the finish was accepted.";
    await work.tell(makeWarning("", "migration-counts-as-finished", message));
  }
  const { attempt: _done, ...rest } = state;
  return {
    ...rest,
    migrationState: last.seen.migrationState,
    status: { ...last.status?.record },
    reached: stage,
    observed: last.seen,
    finishedAt: stage === "finished" ? new Date(work.run.now()).toISOString() : undefined,
  };
}

/** Returns the error for a zone that does not show the declared stage in time. */
function notThereYet(
  { inputs: { zoneId, stage }, cancellation }: MigrationWork,
  state: State,
  last: Standing | undefined,
  cause: ApiError | undefined,
): MigrationError {
  if (stage === "finished" && last?.at === "unclear") return unclearZone(zoneId, last);
  const { attempt } = state;
  const accepted = stage === "finished" ? describeFinish(state) : "the validation was accepted";
  const earlier = cause
    ? `The service has already accepted a finishing request. ${quoteService(cause)} `
    : "";
  const answer =
    attempt?.mode === "pending" && last && tellsNothing(last.seen)
      ? ` The service gives no status for this zone. Once the dashboard shows that only the new WAF is active, add \`${answerTo(attempt, "accepted")}\` to the WafMigration.`
      : "";
  const limit = `after ${state.timeoutMinutes ?? defaultTimeoutMinutes} min`;
  const end = cancellation.aborted ? "when the update was canceled" : limit;
  return new MigrationError("migration-not-there-yet", zoneId, {
    cause,
    what: `${accepted}, but ${end} the zone shows ${shownStatus(last)}.`,
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
 * Reads the zone with growing pauses until `isThere` returns true, `timeoutMinutes` have passed or the update is canceled. Reports
 * progress, and returns the last reading.
 */
async function observeUntil(
  { run, client, inputs, tell, cancellation }: MigrationWork,
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
      // A temporary failure does not end the wait. Any other error carries the state, because the service may have accepted the
      // request.
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
    if (cancellation.aborted) return last;
  }
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
