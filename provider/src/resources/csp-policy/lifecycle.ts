import type { Policy } from "../../api/client-types";
import { isObjectGone, NotFoundError } from "../../errors/api-error";
import { InputError } from "../../errors/page-guard-error";
import { changedNames, schemasOf } from "../../lifecycle/draft";
import type { Kind } from "../../lifecycle/kind";
import { mayHaveActed, PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { errorsOf } from "../../model/finding";
import { bodyOf, changedPolicyFields, inRecordedWords } from "../../model/policies/declared-policy";
import { loggingSince, tooEarlyFindings } from "../../model/policies/log-time";
import { zoneIdOf } from "../../model/zone-id";
import { rivalFindings } from "../../policies/exact-sets";
import { changeFindings, declarationFindings, settingFindings } from "../../policies/findings";
import { missingFindings, onePolicyForTwo } from "../../policies/new-policies";
import { asDeclared, policyOutputs } from "../../policies/policy-record";
import { ensurePolicy, updatePolicy } from "../../policies/reconcile-policy";
import { ZonePolicies } from "../../policies/zone-policies";
import { shown } from "../../text/shown";
import { type Inputs, type State, shape, stateSchema } from "./state";

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
  inRecordedWords: (recorded = {}, declared) => inRecordedWords(recorded, declared),
  changedInputs: (state, { values }) => [
    ...changedPolicyFields(state, values),
    ...changedNames(state, values, { onDestroy: "delete" }),
  ],

  claim(run, { values, urn }, recorded, isReplaced) {
    const rivals = rivalFindings(run, values, urn, false);
    if (!recorded) return { rivals };
    const { id, state } = recorded;
    const policyId = policyOf(id);
    const { ownership } = new ZonePolicies(run, zoneOf(id));
    if (isReplaced) ownership.makeRoom(policyId, urn, state.onDestroy);
    else if (!ownership.claim(policyId, urn))
      return { lost: onePolicyForTwo("", policyId, ownership.ownerOf(policyId)) };
    return { rivals };
  },

  async plan(run, { values, known, inputs }, recorded) {
    const fields = recorded && changedPolicyFields(recorded.inputs, values);
    // An equal policy can be looked for once every input is known.
    const inZone = async () => {
      const zone = new ZonePolicies(run, String(known.zoneId), known.connection);
      const list = await zone.list();
      return inputs ? missingFindings([{ wanted: bodyOf(inputs) }], list, zone, inputs) : [];
    };
    const changed = fields?.length === 0 ? [] : [{ policy: values, fields }];
    const findings = await changeFindings(run, values, changed, recorded ? undefined : inZone);
    if (errorsOf(findings).length > 0 || !recorded?.isDue) return { findings, needsUpdate: false };
    const tooEarly = tooEarlyFindings(run.now(), known.minimumLogDays, recorded.state, values);
    return { findings: [...findings, ...tooEarly], needsUpdate: false };
  },

  async create(run, inputs, urn) {
    const { zoneId } = inputs;
    const zone = new ZonePolicies(run, zoneId, inputs.connection);
    const policy = await ensurePolicy(zone, bodyOf(inputs), urn);
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
    const zone = new ZonePolicies(run, zoneId, state.connection);
    const live = await zone.unlessGone(() => zone.live(policyId));
    if (!live) return undefined;
    const { onDestroy, lint, minimumLogDays, connection, impact, impactLevel } = state;
    const declared = asDeclared(state, live);
    const { value } = bodyOf(declared);
    const kept = { zoneId, ...declared, onDestroy, lint, minimumLogDays, connection };
    const since = isRecorded ? loggingSince(run.now(), state, live) : undefined;
    return {
      inputs: { ...kept, impact: impactLevel },
      state: { ...kept, value, policyId, loggingSince: since, impact, impactLevel },
    };
  },

  async update(run, id, state, inputs, _urn) {
    const zone = new ZonePolicies(run, zoneOf(id), inputs.connection);
    const policyId = policyOf(id);
    const updated = { ...bodyOf(inputs), policyId };
    // The record tells what differs; an earlier attempt that was cut off may have left it behind the service.
    if (state.incomplete === true || changedPolicyFields(state, inputs).length > 0)
      try {
        await updatePolicy(zone, updated);
      } catch (error) {
        // Recorded as incomplete: else a program that takes the edit back would look as if it were in force already.
        if (mayHaveActed(error)) throw new PartialFailureError(id, state, error);
        if (!isObjectGone(error)) throw error;
        throw new NotFoundError({ ...error.facts, outcome: error.outcome }, undefined, {
          what: `The zone does not have the policy ${policyId}.`,
          why: "It was deleted outside of this program.",
          fix: "Run `pulumi refresh`, then `pulumi up`, which creates it again.",
        });
      }
    return stateOf(run, inputs, updated, state);
  },

  async delete(run, id, state) {
    if (state.onDestroy === "keep") return;
    const zone = new ZonePolicies(run, zoneOf(id), state.connection);
    await zone.unlessGone(() => zone.delete(policyOf(id)));
  },
};

function stateOf(run: Run, inputs: Inputs, policy: Policy, before?: State): State {
  const { impact: impactLevel, ...declared } = inputs;
  const zone = new ZonePolicies(run, inputs.zoneId, inputs.connection);
  const outputs = policyOutputs(run, zone, policy, before);
  return { ...declared, ...outputs, value: bodyOf(inputs).value, policyId: policy.policyId, impactLevel };
}

function zoneOf(id: string): string {
  return id.split("/", 1)[0] ?? "";
}

function policyOf(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}
