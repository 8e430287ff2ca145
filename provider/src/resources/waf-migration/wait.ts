import type { PageGuardClient } from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
import { MigrationError } from "../../errors/migration-error";
import { PartialFailure } from "../../lifecycle/partial-failure";
import type { Run } from "../../lifecycle/run";
import { type Position, position } from "./decision";
import { type Look, look } from "./observe";
import type { Inputs, State } from "./state";
import { shownName } from "./texts";

/** How long reads of a zone may be behind a change, in milliseconds. */
const settlingMs = 30_000;

/** "It can take up to an hour" until a finish shows, in milliseconds. */
const longestFinish = 3_600_000;

const firstPoll = 500;

const slowestPoll = 15_000;

const progressEvery = 30_000;

/**
 * A look that may be acted upon. What `check` and `status` say can be behind what was just done: as long as a request
 * of ours without an answer, or a change of the rules that we do not know, is that young, nothing is concluded.
 */
export async function lookWhenQuiet(
  run: Run,
  client: PageGuardClient,
  inputs: Inputs,
  record: State,
  urn: string,
): Promise<Look> {
  let hasTold = false;
  while (true) {
    const found = await look(client, inputs.zoneId);
    const remaining = unsettledFor(found, record, run.now());
    const at = position(found.seen, record);
    if (remaining <= 0 || at === "finished" || at === "finishing") return found;
    if (!hasTold) {
      const seconds = Math.ceil(remaining / 1000);
      await run.progress(
        urn,
        `the zone has just been changed: waiting ${seconds} s until it shows what became of it`,
      );
      hasTold = true;
    }
    await run.sleep(Math.min(remaining, 5000));
  }
}

/** Milliseconds until what the zone shows counts as settled. */
function unsettledFor({ seen, lastChanged }: Look, { attempt, observed }: State, now: number): number {
  const isKnown =
    seen.entrypointVersion === undefined || seen.entrypointVersion === observed?.entrypointVersion;
  const changes = [
    ...(attempt?.outcome === "unknown" ? [Date.parse(attempt.sentAt)] : []),
    ...(isKnown || lastChanged === undefined ? [] : [Date.parse(lastChanged)]),
  ];
  // A clock ahead of ours must not make us wait longer.
  return Math.max(0, ...changes.filter(Number.isFinite).map((at) => Math.min(at, now) + settlingMs - now));
}

/** Waits, bounded, until the new WAF is on beside the previous one. */
export async function awaitValidation(
  run: Run,
  client: PageGuardClient,
  state: State,
  found: Look | undefined,
  urn: string,
): Promise<State> {
  const isOn = ({ seen }: Look): boolean => seen.newEnabled !== false;
  const last = found && isOn(found) ? found : await observeUntil(run, client, state, urn, isOn);
  if (last && isOn(last)) return reached(run, state, last, "validation");
  throw new PartialFailure(
    state.zoneId ?? "",
    state,
    stillWaiting(state, last, "the validation was accepted"),
  );
}

/** Waits, bounded, until the new WAF is on and the previous one off. Cut off here, the next update goes on observing. */
export async function awaitFinish(
  run: Run,
  client: PageGuardClient,
  state: State,
  urn: string,
): Promise<State> {
  const isFinished = ({ seen }: Look): boolean => position(seen, state) === "finished";
  const last = await observeUntil(run, client, state, urn, isFinished);
  if (last && isFinished(last)) return reached(run, state, last, "finished");
  const { attempt } = state;
  const tellsNothing = last && last.seen.oldEnabled === undefined && last.seen.newEnabled === undefined;
  const wasTaken = attempt?.outcome === "accepted" || last?.seen.compatible !== true;
  const sentFor = attempt?.mode === "pending" ? run.now() - Date.parse(attempt.sentAt) : 0;
  if (last && tellsNothing && wasTaken && sentFor >= longestFinish) {
    await run.warn(
      urn,
      "the finish was sent and taken more than an hour ago and the status cannot be read: the migration counts as finished. Look at the zone's WAF page in the dashboard.",
    );
    return reached(run, state, last, "finished");
  }
  const what =
    attempt?.outcome === "accepted"
      ? "the finish of the migration was accepted"
      : "the finish of the migration seems to be under way";
  throw new PartialFailure(state.zoneId ?? "", state, stillWaiting(state, last, what));
}

function stillWaiting(state: State, last: Look | undefined, what: string): MigrationError {
  return new MigrationError(
    {
      what: `${what}, but after ${minutesToWait(state)} min the zone shows ${shownStatus(last)}.`,
      why: "It can take up to an hour.",
      fix: "Run `pulumi up` again: it goes on waiting and sends nothing. timeoutMinutes sets how long.",
    },
    { zoneId: state.zoneId },
  );
}

function minutesToWait(state: State): number {
  return state.timeoutMinutes ?? 60;
}

/** Looks until `isThere`, with growing pauses and progress lines, for `timeoutMinutes` at most. Gives the last look. */
async function observeUntil(
  run: Run,
  client: PageGuardClient,
  state: State,
  urn: string,
  isThere: (found: Look) => boolean,
): Promise<Look | undefined> {
  const zoneId = state.zoneId ?? "";
  const minutes = minutesToWait(state);
  const started = run.now();
  const deadline = started + minutes * 60_000;
  let told = Number.NEGATIVE_INFINITY;
  let pause = firstPoll;
  let last: Look | undefined;
  while (true) {
    last = (await afterAcceptance(zoneId, state, () => look(client, zoneId), run.now() < deadline)) ?? last;
    if ((last && isThere(last)) || run.now() >= deadline) return last;
    if (run.now() - told >= progressEvery) {
      told = run.now();
      await run.progress(
        urn,
        `waiting for the new WAF of zone ${zoneId}: ${shownStatus(last)}, ${passed(run.now() - started)} of at most ${minutes} min`,
      );
    }
    await run.sleep(Math.min(pause, Math.max(deadline - run.now(), 1)));
    pause = Math.min(pause * 1.5, slowestPoll);
  }
}

/** After the service said yes a failure must not lose that knowledge. Undefined: it may pass, and there is time. */
async function afterAcceptance(
  zoneId: string,
  state: State,
  work: () => Promise<Look>,
  mayTryAgain: boolean,
): Promise<Look | undefined> {
  try {
    return await work();
  } catch (error) {
    const isPassing = error instanceof ApiError && error.outcome !== "refused";
    if (mayTryAgain && isPassing) return undefined;
    throw new PartialFailure(zoneId, state, error instanceof Error ? error : new Error(String(error)));
  }
}

export function reached(run: Run, state: State, found: Look, at: Position): State {
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

function shownStatus(found: Look | undefined): string {
  if (!found) return "no readable status";
  const { oldEnabled, newEnabled, migrationState } = found.seen;
  const word = (enabled: boolean | undefined): string =>
    enabled === undefined ? "unknown" : enabled ? "on" : "off";
  return `new WAF ${word(newEnabled)}, previous WAF ${word(oldEnabled)}${migrationState ? `, state "${shownName(migrationState)}"` : ""}`;
}

function passed(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}
