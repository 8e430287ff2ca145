import { isDeepStrictEqual } from "node:util";
import { NotFoundError } from "../../errors/api-error";
import { CodedError } from "../../errors/coded-error";
import { MigrationError } from "../../errors/zone-error";
import { migrationParts } from "../../functions/read-zone";
import { findChangedNames, makeSchemas } from "../../lifecycle/draft";
import type { Kind } from "../../lifecycle/kind";
import { whereOnline } from "../../lifecycle/offline";
import type { Run } from "../../lifecycle/run";
import { ruleExpressionFindings } from "../../model/expression-findings";
import { type Finding, makeError, makeInfo, makeWarning, selectErrors } from "../../model/finding";
import type { Properties } from "../../model/properties";
import { containsUnknown } from "../../model/unknown";
import { isSameZone } from "../../model/zone-id";
import { clean, describeBriefly, enumerate } from "../../text/shown";
import { advance } from "./advance";
import { movingNotes, toApplied } from "./configuration";
import { isSent, isSettled, migrationEffects } from "./effects";
import { beginWork, prepare } from "./prepare";
import { readableRules } from "./readable-rules";
import { observe } from "./reading";
import { type Inputs, type State, shape, stateSchema } from "./state";
import { destroying, explainBackwards, explainDestroyRefusal, explainOtherZone } from "./texts";

