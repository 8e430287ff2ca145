import type { Policy, PolicyBody } from "../../api/client-types";
import {
  build,
  equalPolicies,
  lintBy,
  normaliseExpression,
  parse,
  toDirectives,
  type UnknownRule,
  unknownRules,
} from "../../csp";
import { NotFoundError } from "../../errors/not-found-error";
import type { Finding } from "../../lifecycle/finding";
import type { Kind, Properties } from "../../lifecycle/kind";
import { mayHaveActed } from "../../lifecycle/may-have-acted";
import { PartialFailure } from "../../lifecycle/partial-failure";
import type { Run } from "../../lifecycle/run";
import { isSameZone } from "../../lifecycle/same-zone";
import { containsUnknown } from "../../lifecycle/unknown";
import { impactFindings, knownImpact } from "./impact";
import { earliestAllow, loggingSince } from "./log-time";
import { type Inputs, inputsSchema, lintInput, type State, shape, stateSchema } from "./state";
import { zonePolicies } from "./zone-policies";

export const cspPolicy: Kind<Inputs, State> = {
  name: "CspPolicy",
  shape,
  replacedBy: ["zoneId"],
  onePerZone: false,
  parseInputs: (inputs) => inputsSchema.parse(inputs),
  parseState: (state) => stateSchema.parse(state),
  inspect: (inputs, wanted) => [...oneOfValueAndDirectives(inputs), ...lintFindings(inputs, wanted)],

  changedInputs(recorded, declared) {
    const changed = ["description", "action"].filter((input) => recorded[input] !== declared[input]);
    if (!isSameZone(recorded["zoneId"], declared["zoneId"])) changed.push("zoneId");
    if (!isSameText(recorded["expression"], declared["expression"], sameExpression))
      changed.push("expression");
    if ((recorded["enabled"] ?? true) !== (declared["enabled"] ?? true)) changed.push("enabled");
    if (!isSameText(recorded["value"], declaredText(declared), equalPolicies)) {
      changed.push(declared["directives"] === undefined ? "value" : "directives");
    }
    return changed;
  },

  async preflight(run, { before, now }) {
    if (containsUnknown(now["zoneId"])) return [];
    const findings: Finding[] = [];
    if (before === undefined) findings.push(...(await beforeCreate(run, now)));
    if (now["action"] === "allow" && (now["enabled"] ?? true) === true) {
      findings.push(...(await impactFindings(run, now, declaredText(now))));
    }
    return findings;
  },

  /** What may start to block something. */
  matters: (before, now) =>
    now["action"] === "allow" &&
    cspPolicy
      .changedInputs({ ...before, value: declaredText(before) }, now)
      .some((input) => input !== "description"),

  async beforeUpdate(run, _id, state, now) {
    const days = now["minimumLogDays"];
    if (typeof days !== "number" || state.action !== "log" || now["action"] !== "allow") return [];
    const text = declaredText(now);
    const finding = earliestAllow(
      run.now(),
      days,
      state,
      typeof text === "string" ? text : undefined,
      now["expression"],
    );
    return finding ? [finding] : [];
  },

  noteDeclared(run, id) {
    zonePolicies(run, zoneOf(id)).declare(policyOf(id));
  },

  noteReplaced(run, id) {
    zonePolicies(run, zoneOf(id)).giveUp(policyOf(id));
  },

  isTaken: (run, id) => zonePolicies(run, zoneOf(id)).isTakenFromDeclared(policyOf(id)),

  async create(run, inputs) {
    const client = run.client(inputs.connection);
    const zone = zonePolicies(run, inputs.zoneId);
    const wanted = bodyOf(inputs);
    // 1. Observe: an equal policy that nobody of this run owns is ours from a create whose answer was lost.
    const before = await zone.list(client, inputs.zoneId);
    const found = findEqual([...before.values()], wanted, (id) => zone.isFree(id));
    if (found) {
      zone.acquire(found.policyId);
      return { id: `${inputs.zoneId}/${found.policyId}`, state: createdState(run, inputs, found) };
    }
    // 2. Ensure: one POST.
    let created: Policy;
    try {
      created = await zone.create(() => client.createPolicy(inputs.zoneId, wanted));
    } catch (error) {
      if (!mayHaveActed(error)) throw error;
      // 3. Without an answer: look, never send again.
      zone.forget();
      const now = await zone.list(client, inputs.zoneId);
      await zone.createsAnswered();
      const made = findEqual([...now.values()], wanted, (id) => zone.isFree(id) && !before.has(id));
      if (!made) throw error;
      created = made;
    }
    zone.acquire(created.policyId);
    await zone.note(created);
    return { id: `${inputs.zoneId}/${created.policyId}`, state: createdState(run, inputs, created) };
  },

  async read(run, id, state) {
    const zoneId = zoneOf(id);
    const policyId = policyOf(id);
    const client = run.client(state.connection);
    const live = (await listed(run, zoneId, policyId, state)) ?? (await confirmed(client, zoneId, policyId));
    if (!live) return undefined;
    const recordedValue = state.value ?? "";
    const sameValue = equalPolicies(recordedValue, live.value);
    const inputs = {
      zoneId,
      description: live.description,
      action: live.action,
      // A spelling that means the same is no drift.
      expression: sameExpression(state.expression ?? "", live.expression)
        ? state.expression
        : live.expression,
      enabled: state.enabled === undefined && live.enabled ? undefined : live.enabled,
      ...(state.directives === undefined
        ? { value: sameValue ? recordedValue : live.value }
        : { directives: sameValue ? state.directives : toDirectives(parse(live.value)) }),
      lint: state.lint,
      impact: state.impactLevel,
      minimumLogDays: state.minimumLogDays,
      connection: state.connection,
    };
    const { impact: _level, ...kept } = inputs;
    return {
      inputs,
      state: {
        ...kept,
        value: sameValue && state.value !== undefined ? state.value : live.value,
        policyId,
        loggingSince: loggingSince(run.now(), state, live),
        impact: state.impact,
        impactLevel: state.impactLevel,
      },
    };
  },

  async update(run, id, state, inputs) {
    const client = run.client(inputs.connection);
    const zoneId = zoneOf(id);
    const policyId = policyOf(id);
    const wanted = bodyOf(inputs);
    const updated = { ...wanted, policyId };
    // The record tells what differs; an earlier attempt that was cut off may have left it behind the service.
    try {
      await client.updatePolicy(zoneId, policyId, wanted);
    } catch (error) {
      // Recorded as incomplete: else a program that takes the edit back would look as if it were in force already.
      if (mayHaveActed(error)) throw new PartialFailure(id, state, error);
      throw error;
    }
    await zonePolicies(run, zoneId).note(updated);
    return stateOf(run, inputs, updated, loggingSince(run.now(), state, updated), state);
  },

  async delete(run, id, state) {
    const zone = zonePolicies(run, zoneOf(id));
    // A successor of this resource (renamed without an alias) has taken the policy over.
    if (zone.hasSuccessor(policyOf(id))) return;
    await run.client(state.connection).deletePolicy(zoneOf(id), policyOf(id));
  },
};

