import type { WafConfiguration } from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
import { MigrationError } from "../../errors/zone-error";
import { tell } from "../../lifecycle/findings-file";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { infoOn, warningOn } from "../../model/finding";
import { differs, knownOutcome, longestFinishMs } from "./decision";
import { type Prepared, prepare } from "./prepare";
import { applied, isSameConfiguration, ruleRecord, wireBody } from "./rules";
import { type MigrationWork, type Reading, readMigration, type Standing, standing } from "./standing";
import type { Attempt, Position, State } from "./state";
import { onOrOff, refusedUpdate, shownName, unclearZone, unknownOutcome } from "./texts";

/** How often a zone that keeps changing is read again before anything is sent. */
const mostReadings = 5;

/** Before the last reading, at most, in milliseconds. */
const jitterMs = 250;

/** The same after a wait that every pipeline of the zone ends at the same moment. */
const jitterAfterWaitMs = 10_000;

/** Pauses before the readings after an unknown outcome, in milliseconds. */
const pausesAfterUnknown = [0, 1000, 2000, 4000];

/** How long reads of a zone may be behind a change, in milliseconds. */
const settlingMs = 30_000;

const firstPoll = 500;

const slowestPoll = 15_000;

const progressEvery = 30_000;

/** observe -> decide -> send at most once -> observe until it is done. */
export async function advance(work: MigrationWork, recorded: State): Promise<State> {
  const { run, client, inputs } = work;
  const record = { ...recorded, unclearAttempt: inputs.unclearAttempt };
  const { zoneId } = inputs;
  for (let readings = 1; ; readings += 1) {
    // 1. Observe, and decide by what is seen now: a preview may be old.
    const found = await standingWhenQuiet(work, record);
    const prepared = await prepare(work, record, found);
    const { decision, body } = prepared;
    const state = stateFrom(work, record, found, prepared);
    if (decision.act === "adopt")
      return found.at === "validation"
        ? awaitValidation(work, state, found)
        : awaitFinish(work, state, found);
    if (decision.act === "wait") return awaitFinish(work, state);
    if (decision.act !== "send" || !body) throw unclearZone(zoneId, found, record.attempt);
    // 2. Once more, right before the point of no return: another pipeline may be at it. What both have waited for would
    // wake them at the same moment.
    await run.sleep(run.random() * (found.hasWaited ? jitterAfterWaitMs : jitterMs));
    const again = await readMigration(client, zoneId);
    if (differs(found.seen, again.seen)) {
      if (readings < mostReadings) continue;
      throw unclearZone(zoneId, again);
    }
    return send(work, state, decision.mode, body, { ...again, at: found.at });
  }
}

/** The one request. Whatever becomes of it, it is not sent again by this operation. */
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
  const startedAt = state.startedAt ?? sentAt;
  const attempt = { mode, sentAt, before: before.seen, from: before.at };
  try {
    await client.migrate(zoneId, mode, wireBody(body, mode));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const unsure = { ...state, startedAt, attempt: { ...attempt, outcome: "unknown" as const } };
    const isRefusal = error.outcome !== "unknown";
    const found = await standingAfterFailure(work, mode, isRefusal ? undefined : unsure, body);
    if (!found) {
      if (isRefusal) throw refusedUpdate(zoneId, mode, error);
      throw new PartialFailureError(zoneId, unsure, unknownOutcome(zoneId, mode, error));
    }
    // The list was seen as it was sent: if it is empty later, someone has emptied it.
    if (mode === "validation") return awaitValidation(work, { ...unsure, observed: found.seen }, found);
    // It has begun by what the zone shows; that the service has said yes is not recorded.
    return awaitFinish(work, unsure);
  }
  const accepted = { ...state, startedAt, attempt: { ...attempt, outcome: "accepted" as const } };
  return mode === "pending" ? awaitFinish(work, accepted) : awaitValidation(work, accepted);
}

/**
 * Where the zone is after a failure: `unsure` is what we know of it, undefined when the service said no. Undefined: no
 * sign that the request was taken.
 */
async function standingAfterFailure(
  { run, client, inputs }: MigrationWork,
  mode: Attempt["mode"],
  unsure: State | undefined,
  body: WafConfiguration,
): Promise<Standing | undefined> {
  for (const pause of unsure ? pausesAfterUnknown : [0]) {
    if (pause > 0) await run.sleep(pause);
    const found = await standing(run, client, inputs.zoneId, unsure ?? {}).catch(() => undefined);
    if (!found) continue;
    const isOnItsWay = found.at === "finishing" || found.at === "finished";
    if (mode === "pending" ? isOnItsWay : isValidated(found, body)) return found;
  }
  return undefined;
}