export const wafMigrationStep: Kind<Inputs, State> = {
  name: "WafMigrationStep",
  ...makeSchemas(shape, stateSchema),
  // A migration is never replaced, because a change of `zoneId` is refused.
  replacedBy: [],
  onePerZone: true,
  parts: ["entrypoint", ...migrationParts],
  inZone: { object: "migration", effects: migrationEffects },
  refusesRemediation: true,
  outputs: {
    compatible: [],
    migrationState: [],
    applied: ["configuration", "ruleOverrides"],
    status: [],
    startedAt: [],
    finishedAt: [],
    before: [],
  },
  inspect: ({ values }) => [
    ...confirmation(values),
    ...ruleExpressionFindings(Reflect.get(Object(values["configuration"]), "rules"), "configuration.rules"),
  ],

  changedInputs: ({ state, values }) => changes(state, values),

  async plan({ run, draft: { urn, inputs, values }, recorded }) {
    const { state = {}, isDue = true } = recorded ?? {};
    const changed = recorded ? changeFindings(recorded.inputs, values) : [];
    // After a refresh that found the migration finished by someone else, no input differs, but `reached` is still "validation".
    const isFinishedByOthers = state.stage === "finished" && state.reached === "validation";
    const needsUpdate = isFinishedByOthers && values["stage"] === "finished";
    const plan = (steps: readonly Finding[] = []) => ({ findings: [...changed, ...steps], needsUpdate });
    if (selectErrors(changed).length > 0 || (!isDue && !needsUpdate)) return plan();
    const isOver = state.reached === "finished" || !isSent(changes(state, values));
    if (!inputs) return plan(isOver ? [] : uncheckedFindings(values));
    if (isSettled(state, inputs.stage, changes(state, inputs))) return plan();
    const ask = () => stepFindings(run, inputs, state, urn);
    return plan(await (recorded ? whereOnline(ask, []) : ask()));
  },

  async create({ run, inputs, urn }) {
    return { id: inputs.zoneId, state: await advance(beginWork(run, inputs, urn), {}) };
  },

  async read({ run, id, state }) {
    // A state without a stage belongs to an import: no program has confirmed the migration.
    if (state.stage === undefined)
      throw new CodedError(
        "migration-import",
        `Failed to read the WafMigration of zone ${clean(id)}: a migration cannot be imported, because the program has to confirm it. Declare it, with the stage that the zone has reached: the update adopts that stage and sends nothing.`,
      );
    const found = await observe(run.client(state.connection), id, state).catch((error: unknown) => {
      // A migration is never reported as gone, even if the zone is gone, because it cannot be undone.
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    const { status, seen, at } = found ?? {};
    // A finish that someone made in the dashboard is drift.
    const stage = at === "finished" && state.stage === "validation" ? "finished" : state.stage;
    return {
      inputs: { zoneId: id, ...wafMigrationStep.parseKnown(state), stage },
      state: {
        ...state,
        ...(status && { status: { ...status.record } }),
        ...(seen?.migrationState !== undefined && { migrationState: seen.migrationState }),
        stage,
      },
    };
  },

  async update({ run, id, state, inputs, urn }) {
    // The plan refuses another zone, but a policy pack may have changed the inputs after the plan.
    if (!isSameZone(inputs.zoneId, id))
      throw new CodedError("migration-other-zone", `Failed to update the migration: ${explainOtherZone(id)}`);
    if (!isSettled(state, inputs.stage, changes(state, inputs)))
      return advance(beginWork(run, inputs, urn), state);
    // Drop inputs that the program no longer sets. Otherwise, `allowForget` would stay true for ever.
    const outputs = Object.entries(state).filter(([input]) => !Object.hasOwn(shape, input));
    return { ...Object.fromEntries(outputs), ...inputs };
  },

  async delete({ id, state, urn }) {
    if (state.allowForget === true) return;
    const what = explainDestroyRefusal(urn || state.urn);
    throw new MigrationError("migration-destroy", id, { operation: destroying, what });
  },
};

function changes(state: State, now: Properties): string[] {
  const settled = { stage: undefined, allowForget: false, unclearAttempt: undefined };
  // After the finish, `ruleOverrides` and `configuration` are not sent again: the rules now belong to the managed entry point.
  const sent = state.reached === "finished" ? {} : { ruleOverrides: undefined, configuration: undefined };
  return findChangedNames(state, now, { ...settled, ...sent });
}

function confirmation({ confirm, zoneId }: Properties): readonly Finding[] {
  if (containsUnknown([confirm, zoneId]) || isSameZone(confirm, zoneId)) return [];
  const message = `the migration cannot be undone, so confirm has to repeat the zone id, but it is ${describeBriefly(confirm)}. Write confirm: "${String(zoneId)}" if that is the zone to migrate.`;
  return [makeError("confirm", "migration-not-confirmed", message)];
}

/** Returns findings about changes that are refused or have no effect. */
function changeFindings(before: Properties, now: Properties): readonly Finding[] {
  const findings: Finding[] = [];
  if (!containsUnknown(now["zoneId"]) && !isSameZone(before["zoneId"], now["zoneId"]))
    findings.push(makeError("zoneId", "migration-other-zone", explainOtherZone(String(before["zoneId"]))));
  if (before["stage"] !== "finished") return findings;
  if (now["stage"] === "validation")
    findings.push(makeError("stage", "migration-backwards", explainBackwards("recorded")));
  const isTooLate = ["ruleOverrides", "configuration"].some(
    (input) => !containsUnknown(now[input]) && !isDeepStrictEqual(before[input] ?? null, now[input] ?? null),
  );
  if (now["stage"] === "finished" && isTooLate) {
    const message =
      "the migration is finished: changes to ruleOverrides or configuration no longer have an effect. Edit the rules in a ManagedWafEntrypoint.";
    findings.push(makeWarning("", "migration-no-effect", message));
  }
  return findings;
}

const stepCodes = {
  validate: "migration-validates",
  finish: "migration-finishes",
  wait: "migration-under-way",
  adopt: "migration-adopted",
} as const;

/** Returns the finding that says what the update will do, or why it is refused. */
async function stepFindings(
  run: Run,
  inputs: Inputs,
  record: State,
  urn: string,
): Promise<readonly Finding[]> {
  const { zoneId } = inputs;
  try {
    const { outcome, at, body } = await prepare(beginWork(run, inputs, urn), record);
    const isAhead = at === "old" || at === "validation";
    const lines = body && isAhead ? [...readableRules(body), ...movingNotes(body)] : [];
    const tried =
      at === "validation"
        ? "The zone is in validation."
        : "The zone is not in validation: the new WAF has not run there yet.";
    const texts = {
      validate: `Starts or adjusts WAF validation of zone ${zoneId}: the new WAF runs beside the previous one. After that, the zone can no longer run only the previous WAF.`,
      finish: `FINISHES the WAF migration of zone ${zoneId}: the previous WAF is switched off. This cannot be undone. ${tried}`,
      wait: `The finish of the WAF migration of zone ${zoneId} is under way: nothing will be sent, and the update waits for it to end.`,
      adopt: `The WAF migration of zone ${zoneId} is already at this stage: it is adopted as it is, and nothing will be sent.`,
    };
    const data = { from: at, ...(body && { configuration: toApplied(body) }) };
    return [makeInfo("", stepCodes[outcome], [texts[outcome], ...lines].join("\n"), data)];
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return [makeError(error.facts.property ?? "", error.finding, error.message.replace(/^[\w.[\]]+: /, ""))];
  }
}

const consequences: Readonly<Record<string, string>> = {
  finished: "It then FINISHES the migration, which cannot be undone.",
  validation: "It then starts validation, after which the zone can no longer run only the previous WAF.",
};

/** Returns a warning if unknown values keep the preview from checking the zone. An irreversible step must never come as a surprise. */
function uncheckedFindings(declared: Properties): readonly Finding[] {
  const late = Object.keys(shape).filter((input) => containsUnknown(declared[input]));
  if (late.length === 0) return [];
  const are = late.length === 1 ? "is" : "are";
  const message = `${enumerate(late, { separator: ", " })} ${are} not known before the update, so the preview could not check the zone. Only the update finds out whether the zone can be migrated, and what it has to send. ${consequences[String(declared["stage"])] ?? "The update then does something that cannot be undone."} To check the zone in a preview, first create, in a separate update, the resources that provide these values. Then preview again.`;
  return [makeWarning("", "migration-not-checked", message)];
}
