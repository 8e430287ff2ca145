import { equalPolicies } from "page-guard-csp";
import type { Policy } from "../../api/client-types";
import { InputError } from "../../errors/page-guard-error";
import { changedNames, type Draft, schemasOf } from "../../lifecycle/draft";
import type { Kind } from "../../lifecycle/kind";
import { whereOnline } from "../../lifecycle/offline";
import { mayHaveActed, PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { errorsOf, type Finding } from "../../model/finding";
import { bodyOf } from "../../model/policies/declared-policy";
import { changedPolicyFields, policyInRecordedWords } from "../../model/policies/equal-policy";
import { loggingSince, tooEarlyFindings } from "../../model/policies/log-time";
import type { Properties } from "../../model/properties";
import { zoneIdOf } from "../../model/zone-id";
import {
  adoptionFinding,
  nearMissFindings,
  newAllowFinding,
  onePolicyForTwo,
} from "../../policies/create-findings";
import { rivalFindings } from "../../policies/exact-sets";
import { actionFindings, declarationFindings, settingFindings } from "../../policies/findings";
import { impactOf, isBlocking, uncheckedFindings } from "../../policies/impact";
import { asDeclared, policyOutputs } from "../../policies/policy-record";
import { freeEqual, reconcilePolicy } from "../../policies/reconcile-policy";
import { zonePolicies } from "../../policies/zone-policies";
import { shown } from "../../text/shown";
import { type Inputs, type State, shape, stateSchema } from "./state";

/** Inputs that let nothing be blocked that was not blocked before. */
const harmless = new Set(["description", "onDestroy"]);

export const cspPolicy: Kind<Inputs, State> = {
  name: "CspPolicy",
  ...schemasOf(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: false,
  parts: ["policies"],
  inZone: {
    object: "policy",
    policies: (id, inputs) => [{ path: "", policyId: id.slice(id.indexOf("/") + 1), args: inputs }],
  },
  outputs: { policyId: [], value: ["directives"], loggingSince: [], impact: [] },
  inspect: ({ values }, wanted) => [
    ...settingFindings(values["lint"]),
    ...declarationFindings(values, values, wanted),
  ],
  inRecordedWords: (recorded, declared) => (recorded ? policyInRecordedWords(recorded, declared) : declared),
  changedInputs: (state, { values }) => changedInputNames(state, values),

  claim(run, { values, urn }, recorded, isReplaced) {
    const rivals = rivalFindings(run, values, urn, false);
    if (!recorded) return { rivals };
    const { id, state } = recorded;
    const policyId = policyOf(id);
    const { ownership } = zonePolicies(run, zoneOf(id));
    if (isReplaced) {
      // One that stays in the zone may be adopted, by its successor first.
      if (state.onDestroy === "keep") ownership.giveUp(policyId, urn);
      else ownership.leave(policyId, urn);
      return { rivals };
    }
    if (ownership.claim(policyId, urn)) return { rivals };
    return { lost: onePolicyForTwo("", policyId, ownership.ownerOf(policyId)) };
  },

  async plan(run, draft, recorded) {
    const findings =
      !recorded || mayBlockMore(draft, recorded.inputs) ? await declaredInZone(run, draft, !recorded) : [];
    if (errorsOf(findings).length > 0 || !recorded?.isDue) return { findings, needsUpdate: false };
    const tooEarly = tooEarlyFindings(run.now(), draft.known.minimumLogDays, recorded.state, draft.values);
    return { findings: [...findings, ...tooEarly], needsUpdate: false };
  },

  async create(run, inputs, urn) {
    const { zoneId } = inputs;
    const zone = zonePolicies(run, zoneId, inputs.connection);
    const policy = await reconcilePolicy({ zone, body: bodyOf(inputs), urn });
    return { id: `${zoneId}/${policy.policyId}`, state: stateOf(run, inputs, policy) };
  },

  async read(run, id, state, isRecorded) {
    // Ours are always so; that which a program gives to `get` may be just one half.
    const zoneId = zoneOf(id);
    const policyId = policyOf(id);
    if (zoneIdOf(zoneId) === undefined || !/^[^/]+\/[\w-]+$/.test(id)) {
      const what = `${JSON.stringify(shown(id, { max: 80 }))} is not the id of a CspPolicy.`;
      throw new InputError("id", what, "Expected zoneId/policyId.");
    }
    const zone = zonePolicies(run, zoneId, state.connection);
    const live = await zone.unlessGone(() => zone.live(policyId));
    if (!live) return undefined;
    const { onDestroy, lint, minimumLogDays, connection, impact, impactLevel } = state;
    const declared = asDeclared(state, state.value ?? "", live);
    const kept = { zoneId, ...declared, onDestroy, lint, minimumLogDays, connection };
    const { value: text = live.value } = state;
    const value = equalPolicies(text, live.value) ? text : live.value;
    const since = isRecorded ? loggingSince(run.now(), state, live) : undefined;
    return {
      inputs: { ...kept, impact: impactLevel },
      state: { ...kept, value, policyId, loggingSince: since, impact, impactLevel },
    };
  },

  async update(run, id, state, inputs, urn) {
    const zoneId = zoneOf(id);
    const policyId = policyOf(id);
    const body = bodyOf(inputs);
    const updated = { ...body, policyId };
    const recorded = () => stateOf(run, inputs, updated, state);
    // The record tells what differs; an earlier attempt that was cut off may have left it behind the service.
    if (state.incomplete !== true && changedPolicyFields(state, inputs).length === 0) return recorded();
    const zone = zonePolicies(run, zoneId, inputs.connection);
    try {
      await reconcilePolicy({ zone, body, urn }, { policyId, needsUpdate: true, onGone: "fail" });
    } catch (error) {
      // Recorded as incomplete: else a program that takes the edit back would look as if it were in force already.
      if (mayHaveActed(error)) throw new PartialFailureError(id, state, error);
      throw error;
    }
    return recorded();
  },

  async delete(run, id, state) {
    if (state.onDestroy === "keep") return;
    const zone = zonePolicies(run, zoneOf(id), state.connection);
    await zone.unlessGone(() => zone.delete(policyOf(id)));
  },
};

function changedInputNames(before: Properties, now: Properties): string[] {
  return [...changedPolicyFields(before, now), ...changedNames(before, now, { onDestroy: "delete" })];
}

/** What may start to block something, or what only one of the services takes. A zone that is not known is the same one. */
function mayBlockMore({ values, unknown }: Draft<Inputs>, before: Properties): boolean {
  const now = unknown.has("zoneId") ? { ...values, zoneId: before["zoneId"] } : values;
  return changedInputNames(before, now).some((input) => !harmless.has(input));
}

/** What is found of a policy that is new, or that may block more than before. */
async function declaredInZone(run: Run, draft: Draft<Inputs>, isNew: boolean): Promise<Finding[]> {
  const { values, known, unknown } = draft;
  if (unknown.has("zoneId") || unknown.has("connection"))
    return isBlocking(values) ? uncheckedFindings(run, values, [{ policy: values }]) : [];
  const findings = actionFindings(known.action, () => run.service(known.connection));
  if (findings.length > 0) return findings;
  if (isNew) findings.push(...(await whereOnline(() => beforeCreate(run, draft))));
  if (!isBlocking(values)) return findings;
  const { impact, isInForce } = await impactOf(run, values, values, isNew);
  return [...findings, ...impact, ...(isInForce ? [] : uncheckedFindings(run, values, [{ policy: values }]))];
}

async function beforeCreate(run: Run, { inputs, known }: Draft<Inputs>): Promise<Finding[]> {
  const { zoneId = "", connection } = known;
  const zone = zonePolicies(run, zoneId, connection);
  const list = await zone.list();
  // An equal policy can be looked for once every input is known.
  if (!inputs) return [];
  const { minimumLogDays, onDestroy } = inputs;
  const wanted = bodyOf(inputs);
  const equal = freeEqual(list, zone, wanted);
  if (equal) return [adoptionFinding(equal, onDestroy === "keep")];
  return [...newAllowFinding(wanted, minimumLogDays), ...nearMissFindings(list, zone, wanted)];
}

function stateOf(run: Run, inputs: Inputs, policy: Policy, before?: State): State {
  const { impact: impactLevel, ...declared } = inputs;
  const outputs = policyOutputs(run, zonePolicies(run, inputs.zoneId, inputs.connection), policy, before);
  return { ...declared, ...outputs, value: bodyOf(inputs).value, policyId: policy.policyId, impactLevel };
}

function zoneOf(id: string): string {
  return id.split("/", 1)[0] ?? "";
}

function policyOf(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}