function isValidated({ seen, rules }: Reading, body: WafConfiguration): boolean {
  return seen.ruleCount > 0 && isSameConfiguration(body.rules, rules);
}

function stateFrom(
  { run, inputs }: MigrationWork,
  record: State,
  found: Standing,
  { decision, body, proposed }: Prepared,
): State {
  const { attempt = found.lost } = record;
  return {
    ...inputs,
    compatible: record.compatible ?? found.seen.compatible,
    applied: body
      ? applied(body)
      : (record.applied ?? { name: found.name ?? "default", rules: found.rules.map(ruleRecord) }),
    // Before the first change of ours, also in a zone that someone else has brought into validation.
    before: record.before ?? (decision.act === "send" ? evidence(run, found, proposed) : undefined),
    startedAt: record.startedAt,
    ...(record.reached && { reached: record.reached }),
    ...(record.observed && { observed: record.observed }),
    ...(attempt && { attempt }),
  };
}

function evidence(
  run: Run,
  { seen, status, rules }: Reading,
  proposed: WafConfiguration | undefined,
): State["before"] {
  return {
    observedAt: new Date(run.now()).toISOString(),
    compatible: seen.compatible,
    migrationState: seen.migrationState,
    ...(status && { status: { ...status.record } }),
    ...(proposed && { configuration: applied(proposed) }),
    ...(rules.length > 0 && { entrypointRules: rules.map(ruleRecord) }),
  };
}

/**
 * A reading that may be acted upon. What `check` and `status` say can be behind what was just done: as long as a request
 * of ours without an answer, or a change of the rules that we do not know, is that young, nothing is concluded.
 */
async function standingWhenQuiet(
  work: MigrationWork,
  record: State,
): Promise<Standing & { readonly hasWaited: boolean }> {
  const { run, client, inputs, urn } = work;
  const place = { urn, zoneId: inputs.zoneId };
  let hasWaited = false;
  let seenAt: { readonly version?: string | undefined; readonly at: number } = { at: run.now() };
  while (true) {
    const found = await standing(run, client, inputs.zoneId, record);
    // A clock ahead of ours must not make us wait longer: no change is younger than when we first saw it.
    const version = found.seen.entrypointVersion;
    if (version !== seenAt.version) seenAt = { version, at: run.now() };
    const remaining = unsettledFor(found, record, seenAt.at, run.now());
    if (remaining <= 0 || found.at === "finished" || found.at === "finishing") return { ...found, hasWaited };
    if (!hasWaited) {
      const seconds = Math.ceil(remaining / 1000);
      const message = `the zone has just been changed: waiting ${seconds} s until it shows what became of it`;
      await tell(run, infoOn("", "migration-settling", message), place);
      hasWaited = true;
    }
    await run.sleep(Math.min(remaining, 5000));
  }
}

/** Milliseconds until what the zone shows counts as settled. */
function unsettledFor(
  { seen, lastUpdated }: Standing,
  { attempt, observed }: State,
  seenAt: number,
  now: number,
): number {
  const isKnown =
    seen.entrypointVersion === undefined || seen.entrypointVersion === observed?.entrypointVersion;
  const changes = [
    ...(attempt?.outcome === "unknown" ? [Date.parse(attempt.sentAt)] : []),
    ...(isKnown || lastUpdated === undefined ? [] : [Date.parse(lastUpdated)]),
  ];
  return Math.max(0, ...changes.filter(Number.isFinite).map((at) => Math.min(at, seenAt) + settlingMs - now));
}

/** Waits, bounded, until the new WAF is on beside the previous one. */
async function awaitValidation(work: MigrationWork, state: State, found?: Standing): Promise<State> {
  const isOn = ({ seen }: Standing): boolean => seen.newEnabled !== false;
  const last = await observeUntil(work, state, isOn, found);
  if (last && isOn(last)) return reached(work.run, state, last, "validation");
  throw new PartialFailureError(
    work.inputs.zoneId,
    state,
    stillWaiting(state, last, "the validation was accepted"),
  );
}

