import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { EntrypointBody, PageGuardClient, Rule, WafConfiguration } from "../api/client-types";
import { ApiError } from "../errors/api-error";
import { MigrationError } from "../errors/migration-error";
import { NotFoundError } from "../errors/not-found-error";
import {
  booleanInput,
  connectionInput,
  shortly,
  textInput,
  wordInput,
  zoneIdInput,
} from "../lifecycle/common-inputs";
import type { Finding } from "../lifecycle/finding";
import type { Kind, Properties } from "../lifecycle/kind";
import { PartialFailure } from "../lifecycle/partial-failure";
import type { Run } from "../lifecycle/run";
import { containsUnknown } from "../lifecycle/unknown";
import { destroyRefused } from "./waf-migration";
import {
  type Attempt,
  type Decision,
  decide,
  differs,
  type MigrationRecord,
  type Observation,
  type Position,
  position,
  type Stage,
} from "./waf-migration-decision";
import { type Look, look, proposedConfiguration, uriOverrides } from "./waf-migration-observe";
import {
  limitProblems,
  movedSettings,
  overrideProblems,
  owaspNotes,
  readableRules,
  withOverrides,
} from "./waf-migration-plan";
import { refusedUpdate, unclearZone, unknownOutcome } from "./waf-migration-texts";
import { fromRule, recordedRule, toRule, wafRuleInput } from "./waf-rule-input";
import { isSameRule } from "./waf-rule-match";

const name = "WafMigrationStep";

const overrideInput = z
  .strictObject({
    rulesetId: textInput("rulesetId"),
    ruleId: textInput("ruleId"),
    action: textInput("action").optional(),
    enabled: booleanInput.optional(),
  })
  .refine(({ action, enabled }) => action !== undefined || enabled !== undefined, {
    error:
      "this override changes nothing: it has neither action nor enabled. Say what it should change, or leave it out.",
  });

const configurationInput = z.strictObject({ name: textInput("name"), rules: z.array(wafRuleInput) });

const shape = {
  zoneId: zoneIdInput,
  stage: wordInput(["validation", "finished"]),
  confirm: textInput("confirm"),
  ruleOverrides: z.array(overrideInput).optional(),
  configuration: configurationInput.optional(),
  timeoutMinutes: z
    .number({ error: "timeoutMinutes is a number of minutes." })
    .positive({ error: "timeoutMinutes is a number of minutes above 0." })
    .optional(),
  allowForget: booleanInput.optional(),
  connection: connectionInput.optional(),
};

const inputsSchema = z.object(shape);
type Inputs = z.output<typeof inputsSchema>;

const observationSchema = z.object({
  compatible: z.boolean().optional(),
  migrationState: z.string().optional(),
  oldEnabled: z.boolean().optional(),
  newEnabled: z.boolean().optional(),
  checkGone: z.boolean(),
  ruleCount: z.number(),
  entrypointVersion: z.string().optional(),
});

const appliedSchema = z.object({ name: z.string(), rules: z.array(recordedRule) });

