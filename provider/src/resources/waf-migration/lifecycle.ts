import { isDeepStrictEqual } from "node:util";
import type { CodeOf } from "../../errors/finding-code";
import { MigrationError } from "../../errors/migration-error";
import { NotFoundError } from "../../errors/not-found-error";
import type { Finding } from "../../lifecycle/finding";
import type { Kind, Properties } from "../../lifecycle/kind";
import type { Run } from "../../lifecycle/run";
import { isSameZone } from "../../lifecycle/same-zone";
import { containsUnknown } from "../../lifecycle/unknown";
import { shortly } from "../../text/shortly";
import { ruleExpressionFindings } from "../../waf-rules/rule-expressions";
import { advance } from "./advance";
import { refuseWithoutCheckpoints } from "./checkpoints";
import type { Decision, Position } from "./decision";
import { destroyRefused } from "./destroy-refused";
import { notLookedAt } from "./not-looked-at";
import { prepare } from "./prepare";
import { applied } from "./rules";
import { type Standing, standing, workOf } from "./standing";
import { type Inputs, inputsSchema, recordedUrn, type State, shape, stateSchema } from "./state";
import { backwards, triedText } from "./texts";

const name = "WafMigrationStep";

export const wafMigrationStep: Kind<Inputs, State> = {
  name,
  shape,
  // A migration is never replaced: `inspectChange` refuses another zone before the engine gets that far.
  replacedBy: ["zoneId"],
  onePerZone: true,
  parseInputs: (inputs) => inputsSchema.parse(inputs),
  parseState: (state) => stateSchema.parse(state),
  inspect: (inputs, wanted) => [
    ...confirmation(inputs),
    ...(wanted === "all"
      ? ruleExpressionFindings(Reflect.get(Object(inputs["configuration"]), "rules"), "configuration.rules")
      : []),
  ],

  changedInputs(recorded, declared) {
    const isOver = recorded["reached"] === "finished";
    const changed = isSameZone(recorded["zoneId"], declared["zoneId"]) ? [] : ["zoneId"];
    if (recorded["stage"] !== declared["stage"]) changed.push("stage");
    if ((recorded["allowForget"] ?? false) !== (declared["allowForget"] ?? false))
      changed.push("allowForget");
    if (!isDeepStrictEqual(recorded["unclearAttempt"] ?? null, declared["unclearAttempt"] ?? null))
      changed.push("unclearAttempt");
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

  // Of an update `beforeUpdate` tells it, which knows whether there is anything left to do.
  unlooked: (_run, { before, now }) => (before === undefined ? notLookedAt(now) : []),

  async preflight(run, { before, now, urn }) {
    if (before !== undefined) return inspectChange(before, now);
    if (containsUnknown(now)) return notLookedAt(now);
    return plan(run, inputsSchema.parse(now), {}, urn);
  },

  // A refresh has seen that somebody finished it: no input differs any more, but the end is not on record yet.
  async look(_run, _id, state, now) {
    const isFinishedByOthers = state.stage === "finished" && state.reached === "validation";
    return { findings: [], needsUpdate: isFinishedByOthers && now["stage"] === "finished" };
  },

  async beforeUpdate(run, _id, state, now, urn) {
    if (containsUnknown(now)) {
      // Nothing is sent where only the zone, which has to be the same one, is not known yet.
      const isOver = state.reached === "finished" || isSaid(state, { ...now, zoneId: state.zoneId });
      return isOver ? [] : notLookedAt(now);
    }
    const inputs = inputsSchema.parse(now);
    return isSettled(state, inputs) ? [] : plan(run, inputs, state, urn);
  },

  async create(run, inputs, urn) {
    return { id: inputs.zoneId, state: await advance(workOf(run, inputs, urn), {}) };
  },

  async read(run, id, state) {
    const kept = (found: Partial<State>, stage = state.stage): { inputs: Properties; state: State } => ({
      inputs: { zoneId: id, ...inputsSchema.partial().parse(state), stage },
      state: { ...state, ...found, stage },
    });
    let found: Standing;
    try {
      found = await standing(run, run.client(state.connection), id, state);
    } catch (error) {
      // What has been migrated stays migrated, whatever becomes of the zone: never reported as gone.
      if (error instanceof NotFoundError) return kept({});
      throw error;
    }
    const { at, status, seen } = found;
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
    if (isSettled(state, inputs)) {
      // An argument that the program no longer gives is not to live on: allowForget would stay open for ever.
      const reached = Object.fromEntries(
        Object.entries(state).filter(([input]) => !Object.hasOwn(shape, input)),
      );
      return { ...reached, ...inputs, ...recordedUrn(urn, state) };
    }
    return advance(workOf(run, inputs, urn), state);
  },

  async delete(_run, id, state) {
    if (state.allowForget === true) return;
    throw new MigrationError(
      "migration-destroy",
      { what: destroyRefused(state.urn) },
      { zoneId: id, operation: "destroy the WAF migration" },
    );
  },
};

/** Inputs that say nothing of the zone: a change of them is only noted. */
const notedOnly = new Set(["allowForget", "unclearAttempt"]);

/** Nothing is left to do but to note the new arguments. */
function isSettled(state: State, inputs: Inputs): boolean {
  const isThere = state.reached === (inputs.stage === "finished" ? "finished" : "validation");
  return isThere && state.applied !== undefined && (state.reached === "finished" || isSaid(state, inputs));
}

/** All that a migration could be sent for is as it was declared before. */
function isSaid(state: State, declared: Properties): boolean {
  return wafMigrationStep.changedInputs(state, declared).every((input) => notedOnly.has(input));
}

function confirmation({ confirm, zoneId }: Properties): readonly Finding[] {
  if (containsUnknown([confirm, zoneId]) || isSameZone(confirm, zoneId)) return [];
  const message = `the migration cannot be undone, so confirm has to repeat the zone id; ${shortly(confirm)} came. Write confirm: "${String(zoneId)}" if that is the zone to migrate.`;
  return [{ severity: "error", code: "migration-not-confirmed", property: "confirm", message }];
}

function inspectChange(before: Properties, now: Properties): readonly Finding[] {
  const findings: Finding[] = [];
  if (!containsUnknown(now["zoneId"]) && !isSameZone(before["zoneId"], now["zoneId"])) {
    findings.push({
      severity: "error",
      code: "migration-other-zone",
      property: "zoneId",
      message: `a migration stays with its zone (${String(before["zoneId"])}): it can neither be moved nor undone. Declare a WafMigration of its own for the other zone.`,
    });
  }
  if (before["stage"] === "finished" && now["stage"] === "validation") {
    const message = backwards("recorded");
    findings.push({ severity: "error", code: "migration-backwards", property: "stage", message });
  }
  const isTooLate = ["ruleOverrides", "configuration"].some(
    (input) => !isDeepStrictEqual(before[input] ?? null, now[input] ?? null),
  );
  if (before["stage"] === "finished" && now["stage"] === "finished" && isTooLate) {
    findings.push({
      severity: "warning",
      code: "migration-no-effect",
      property: "",
      message:
        "the migration is finished: a change of ruleOverrides or configuration has no effect any more. Edit the rules in a ManagedWafEntrypoint.",
    });
  }
  return findings;
}

/** What an update would do, told in its preview: what refuses it, or what it will do. */
async function plan(run: Run, inputs: Inputs, record: State, urn: string): Promise<readonly Finding[]> {
  const known = { ...record, unclearAttempt: inputs.unclearAttempt };
  try {
    refuseWithoutCheckpoints(run, inputs.zoneId);
    const work = workOf(run, inputs, urn);
    const found = await standing(run, work.client, inputs.zoneId, known);
    const { decision, body, lines } = await prepare(work, known, found);
    const head = headline(decision, inputs.zoneId, found.at);
    const message = [head, ...(body ? lines : [])].join("\n");
    const data = { from: found.at, ...(body && { configuration: applied(body) }) };
    return [{ severity: "info", code: planCode(decision), property: "", message, data }];
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return [
      {
        severity: "error",
        code: error.finding,
        property: error.facts.property ?? "",
        message: error.message.replace(/^[\w.[\]]+: /, ""),
      },
    ];
  }
}

function planCode(decision: Decision): CodeOf<"info"> {
  if (decision.act === "wait") return "migration-under-way";
  if (decision.act === "adopt") return "migration-taken-over";
  return decision.act === "send" && decision.mode === "pending"
    ? "migration-finishes"
    : "migration-validates";
}

function headline(decision: Decision, zoneId: string, at: Position): string {
  switch (decision.act) {
    case "send":
      return decision.mode === "pending"
        ? `FINISHES the WAF migration of zone ${zoneId}: the previous WAF is switched off. This cannot be undone. ${triedText(at)}`
        : `Starts or adjusts WAF validation of zone ${zoneId}: the new WAF runs beside the previous one. The zone cannot go back to the previous WAF alone.`;
    case "wait":
      return `The finish of the WAF migration of zone ${zoneId} is under way: nothing will be sent, the update waits for its end.`;
    case "adopt":
      return `The WAF migration of zone ${zoneId} has this stage already: it is taken over as it is, nothing will be sent.`;
    case "refuse":
      return "";
  }
}