/** Waits, bounded, until the new WAF is on and the previous one off. Cut off here, the next update continues to observe. */
async function awaitFinish(work: MigrationWork, state: State, found?: Standing): Promise<State> {
  const { run, urn } = work;
  const { zoneId } = work.inputs;
  const isFinished = ({ at }: Standing): boolean => at === "finished";
  const last = await observeUntil(work, state, isFinished, found);
  if (last && isFinished(last)) return reached(run, state, last, "finished");
  const { attempt } = state;
  const tellsNothing = last && last.seen.oldEnabled === undefined && last.seen.newEnabled === undefined;
  const isAccepted = knownOutcome(state) === "accepted";
  const wasTaken = last?.at === "finishing" && (isAccepted || last.seen.compatible !== true);
  const sentFor = attempt?.mode === "pending" ? run.now() - Date.parse(attempt.sentAt) : 0;
  if (last && tellsNothing && wasTaken && sentFor >= longestFinishMs) {
    const message =
      "the finish was sent and accepted more than an hour ago and the status cannot be read: the migration counts as finished. Check the zone's WAF page in the dashboard.";
    await tell(run, warningOn("", "migration-counts-as-finished", message), { urn, zoneId });
    return reached(run, state, last, "finished");
  }
  if (last?.at === "unclear")
    throw new PartialFailureError(zoneId, state, unclearZone(zoneId, last, attempt));
  const what = isAccepted
    ? `${attempt?.outcome === "accepted" ? "" : "unclearAttempt says that "}the finish of the migration was accepted`
    : "the finish of the migration seems to be under way";
  throw new PartialFailureError(zoneId, state, stillWaiting(state, last, what));
}

function stillWaiting(state: State, last: Standing | undefined, what: string): MigrationError {
  return new MigrationError("migration-not-there-yet", state.zoneId, {
    what: `${what}, but after ${minutesToWait(state)} min the zone shows ${shownStatus(last)}.`,
    why: "It can take up to an hour.",
    fix: "Run `pulumi up` again: it continues to wait and sends nothing. timeoutMinutes sets how long.",
  });
}

function minutesToWait(state: State): number {
  return state.timeoutMinutes ?? 60;
}

/**
 * Reads until `isThere`, with growing pauses and progress lines, for `timeoutMinutes` at most; not at all where `found` is
 * there. Gives the last reading.
 */
async function observeUntil(
  { run, client, inputs, urn }: MigrationWork,
  state: State,
  isThere: (found: Standing) => boolean,
  found?: Standing,
): Promise<Standing | undefined> {
  if (found && isThere(found)) return found;
  const { zoneId } = inputs;
  const minutes = minutesToWait(state);
  const started = run.now();
  const deadline = started + minutes * 60_000;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let pause = firstPoll;
  let last: Standing | undefined;
  while (true) {
    const hasTime = run.now() < deadline;
    try {
      last = await standing(run, client, zoneId, state);
    } catch (error) {
      // The service may have said yes: what is known of it must not be lost. The failure may pass.
      const isPassing = error instanceof ApiError && error.outcome !== "refused";
      if (!hasTime || !isPassing) throw new PartialFailureError(zoneId, state, error);
    }
    if ((last && isThere(last)) || run.now() >= deadline) return last;
    if (run.now() - reportedAt >= progressEvery) {
      reportedAt = run.now();
      const message = `waiting for the new WAF of zone ${zoneId}: ${shownStatus(last)}, ${passed(run.now() - started)} of at most ${minutes} min`;
      await tell(run, infoOn("", "migration-waiting", message), { urn, zoneId });
    }
    await run.sleep(Math.min(pause, Math.max(deadline - run.now(), 1)));
    pause = Math.min(pause * 1.5, slowestPoll);
  }
}

function reached(run: Run, state: State, found: Standing, at: Position): State {
  const { attempt, ...rest } = state;
  return {
    ...rest,
    migrationState: found.seen.migrationState,
    status: { ...found.status?.record },
    reached: at,
    observed: found.seen,
    ...(at === "finished" && { finishedAt: state.finishedAt ?? new Date(run.now()).toISOString() }),
  };
}

function shownStatus(found: Standing | undefined): string {
  if (!found) return "no readable status";
  const { oldEnabled, newEnabled, migrationState } = found.seen;
  return `new WAF ${onOrOff(newEnabled)}, previous WAF ${onOrOff(oldEnabled)}${migrationState ? `, state "${shownName(migrationState)}"` : ""}`;
}

function passed(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