const stateSchema = inputsSchema.partial().extend({
  compatible: z.boolean().optional(),
  migrationState: z.string().optional(),
  applied: appliedSchema.optional(),
  status: z.record(z.string(), z.unknown()).optional(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  before: z.looseObject({ observedAt: z.string() }).optional(),
  reached: z.enum(["old", "validation", "finishing", "finished", "unclear"]).optional(),
  observed: observationSchema.optional(),
  attempt: z
    .object({
      mode: z.enum(["validation", "pending"]),
      sentAt: z.string(),
      outcome: z.enum(["accepted", "unknown"]),
      before: observationSchema,
    })
    .optional(),
  /** For the exact command in the refusal of a destroy. */
  urn: z.string().optional(),
});
type State = z.output<typeof stateSchema>;

/** How often a zone that changes while we look at it is looked at again before anything is sent. */
const mostLooks = 5;
/** Pauses between the looks after an outcome that nobody knows, in milliseconds. */
const looksAfterUnknown = [0, 1000, 2000, 4000];
/** How long reads of a zone may be behind a change, in milliseconds. */
const settlingMs = 30_000;
/** "It can take up to an hour" until a finish shows, in milliseconds. */
const longestFinish = 3_600_000;
const firstPoll = 500;
const slowestPoll = 15_000;
const progressEvery = 30_000;

export const wafMigrationStep: Kind<Inputs, State> = {
  name,
  shape,
  // A migration is never replaced: `inspectChange` refuses another zone before the engine gets that far.
  replacedBy: ["zoneId"],
  onePerZone: true,
  parseInputs: (inputs) => inputsSchema.parse(inputs),
  parseState: (state) => stateSchema.parse(state),
  inspect: confirmation,

  changedInputs(recorded, declared) {
    const isOver = recorded["reached"] === "finished";
    const changed = ["zoneId", "stage"].filter((input) => recorded[input] !== declared[input]);
    if ((recorded["allowForget"] ?? false) !== (declared["allowForget"] ?? false))
      changed.push("allowForget");
    // What was sent with the finish cannot be sent again: from then on the rules are the entry point's.
    for (const input of isOver ? [] : ["ruleOverrides", "configuration"]) {
      if (!isDeepStrictEqual(recorded[input] ?? null, declared[input] ?? null)) changed.push(input);
    }
    return changed;
  },

  matters: (before, now) =>
    ["zoneId", "stage", "ruleOverrides", "configuration"].some(
      (input) => !isDeepStrictEqual(before[input] ?? null, now[input] ?? null),
    ),

  async preflight(run, { before, now, urn }) {
    const refusals = before === undefined ? [] : inspectChange(before, now);
    if (refusals.length > 0 || before !== undefined || containsUnknown(now)) return refusals;
    return plan(run, inputsSchema.parse(now), {}, urn);
  },

  async beforeUpdate(run, _id, state, now, urn) {
    if (containsUnknown(now)) return [];
    const inputs = inputsSchema.parse(now);
    return isSettled(state, inputs) ? [] : plan(run, inputs, state, urn);
  },

  async create(run, inputs, urn) {
    return { id: inputs.zoneId, state: await advance(run, inputs, {}, urn) };
  },

  async read(run, id, state) {
    const kept = (found: Partial<State>, stage = state.stage): { inputs: Properties; state: State } => {
      const {
        zoneId = id,
        confirm,
        ruleOverrides,
        configuration,
        timeoutMinutes,
        allowForget,
        connection,
      } = state;
      return {
        inputs: {
          zoneId,
          stage,
          confirm,
          ruleOverrides,
          configuration,
          timeoutMinutes,
          allowForget,
          connection,
        },
        state: { ...state, ...found, stage },
      };
    };
    let found: Look;
    try {
      found = await look(run.client(state.connection), id);
    } catch (error) {
      // What has been migrated stays migrated, whatever becomes of the zone: never reported as gone.
      if (error instanceof NotFoundError) return kept({});
      throw error;
    }
    const at = position(found.seen, state);
    const { status, seen } = found;
    return kept(
      {
        ...(status && { status: { ...status.record } }),
        ...(seen.migrationState !== undefined && { migrationState: seen.migrationState }),
      },
      // Somebody has finished it in the dashboard: that is drift.
      at === "finished" && state.stage === "validation" ? "finished" : state.stage,
    );
  },

  async update(run, _id, state, inputs, urn) {
    if (isSettled(state, inputs)) return { ...state, ...inputs, ...recordedUrn(urn, state) };
    return advance(run, inputs, state, urn);
  },

  async delete(_run, id, state) {
    if (state.allowForget === true) return;
    throw new MigrationError(
      { what: destroyRefused(state.urn) },
      { zoneId: id, operation: "destroy the WAF migration" },
    );
  },
};

/** Nothing is left to do but to note the new arguments. */
function isSettled(state: State, inputs: Inputs): boolean {
  const isThere = state.reached === (inputs.stage === "finished" ? "finished" : "validation");
  if (!isThere || state.applied === undefined) return false;
  return (
    state.reached === "finished" ||
    wafMigrationStep.changedInputs(state, inputs).every((input) => input === "allowForget")
  );
}

function confirmation({ confirm, zoneId }: Properties): readonly Finding[] {
  if (containsUnknown([confirm, zoneId]) || confirm === zoneId) return [];
  const message = `the migration cannot be undone, so confirm has to repeat the zone id; ${shortly(confirm)} came. Write confirm: "${String(zoneId)}" if that is the zone to migrate.`;
  return [{ severity: "error", property: "confirm", message }];
}

function inspectChange(before: Properties, now: Properties): readonly Finding[] {
  const findings: Finding[] = [];
  if (!containsUnknown(now["zoneId"]) && before["zoneId"] !== now["zoneId"]) {
    findings.push({
      severity: "error",
      property: "zoneId",
      message: `a migration stays with its zone (${String(before["zoneId"])}): it can neither be moved nor undone. Declare a WafMigration of its own for the other zone.`,
    });
  }
  if (before["stage"] === "finished" && now["stage"] === "validation") {
    findings.push({ severity: "error", property: "stage", message: backwards });
  }
  const isTooLate = ["ruleOverrides", "configuration"].some(
    (input) => !isDeepStrictEqual(before[input] ?? null, now[input] ?? null),
  );
  if (before["stage"] === "finished" && now["stage"] === "finished" && isTooLate) {
    findings.push({
      severity: "warning",
      property: "",
      message:
        "the migration is finished: a change of ruleOverrides or configuration has no effect any more. Edit the rules in a ManagedWafEntrypoint.",
    });
  }
  return findings;
}

const backwards =
  'the migration of this zone is finished and cannot go back to validation. Write stage: "finished"; rules are edited in a ManagedWafEntrypoint.';

/** What an update would do, told in its preview: the refusals as findings, the rest as a message on the resource. */
async function plan(run: Run, inputs: Inputs, record: State, urn: string): Promise<readonly Finding[]> {
  const client = run.client(inputs.connection);
  const found = await look(client, inputs.zoneId);
  try {
    const { decision, body, lines } = await prepare(client, inputs, record, found);
    await run.progress(urn, [headline(decision, inputs.zoneId), ...(body ? lines : [])].join("\n"));
    return [];
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return [
      {
        severity: "error",
        property: error.facts.property ?? "",
        message: error.message.replace(/^[\w.[\]]+: /, ""),
      },
    ];
  }
}

function headline(decision: Decision, zoneId: string): string {
  switch (decision.act) {
    case "send":
      return decision.mode === "pending"
        ? `FINISHES the WAF migration of zone ${zoneId}: the previous WAF is switched off. This cannot be undone.`
        : `Starts or adjusts WAF validation of zone ${zoneId}: the new WAF runs beside the previous one. The zone cannot go back to the previous WAF alone.`;
    case "wait":
      return `The finish of the WAF migration of zone ${zoneId} is under way: nothing will be sent, the update waits for its end.`;
    case "adopt":
      return `The WAF migration of zone ${zoneId} has this stage already: it is taken over as it is, nothing will be sent.`;
    case "refuse":
      return "";
  }
}

interface Prepared {
  readonly decision: Decision;
  /** What would be sent. */
  readonly body: WafConfiguration | undefined;
  readonly proposed: WafConfiguration | undefined;
  readonly lines: readonly string[];
}

/** Decides, and checks everything that can be checked before a request. Throws what would refuse it. */
async function prepare(
  client: PageGuardClient,
  inputs: Inputs,
  record: State,
  found: Look,
): Promise<Prepared> {
  const { zoneId, stage } = inputs;
  const at = position(found.seen, record);
  if (at !== "old" && at !== "validation") {
    const decision = decide(at, stage, false);
    if (decision.act === "refuse") throw refusal(decision.reason, zoneId, found.seen);
    return { decision, body: undefined, proposed: undefined, lines: [] };
  }
  // 1. Eligible?
  await requireCompatible(client, zoneId, found.seen);
  // 2. A configuration that can be read, with what the program adds.
  const proposed = await proposedConfiguration(client, zoneId);
  const body = configurationOf(inputs, proposed);
  // 3. Within the limits, and nothing of somebody else in the way.
  const problems = limitProblems(body);
  if (problems.length > 0) {
    throw new MigrationError({ what: problems.join(" ") }, { zoneId, property: "configuration" });
  }
  refuseLosingEdits(inputs, record, found, [...body.rules, ...(proposed?.rules ?? [])]);
  const decision = decide(at, stage, !isSameList(body.rules, found.rules));
  const lines = [...readableRules(body), ...movedSettings, ...owaspNotes(body)];
  return { decision, body, proposed, lines };
}

async function requireCompatible(client: PageGuardClient, zoneId: string, seen: Observation): Promise<void> {
  const overrides = await uriOverrides(client, zoneId);
  if (overrides.length > 0) {
    const named = overrides.map(
      ({ id, description, urls }) =>
        `${id}${description ? ` "${description}"` : ""} (${urls.join(", ") || "no URL"})`,
    );
    throw new MigrationError(
      {
        what: `the zone has ${overrides.length === 1 ? "a URI-based WAF override" : `${overrides.length} URI-based WAF overrides`}: ${named.join("; ")}.`,
        why: "Such overrides, which only the API can make, have no equivalent in the new WAF and exclude the zone from the migration.",
        fix: "Delete them with the API's delete-WAF-override operation, then preview again.",
      },
      { zoneId },
    );
  }
  if (seen.compatible === true) return;
  throw new MigrationError(
    {
      what: `the compatibility check says that the zone is not eligible${seen.migrationState ? ` (migration state "${seen.migrationState}")` : ""}.`,
      why: "Its current configuration holds something that cannot be moved, or its migration is in a state that this package does not know.",
      fix: "Look at the zone's WAF page in the dashboard; nothing was sent.",
    },
    { zoneId },
  );
}

function configurationOf(inputs: Inputs, proposed: WafConfiguration | undefined): WafConfiguration {
  const base = inputs.configuration
    ? { name: inputs.configuration.name, rules: inputs.configuration.rules.map(toRule) }
    : proposed;
  if (!base) {
    throw new MigrationError(
      {
        what: "the service has no configuration to migrate for this zone.",
        why: 'The operation that proposes it answers "not found".',
        fix: "Look at the zone's WAF page in the dashboard, or give the whole configuration in `configuration`.",
      },
      { zoneId: inputs.zoneId },
    );
  }
  const overrides = inputs.ruleOverrides ?? [];
  const [problem] = overrideProblems(base, overrides);
  if (problem) {
    throw new MigrationError(
      { what: problem.message },
      { zoneId: inputs.zoneId, property: problem.property },
    );
  }
  return withOverrides(base, overrides);
}

/** The update replaces the whole list: rules that somebody edited or added since we wrote it must not be lost. */
function refuseLosingEdits(inputs: Inputs, record: State, found: Look, expected: readonly Rule[]): void {
  if (inputs.configuration !== undefined || found.rules.length === 0) return;
  const ours = [...expected, ...(record.applied?.rules ?? []).map(asRule)];
  const strangers = found.rules.filter((rule) => !ours.some((mine) => isSameRule(unnamed(mine), rule)));
  if (strangers.length === 0) return;
  const named = strangers
    .map((rule) => `"${rule.description ?? ""}" (${rule.action} if ${rule.expression})`)
    .join("; ");
  throw new MigrationError(
    {
      what: `the entry point holds rules that the migration would overwrite: ${named}.`,
      why: "Somebody edited them in the dashboard or with another tool since the configuration was sent.",
      fix: "Say what is meant: add the edits as ruleOverrides, or give the whole list in `configuration`.",
    },
    { zoneId: inputs.zoneId },
  );
}

/** observe -> decide -> send at most once -> observe until it is done. */
async function advance(run: Run, inputs: Inputs, record: State, urn: string): Promise<State> {
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

/**
 * A look that may be acted upon. What `check` and `status` say can be behind what was just done: as long as a request
 * of ours without an answer, or a change of the rules that we do not know, is that young, nothing is concluded.
 */
async function lookWhenQuiet(
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
      await run.progress(urn, `the zone has just been changed: waiting ${seconds} s until it shows what became of it`);
      hasTold = true;
    }
    await run.sleep(Math.min(remaining, 5000));
  }
}

