import { ApiError } from "../../errors/api-error";
import { MigrationError } from "../../errors/migration-error";
import { infoOn, warningOn } from "../../lifecycle/finding";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { tell } from "../../lifecycle/tell";
import { knownOutcome, longestFinishMs } from "./decision";
import { type MigrationWork, type Standing, standing } from "./standing";
import type { Position, State } from "./state";
import { onOrOff, shownName, unclearZone } from "./texts";

/** How long reads of a zone may be behind a change, in milliseconds. */
const settlingMs = 30_000;

const firstPoll = 500;

const slowestPoll = 15_000;

const progressEvery = 30_000;

/**
 * A reading that may be acted upon. What `check` and `status` say can be behind what was just done: as long as a request
 * of ours without an answer, or a change of the rules that we do not know, is that young, nothing is concluded.
 */
export async function standingWhenQuiet(
  work: MigrationWork,
  record: State,
): Promise<Standing & { readonly hasWaited: boolean }> {
  const { run, client, inputs, urn } = work;
  const place = { urn, zoneId: inputs.zoneId };
  let hasWaited = false;
  let seenAt: { readonly version: string | undefined; readonly at: number } = {
    version: undefined,
    at: run.now(),
  };
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
export async function awaitValidation(work: MigrationWork, state: State, found?: Standing): Promise<State> {
  const isOn = ({ seen }: Standing): boolean => seen.newEnabled !== false;
  const last = found && isOn(found) ? found : await observeUntil(work, state, isOn);
  if (last && isOn(last)) return reached(work.run, state, last, "validation");
  throw new PartialFailureError(
    work.inputs.zoneId,
    state,
    stillWaiting(state, last, "the validation was accepted"),
  );
}

/** Waits, bounded, until the new WAF is on and the previous one off. Cut off here, the next update continues to observe. */
export async function awaitFinish(work: MigrationWork, state: State): Promise<State> {
  const { run, urn } = work;
  const isFinished = ({ at }: Standing): boolean => at === "finished";
  const last = await observeUntil(work, state, isFinished);
  if (last && isFinished(last)) return reached(run, state, last, "finished");
  const { attempt } = state;
  const tellsNothing = last && last.seen.oldEnabled === undefined && last.seen.newEnabled === undefined;
  const isAccepted = knownOutcome(state) === "accepted";
  const wasTaken = last?.at === "finishing" && (isAccepted || last.seen.compatible !== true);
  const sentFor = attempt?.mode === "pending" ? run.now() - Date.parse(attempt.sentAt) : 0;
  if (last && tellsNothing && wasTaken && sentFor >= longestFinishMs) {
    const message =
      "the finish was sent and accepted more than an hour ago and the status cannot be read: the migration counts as finished. Check the zone's WAF page in the dashboard.";
    const finding = warningOn("", "migration-counts-as-finished", message);
    await tell(run, finding, { urn, zoneId: work.inputs.zoneId });
    return reached(run, state, last, "finished");
  }
  const { zoneId } = work.inputs;
  if (last?.at === "unclear")
    throw new PartialFailureError(zoneId, state, unclearZone(zoneId, last.seen, attempt));
  const what = isAccepted
    ? `${attempt?.outcome === "accepted" ? "" : "unclearAttempt says that "}the finish of the migration was accepted`
    : "the finish of the migration seems to be under way";
  throw new PartialFailureError(zoneId, state, stillWaiting(state, last, what));
}

function stillWaiting(state: State, last: Standing | undefined, what: string): MigrationError {
  return new MigrationError(
    "migration-not-there-yet",
    {
      what: `${what}, but after ${minutesToWait(state)} min the zone shows ${shownStatus(last)}.`,
      why: "It can take up to an hour.",
      fix: "Run `pulumi up` again: it continues to wait and sends nothing. timeoutMinutes sets how long.",
    },
    { zoneId: state.zoneId },
  );
}

function minutesToWait(state: State): number {
  return state.timeoutMinutes ?? 60;
}

/** Reads until `isThere`, with growing pauses and progress lines, for `timeoutMinutes` at most. Gives the last reading. */
async function observeUntil(
  { run, client, inputs, urn }: MigrationWork,
  state: State,
  isThere: (found: Standing) => boolean,
): Promise<Standing | undefined> {
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

export function reached(run: Run, state: State, found: Standing, at: Position): State {
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