function oneOfValueAndDirectives({ value, directives }: Properties): Finding[] {
  if ((value === undefined) !== (directives === undefined)) return [];
  const message =
    value === undefined
      ? `neither value nor directives is given. Give the policy as text in value, or as an object in directives.`
      : `both value and directives are given. They say the same thing twice; keep one of them.`;
  return [{ severity: "error", property: value === undefined ? "" : "directives", message }];
}

/** Lint never hides a text that the service cannot mean, however it is set. */
function lintFindings(inputs: Properties, wanted: "all" | "errors"): Finding[] {
  const property = inputs["directives"] === undefined ? "value" : "directives";
  const { directives, value } = inputs;
  if (containsUnknown(directives) || containsUnknown(value) || containsUnknown(inputs["lint"])) return [];
  if (directives === undefined && typeof value !== "string") return [];
  let text: unknown;
  try {
    text = declaredText(inputs);
  } catch (error) {
    return [{ severity: "error", property, message: error instanceof Error ? error.message : String(error) }];
  }
  const setting = lintInput.optional().safeParse(inputs["lint"]).data ?? "warn";
  const isErrorLevel = (typeof setting === "string" ? setting : setting.level) === "error";
  const unknown = unknownRules(setting).map(unknownRuleFinding);
  if (wanted === "errors" && !isErrorLevel) return unknown;
  const told = lintBy(String(text), setting).map(
    ({ fails, message, ruleId, severity }): Finding => ({
      severity: fails ? "error" : "warning",
      property,
      message: `${message} (${ruleId}, ${severity})`,
    }),
  );
  return [...unknown, ...told];
}

function unknownRuleFinding({ index, rule, guess }: UnknownRule): Finding {
  const hint = guess === undefined ? "docs/csp-lint-rules.md has them all." : `Did you mean "${guess}"?`;
  return {
    severity: "error",
    property: `lint.off[${index}]`,
    message: `no lint rule has the name ${JSON.stringify(rule.slice(0, 60))}. ${hint}`,
  };
}

