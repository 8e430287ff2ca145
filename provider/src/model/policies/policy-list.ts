import type { Policy, PolicyBody } from "../../api/client-types";
import { fieldMeaning } from "../compare";
import { policyFields } from "./equal-policy";

/** A policy that differs from the wanted one in this field and in no other. */
interface NearMiss {
  readonly policy: Policy;
  readonly field: (typeof policyFields)[number];
}

/** The policies of a zone as one request showed them, to be found by id and by meaning. */
export class PolicyList {
  private readonly byId: Map<string, Policy>;
  /** By meaning, so that a set of thousands need not compare each of its policies with all. Built when first asked for. */
  private byText: Map<string, Set<Policy>> | undefined;
  private readonly meanings = new WeakMap<Policy, unknown[]>();

  constructor(policies: readonly Policy[]) {
    this.byId = new Map(policies.map((policy) => [policy.policyId, policy]));
  }

  get(policyId: string): Policy | undefined {
    return this.byId.get(policyId);
  }

  all(): Policy[] {
    return [...this.byId.values()];
  }

  /** Those that do the same under the same name. */
  equalTo(wanted: PolicyBody): Policy[] {
    if (!this.byText) {
      this.byText = new Map();
      for (const policy of this.all()) this.index(policy);
    }
    return [...(this.byText.get(policyText(wanted)) ?? [])];
  }

  /** Whether one of them enforces just this, whatever it is called. */
  enforces(wanted: PolicyBody): boolean {
    if (wanted.action !== "allow" || !wanted.enabled) return false;
    return this.compared(wanted).some(({ fields }) => fields.every((field) => field === "description"));
  }

  /** Those that differ in one field only, and in which. */
  nearTo(wanted: PolicyBody): NearMiss[] {
    const near = this.compared(wanted).flatMap(({ policy, fields: [field, ...others] }) =>
      field !== undefined && others.length === 0 ? [{ policy, field }] : [],
    );
    return near.sort((left, right) => policyFields.indexOf(left.field) - policyFields.indexOf(right.field));
  }

  note(policy: Policy): void {
    this.remove(policy.policyId);
    this.byId.set(policy.policyId, policy);
    this.index(policy);
  }

  remove(policyId: string): void {
    const known = this.byId.get(policyId);
    if (!known) return;
    this.byId.delete(policyId);
    this.byText?.get(policyText(known))?.delete(known);
  }

  private index(policy: Policy): void {
    const text = policyText(policy);
    this.byText?.set(text, (this.byText.get(text) ?? new Set()).add(policy));
  }

  /** Each of them with the fields in which it differs. */
  private compared(wanted: PolicyBody) {
    const own = meaningsOf(wanted);
    return this.all().map((policy) => {
      const there = this.meanings.get(policy) ?? meaningsOf(policy);
      this.meanings.set(policy, there);
      return { policy, fields: policyFields.filter((_, index) => there[index] !== own[index]) };
    });
  }
}

/** Policies that do the same under the same name have the same one. */
export function policyText(policy: PolicyBody): string {
  return JSON.stringify(meaningsOf(policy));
}

/** What each field means. */
function meaningsOf(policy: PolicyBody): unknown[] {
  return policyFields.map((name) => fieldMeaning("policy", name, policy[name]));
}
