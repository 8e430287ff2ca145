import type { WafConfiguration } from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
import { PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { differs } from "./decision";
import { type Prepared, prepare } from "./prepare";
import { applied, isSameConfiguration, ruleRecord, wireBody } from "./rules";
import { type MigrationWork, type Reading, readMigration, type Standing, standing } from "./standing";
import type { Attempt, State } from "./state";
import { refusedUpdate, unclearZone, unknownOutcome } from "./texts";
import { awaitFinish, awaitValidation, reached, standingWhenQuiet } from "./wait";

/** How often a zone that keeps changing is read again before anything is sent. */
const mostReadings = 5;

/** Before the last reading, at most, in milliseconds. */
const jitterMs = 250;

/** The same after a wait that every pipeline of the zone ends at the same moment. */
const jitterAfterWaitMs = 10_000;

/** Pauses before the readings after an unknown outcome, in milliseconds. */
const pausesAfterUnknown = [0, 1000, 2000, 4000];

/** observe -> decide -> send at most once -> observe until it is done. */
export async function advance(work: MigrationWork, recorded: State): Promise<State> {
  const { run, client, inputs } = work;
  const record = { ...recorded, unclearAttempt: inputs.unclearAttempt };
  const { zoneId } = inputs;
  for (let readings = 1; ; readings += 1) {
    // 1. Observe, and decide by what is seen now: a preview may be old.
    const found = await standingWhenQuiet(work, record);
    const { decision, body, proposed } = await prepare(work, record, found);
    const state = stateFrom(work, record, found, { decision, body, proposed });
    if (decision.act === "adopt") {
      return found.at === "validation"
        ? awaitValidation(work, state, found)
        : reached(run, state, found, found.at);
    }
    if (decision.act === "wait") return awaitFinish(work, state);
    if (decision.act !== "send" || !body) throw unclearZone(zoneId, found.seen, record.attempt);
    // 2. Once more, right before the point of no return: another pipeline may be at it. What both have waited for would
    // wake them at the same moment.
    await run.sleep(run.random() * (found.hasWaited ? jitterAfterWaitMs : jitterMs));
    const again = await readMigration(client, zoneId);
    if (differs(found.seen, again.seen)) {
      if (readings < mostReadings) continue;
      throw unclearZone(zoneId, again.seen, undefined);
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
  { decision, body, proposed }: Pick<Prepared, "decision" | "body" | "proposed">,
): State {
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
    ...(record.attempt && { attempt: record.attempt }),
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