/** Milliseconds until what the zone shows counts as settled. */
function unsettledFor({ seen, lastChanged }: Look, { attempt, observed }: State, now: number): number {
  const isKnown = seen.entrypointVersion === undefined || seen.entrypointVersion === observed?.entrypointVersion;
  const changes = [
    ...(attempt?.outcome === "unknown" ? [Date.parse(attempt.sentAt)] : []),
    ...(isKnown || lastChanged === undefined ? [] : [Date.parse(lastChanged)]),
  ];
  // A clock ahead of ours must not make us wait longer.
  return Math.max(0, ...changes.filter(Number.isFinite).map((at) => Math.min(at, now) + settlingMs - now));
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

/** Waits, bounded, until the new WAF is on beside the previous one. */
async function awaitValidation(
  run: Run,
  client: PageGuardClient,
  state: State,
  found: Look | undefined,
  urn: string,
): Promise<State> {
  const isOn = ({ seen }: Look): boolean => seen.newEnabled !== false;
  const last = found && isOn(found) ? found : await observeUntil(run, client, state, urn, isOn);
  if (last && isOn(last)) return reached(run, state, last, "validation");
  throw new PartialFailure(state.zoneId ?? "", state, stillWaiting(state, last, "the validation was accepted"));
}

/** Waits, bounded, until the new WAF is on and the previous one off. Cut off here, the next update goes on observing. */
async function awaitFinish(run: Run, client: PageGuardClient, state: State, urn: string): Promise<State> {
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
      what: `${what}, but after ${minutesToWait(state)} minutes the zone shows ${shownStatus(last)}.`,
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
    applied: body ? applied(body) : (record.applied ?? { name: "", rules: found.rules.map(ruleRecord) }),
    before: record.before ?? (at === "old" ? evidence(run, found, proposed) : undefined),
    startedAt: record.startedAt,
    ...(record.reached && { reached: record.reached }),
    ...(record.observed && { observed: record.observed }),
    ...(record.attempt && { attempt: record.attempt }),
  };
}

