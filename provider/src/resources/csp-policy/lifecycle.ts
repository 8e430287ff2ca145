import type { Policy } from "../../api/client-types";
import { InputError } from "../../errors/page-guard-error";
import { findChangedNames, makeSchemas } from "../../lifecycle/draft";
import type { Kind } from "../../lifecycle/kind";
import { mayHaveActed, PartialFailureError } from "../../lifecycle/partial-failure-error";
import {
  asDeclared,
  findChangedPolicyFields,
  keepRecordedSpelling,
  toBody,
} from "../../model/policies/declared-policy";
import { loggingSince, tooEarlyFindings } from "../../model/policies/log-time";
import { keepersOf, policyEffects } from "../../model/policies/policy-effects";
import { parseZoneId } from "../../model/zone-id";
import { clean } from "../../text/shown";
import { declarationFindings, settingFindings } from "./findings";
import { changeFindings } from "./impact";
import { type Inputs, type State, shape, stateSchema } from "./state";
import { missingFindings, notAloneFindings, onePolicyForTwo } from "./zone-findings";
import { ZonePolicies } from "./zone-policies";

export const cspPolicy: Kind<Inputs, State> = {
  name: "CspPolicy",
  ...makeSchemas(shape, stateSchema),
  replacedBy: ["zoneId"],
  onePerZone: false,
  parts: ["policies"],
  inZone: { object: "policy", effects: policyEffects, keepersOf },
  outputs: { policyId: [], value: ["directives"], loggingSince: [], impact: [], checkedImpact: [] },
  inspect: ({ values, wanted }) => [
    ...settingFindings(values["lint"]),
    ...declarationFindings(values, values, wanted),
  ],
  inRecordedSpelling: ({ recorded = {}, declared }) => keepRecordedSpelling(recorded, declared),
  changedInputs: ({ state, values }) => [
    ...findChangedPolicyFields(state, values),
    ...findChangedNames(state, values, { onDestroy: "delete" }),
  ],

  claim({ run, draft: { values, urn }, recorded, isReplaced }) {
    const rivals = notAloneFindings(run, values, urn, false);
    if (!recorded) return { rivals };
    const { id, state } = recorded;
    const { zoneId, policyId } = splitId(id);
    const { ownership } = new ZonePolicies(run, zoneId);
    if (isReplaced) ownership.prepareReplacement(policyId, urn, state.onDestroy);
    else if (!ownership.claim(policyId, urn))
      return { lost: onePolicyForTwo("", policyId, ownership.findOwner(policyId)) };
    return { rivals };
  },

  async plan({ run, draft: { values, known, inputs }, recorded }) {
    const fields = recorded && findChangedPolicyFields(recorded.inputs, values);
    const beforeCreate = async () => {
      const zone = new ZonePolicies(run, String(known.zoneId), known.connection);
      const list = await zone.list();
      // The search for an equal policy needs all inputs.
      return inputs ? missingFindings([{ wanted: toBody(inputs) }], list, zone, inputs) : [];
    };
    const changed = fields?.length === 0 ? [] : [{ policy: values, fields }];
    const findings = await changeFindings(run, values, changed, recorded ? undefined : beforeCreate);
    if (recorded) findings.push(...tooEarlyFindings(run.now(), known.minimumLogDays, recorded.state, values));
    return { findings, needsUpdate: false };
  },

  async create({ run, inputs, urn }) {
    const zone = new ZonePolicies(run, inputs.zoneId, inputs.connection);
    const policy = await zone.ensure(toBody(inputs), urn);
    return { id: `${zone.zoneId}/${policy.policyId}`, state: await makeState(zone, inputs, policy) };
  },

  async read({ run, id, state, isRecorded }) {
    // Ids in the state have the form `zoneId/policyId`. An id that a program passes to `get` may have any form.
    const { zoneId, policyId } = splitId(id);
    if (parseZoneId(zoneId) === undefined || !/^[^/]+\/[\w-]+$/.test(id)) {
      const what = `${clean(JSON.stringify(id), { max: 80 })} is not the id of a CspPolicy.`;
      throw new InputError("id", what, "Expected zoneId/policyId.");
    }
    const zone = new ZonePolicies(run, zoneId, state.connection);
    const live = await zone.unlessGone(() => zone.live(policyId));
    if (!live) return undefined;
    const { onDestroy, lint, minimumLogDays, connection, impact, checkedImpact, impactLevel } = state;
    const declared = asDeclared(state, live);
    const { value } = toBody(declared);
    const kept = { zoneId, ...declared, onDestroy, lint, minimumLogDays, connection };
    const since = isRecorded ? loggingSince(run.now(), state, live) : undefined;
    return {
      inputs: { ...kept, impact: impactLevel },
      state: { ...kept, value, policyId, loggingSince: since, impact, checkedImpact, impactLevel },
    };
  },

  async update({ run, id, state, inputs }) {
    const { zoneId, policyId } = splitId(id);
    const zone = new ZonePolicies(run, zoneId, inputs.connection);
    const updated = { ...toBody(inputs), policyId };
    // Usually the state shows whether a request is due. After an interrupted update, the zone may be ahead of the state.
    if (state.incomplete === true || findChangedPolicyFields(state, inputs).length > 0)
      try {
        await zone.update(updated);
      } catch (error) {
        // Mark the state as incomplete, so that the next update sends a request even if the program has reverted the edit.
        if (mayHaveActed(error)) throw new PartialFailureError(id, state, error);
        throw error;
      }
    return makeState(zone, inputs, updated, state);
  },

  async delete({ run, id, state }) {
    if (state.onDestroy === "keep") return;
    const { zoneId, policyId } = splitId(id);
    const zone = new ZonePolicies(run, zoneId, state.connection);
    await zone.unlessGone(() => zone.delete(policyId));
  },
};

async function makeState(zone: ZonePolicies, inputs: Inputs, policy: Policy, before?: State): Promise<State> {
  const { impact: impactLevel, ...declared } = inputs;
  const { policyId, value } = policy;
  const outputs = await zone.makeOutputs(policy, impactLevel, before);
  // Drop the impact that was found earlier if the policy is no longer checked.
  const checkedImpact = policy.enabled && impactLevel !== "off" ? outputs.impact : undefined;
  return { ...declared, ...outputs, checkedImpact, value, policyId, impactLevel };
}

function splitId(id: string) {
  const [zoneId = "", policyId = ""] = id.split("/");
  return { zoneId, policyId };
}
