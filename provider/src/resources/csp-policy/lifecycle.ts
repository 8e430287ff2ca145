import { equalPolicies } from "page-guard-csp";
import type { Policy } from "../../api/client-types";
import { InputError } from "../../errors/page-guard-error";
import { changedNames, type Draft, schemasOf } from "../../lifecycle/draft";
import type { Kind } from "../../lifecycle/kind";
import { mayHaveActed, PartialFailureError } from "../../lifecycle/partial-failure-error";
import type { Run } from "../../lifecycle/run";
import { errorsOf, type Finding } from "../../model/finding";
import { bodyOf } from "../../model/policies/declared-policy";
import { changedPolicyFields, policyInRecordedWords } from "../../model/policies/equal-policy";
import { loggingSince, tooEarlyFindings } from "../../model/policies/log-time";
import type { Properties } from "../../model/properties";
import { zoneIdOf } from "../../model/zone-id";
import { rivalFindings } from "../../policies/exact-sets";
import { changeFindings, declarationFindings, settingFindings } from "../../policies/findings";
import { missingFindings, onePolicyForTwo } from "../../policies/new-policies";
import { asDeclared, policyOutputs } from "../../policies/policy-record";
import { reconcilePolicy } from "../../policies/reconcile-policy";
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
    if (isReplaced) ownership.makeRoom(policyId, urn, state.onDestroy);
    else if (!ownership.claim(policyId, urn))
      return { lost: onePolicyForTwo("", policyId, ownership.ownerOf(policyId)) };
    return { rivals };
  },

  async plan(run, draft, recorded) {
    const { values, known } = draft;
    const changed = { policy: values, isNew: !recorded, mayBlockMore: true };
    const findings =
      !recorded || mayBlockMore(draft, recorded.inputs)
        ? await changeFindings(
            run,
            values,
            [changed],
            recorded ? undefined : () => createFindings(run, draft),
          )
        : [];
    if (errorsOf(findings).length > 0 || !recorded?.isDue) return { findings, needsUpdate: false };
    const tooEarly = tooEarlyFindings(run.now(), known.minimumLogDays, recorded.state, values);
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

/** What a new policy finds in the zone: an equal one can be looked for once every input is known. */
async function createFindings(run: Run, { inputs, known }: Draft<Inputs>): Promise<Finding[]> {
  const zone = zonePolicies(run, known.zoneId, known.connection);
  const list = await zone.list();
  return inputs ? missingFindings([{ wanted: bodyOf(inputs) }], list, zone, inputs) : [];
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