async function beforeCreate(run: Run, now: Properties): Promise<Finding[]> {
  const known = inputsSchema.safeParse(now);
  const zoneId = String(now["zoneId"]);
  const client = run.client(known.success ? known.data.connection : undefined);
  const zone = zonePolicies(run, zoneId);
  const policies = await zone.list(client, zoneId);
  const findings: Finding[] = [];
  if (typeof now["minimumLogDays"] === "number" && now["minimumLogDays"] > 0 && now["action"] === "allow") {
    findings.push({
      severity: "error",
      property: "action",
      message: `a new policy cannot have logged for ${now["minimumLogDays"]} days (minimumLogDays) yet. Create it with action "log" and change it to "allow" later.`,
    });
  }
  if (containsUnknown(now) || !known.success) return findings;
  const equal = findEqual([...policies.values()], bodyOf(known.data), (id) => zone.isFree(id));
  if (equal) {
    findings.push({
      severity: "warning",
      property: "",
      message: `the zone has exactly this policy already (id ${equal.policyId}): unless another resource of this stack owns it, it will be taken over instead of made a second time, and deleted on destroy.`,
    });
  }
  return findings;
}

async function listed(run: Run, zoneId: string, policyId: string, state: State): Promise<Policy | undefined> {
  return (await zonePolicies(run, zoneId).list(run.client(state.connection), zoneId)).get(policyId);
}

/** Missing from the list is not yet gone: only a 404 of its own says so. */
async function confirmed(
  client: ReturnType<Run["client"]>,
  zoneId: string,
  policyId: string,
): Promise<Policy | undefined> {
  try {
    return await client.getPolicy(zoneId, policyId);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function createdState(run: Run, inputs: Inputs, policy: Policy): State {
  const now = new Date(run.now()).toISOString();
  return stateOf(run, inputs, policy, policy.action === "log" && policy.enabled ? now : undefined);
}

function stateOf(
  run: Run,
  inputs: Inputs,
  policy: Policy,
  since: string | undefined,
  before: State = {},
): State {
  const { impact, ...declared } = inputs;
  return {
    ...declared,
    value: bodyOf(inputs).value,
    policyId: policy.policyId,
    loggingSince: since,
    impact:
      policy.action === "allow"
        ? (knownImpact(run, inputs.zoneId, policy) ?? keptImpact(before, policy))
        : undefined,
    impactLevel: impact,
  };
}

/** A change that blocks nothing else leaves the impact as it was found. */
function keptImpact(before: State, policy: Policy): State["impact"] {
  const isSame =
    before.action === policy.action &&
    sameExpression(before.expression ?? "", policy.expression) &&
    equalPolicies(before.value ?? "", policy.value);
  return isSame ? before.impact : undefined;
}

function bodyOf(inputs: Inputs): PolicyBody {
  return {
    description: inputs.description,
    action: inputs.action,
    expression: inputs.expression,
    enabled: inputs.enabled ?? true,
    value: inputs.directives === undefined ? (inputs.value ?? "") : build(inputs.directives),
  };
}

/** The text that is declared, directly or by directives; unknown where either is. */
function declaredText({ value, directives }: Properties): unknown {
  if (directives === undefined) return value;
  const known = shape.directives.safeParse(directives);
  return containsUnknown(directives) || !known.success || !known.data ? undefined : build(known.data);
}

function findEqual(
  policies: readonly Policy[],
  wanted: PolicyBody,
  isFree: (policyId: string) => boolean,
): Policy | undefined {
  return policies.find((policy) => isFree(policy.policyId) && isEqual(policy, wanted));
}

function isEqual(policy: PolicyBody, wanted: PolicyBody): boolean {
  return (
    policy.description === wanted.description &&
    policy.action === wanted.action &&
    policy.enabled === wanted.enabled &&
    sameExpression(policy.expression, wanted.expression) &&
    equalPolicies(policy.value, wanted.value)
  );
}

function sameExpression(left: string, right: string): boolean {
  return left === right || normaliseExpression(left) === normaliseExpression(right);
}

function isSameText(left: unknown, right: unknown, same: (left: string, right: string) => boolean): boolean {
  return left === right || (typeof left === "string" && typeof right === "string" && same(left, right));
}

function zoneOf(id: string): string {
  return id.split("/", 1)[0] ?? "";
}

function policyOf(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}
