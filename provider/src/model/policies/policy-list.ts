import type { Policy, PolicyBody } from "../../api/client-types";
import { fieldMeaning } from "../compare";
import { policyFields } from "./declared-policy";
import { isEnforced } from "./enforcement";

/** The policies in a zone by id, newest last: the result of a list request, then the policies that `note` has added. */
export class PolicyList extends Map<string, Policy> {
  constructor(policies: readonly Policy[]) {
    super(policies.map((policy) => [policy.policyId, policy]));
  }

  all(): Policy[] {
    return [...this.values()];
  }

  /** Returns the policies that have the same meaning as `wanted`, including the description. */
  equalTo(wanted: PolicyBody): Policy[] {
    const text = policyText(wanted);
    return this.all().filter((policy) => policyText(policy) === text);
  }

  /** Whether the zone already enforces a policy that differs from `wanted` at most in its description. */
  enforces(wanted: PolicyBody): boolean {
    if (!isEnforced(wanted)) return false;
    return this.all().some((policy) => diffFields(policy, wanted).every((field) => field === "description"));
  }

  /** Returns the policies that differ from `wanted` in exactly one field, each with the name of that field. */
  nearTo(wanted: PolicyBody) {
    return this.all().flatMap((policy) => {
      const [field, ...others] = diffFields(policy, wanted);
      return field !== undefined && others.length === 0 ? [{ policy, field }] : [];
    });
  }

  /** Adds or replaces a policy that was created, changed or read after the list, and puts it last. */
  note(policy: Policy): void {
    this.delete(policy.policyId);
    this.set(policy.policyId, policy);
  }
}

/** Cache of meanings, because a set compares each of its policies with each policy in the zone. */
const known = new WeakMap<PolicyBody, { readonly fields: readonly unknown[]; readonly text: string }>();

function toMeaning(policy: PolicyBody) {
  const before = known.get(policy);
  if (before) return before;
  const fields = policyFields.map((name) => fieldMeaning("policy", name, policy[name]));
  const meaning = { fields, text: JSON.stringify(fields) };
  known.set(policy, meaning);
  return meaning;
}

/** Returns a string that only policies with the same meaning have, including their descriptions. */
export function policyText(policy: PolicyBody): string {
  return toMeaning(policy).text;
}

function diffFields(left: PolicyBody, right: PolicyBody) {
  const [there, here] = [toMeaning(left).fields, toMeaning(right).fields];
  return policyFields.filter((_, index) => there[index] !== here[index]);
}
