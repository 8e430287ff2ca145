import type { PageGuardClient, WafConfiguration } from "../../api/client-types";
import { ApiError } from "../../errors/api-error";
import { PartialFailure } from "../../lifecycle/partial-failure";
import type { Run } from "../../lifecycle/run";
import { type Attempt, differs, type MigrationRecord, position } from "./decision";
import { type Look, look } from "./observe";
import { prepare } from "./prepare";
import { applied, isSameList, ruleRecord, wireBody } from "./rules";
import { type Inputs, recordedUrn, type State } from "./state";
import { refusedUpdate, unclearZone, unknownOutcome } from "./texts";
import { awaitFinish, awaitValidation, lookWhenQuiet, reached } from "./wait";

/** How often a zone that changes while we look at it is looked at again before anything is sent. */
const mostLooks = 5;

/** Pauses between the looks after an outcome that nobody knows, in milliseconds. */
const looksAfterUnknown = [0, 1000, 2000, 4000];

/** observe -> decide -> send at most once -> observe until it is done. */
export async function advance(run: Run, inputs: Inputs, record: State, urn: string): Promise<State> {
  const client = run.client(inputs.connection);
  const { zoneId } = inputs;
  for (let looks = 1; ; looks += 1) {
    // 1. Observe, and decide by what is seen now: a preview may be old.
    const found = await lookWhenQuiet(run, client, inputs, record, urn);
    const { decision, body, proposed } = await prepare(client, inputs, record, found);
    const state = stateFrom(run, inputs, record, found, { body, proposed, urn });
    if (decision.act === "adopt") {
      const at = position(found.seen, record);
      if (at === "validation") return awaitValidation(run, client, state, found, urn);
      return reached(run, state, found, at);
    }
    if (decision.act === "wait") return awaitFinish(run, client, state, urn);
    if (decision.act !== "send" || !body) throw unclearZone(zoneId, found.seen);
    // 2. Once more, right before the point of no return: another pipeline may be at it.
    const again = await look(client, zoneId);
    if (differs(found.seen, again.seen)) {
      if (looks < mostLooks) continue;
      throw unclearZone(zoneId, again.seen);
    }
    return send(run, client, state, decision.mode, body, again, urn);
  }
}

/** The one request. Whatever becomes of it, it is not sent again by this operation. */
async function send(
  run: Run,
  client: PageGuardClient,
  state: State,
  mode: Attempt["mode"],
  body: WafConfiguration,
  before: Look,
  urn: string,
): Promise<State> {
  const zoneId = state.zoneId ?? "";
  const sentAt = new Date(run.now()).toISOString();
  const startedAt = state.startedAt ?? sentAt;
  const attempt = { mode, sentAt, before: before.seen };
  try {
    await client.migrate(zoneId, mode, wireBody(body, mode));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const unsure = { ...state, startedAt, attempt: { ...attempt, outcome: "unknown" as const } };
    const found = await lookAfterUnknown(
      run,
      client,
      zoneId,
      mode,
      unsure,
      error.outcome !== "unknown",
      body,
    );
    if (!found) {
      if (error.outcome !== "unknown") throw refusedUpdate(zoneId, mode, error);
      throw new PartialFailure(zoneId, unsure, unknownOutcome(zoneId, mode, error));
    }
    if (mode === "validation") return awaitValidation(run, client, unsure, found, urn);
    return awaitFinish(run, client, { ...unsure, attempt: { ...attempt, outcome: "accepted" } }, urn);
  }
  const accepted = { ...state, startedAt, attempt: { ...attempt, outcome: "accepted" as const } };
  if (mode === "pending") return awaitFinish(run, client, accepted, urn);
  return awaitValidation(run, client, accepted, undefined, urn);
}

/** What the zone shows after a failure. Undefined: no sign that the request was taken. */
async function lookAfterUnknown(
  run: Run,
  client: PageGuardClient,
  zoneId: string,
  mode: Attempt["mode"],
  record: MigrationRecord,
  isRefusal: boolean,
  body: WafConfiguration,
): Promise<Look | undefined> {
  for (const pause of isRefusal ? [0] : looksAfterUnknown) {
    if (pause > 0) await run.sleep(pause);
    const found = await look(client, zoneId).catch(() => undefined);
    if (!found) continue;
    const at = position(found.seen, isRefusal ? {} : record);
    if (mode === "pending" ? at === "finishing" || at === "finished" : isValidated(found, body)) return found;
  }
  return undefined;
}

function isValidated({ seen, rules }: Look, body: WafConfiguration): boolean {
  return seen.ruleCount > 0 && isSameList(body.rules, rules);
}

function stateFrom(
  run: Run,
  inputs: Inputs,
  record: State,
  found: Look,
  {
    body,
    proposed,
    urn,
  }: { body: WafConfiguration | undefined; proposed: WafConfiguration | undefined; urn: string },
): State {
  const at = position(found.seen, record);
  return {
    ...inputs,
    ...recordedUrn(urn, record),
    compatible: record.compatible ?? found.seen.compatible,
    applied: body
      ? applied(body)
      : (record.applied ?? { name: found.name ?? "default", rules: found.rules.map(ruleRecord) }),
    before: record.before ?? (at === "old" ? evidence(run, found, proposed) : undefined),
    startedAt: record.startedAt,
    ...(record.reached && { reached: record.reached }),
    ...(record.observed && { observed: record.observed }),
    ...(record.attempt && { attempt: record.attempt }),
  };
}

function evidence(
  run: Run,
  { seen, status, rules }: Look,
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