function reached(run: Run, state: State, found: Look, at: Position): State {
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

function recordedUrn(urn: string, record: State): { urn?: string } {
  const known = urn || record.urn;
  return known ? { urn: known } : {};
}

/** A rule for comparing: what identifies it is the service's, not the configuration's. */
function unnamed({ id: _id, version: _version, ref: _ref, ...rule }: Rule): Rule {
  return rule;
}

/** `id`, `version`, `ref`: left out for the validation, empty strings for the finishing update (waf-migration-api.md). */
function wireBody({ name: listName, rules }: WafConfiguration, mode: Attempt["mode"]): EntrypointBody {
  return {
    name: listName,
    rules: rules.map(({ id: _id, version: _version, ref: _ref, lastUpdated: _updated, ...rule }) =>
      mode === "pending" ? { id: "", version: "", ref: "", ...rule } : rule,
    ),
  };
}

function applied({ name: listName, rules }: WafConfiguration): NonNullable<State["applied"]> {
  return { name: listName, rules: rules.map(ruleRecord) };
}

function ruleRecord(rule: Rule): z.output<typeof recordedRule> {
  return recordedRule.parse(fromRule(rule));
}

function asRule(rule: z.output<typeof recordedRule>): Rule {
  return toRule(wafRuleInput.parse(rule));
}

function isSameList(wanted: readonly Rule[], live: readonly Rule[]): boolean {
  return (
    wanted.length === live.length &&
    wanted.every((rule, index) => {
      const other = live[index];
      return other !== undefined && isSameRule(unnamed(rule), other);
    })
  );
}

function refusal(reason: "backwards" | "unclear", zoneId: string, seen: Observation): MigrationError {
  return reason === "unclear"
    ? unclearZone(zoneId, seen)
    : new MigrationError({ what: backwards }, { zoneId, property: "stage" });
}

function shownStatus(found: Look | undefined): string {
  if (!found) return "no readable status";
  const { oldEnabled, newEnabled, migrationState } = found.seen;
  const word = (enabled: boolean | undefined): string =>
    enabled === undefined ? "unknown" : enabled ? "on" : "off";
  return `new WAF ${word(newEnabled)}, previous WAF ${word(oldEnabled)}${migrationState ? `, state "${migrationState}"` : ""}`;
}

function passed(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
}

export type { Stage };
