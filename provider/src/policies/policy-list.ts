import type { Policy, PolicyBody } from "../api/client-types";
import { fieldMeaning } from "../zone/compare";
import { policyFields } from "./equal-policy";

/** A policy that differs from the wanted one in this field and in no other. */
export interface NearMiss {
  readonly policy: Policy;
  readonly field: (typeof policyFields)[number];
}

/** The policies of a zone as one request showed them, to be found by id and by meaning. */
export class PolicyList {
  private readonly byId: Map<string, Policy>;
  /** By meaning. Built when first asked for: most runs only search by id. */
  private byText: Map<string, Set<Policy>> | undefined;
  private readonly facets = new WeakMap<Policy, unknown[]>();

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
      for (const policy of this.byId.values()) this.index(policy);
    }
    return [...(this.byText.get(policyText(wanted)) ?? [])];
  }

  /** Whether one of them enforces just this, whatever it is called. */
  enforces(wanted: PolicyBody): boolean {
    const [, ...own] = facetsOf(wanted);
    const isIt = (policy: Policy): boolean => {
      const [, ...there] = this.facetsOf(policy);
      return own.every((facet, index) => facet === there[index]);
    };
    return wanted.action === "allow" && wanted.enabled && this.all().some(isIt);
  }

  /** Those that differ in one field only, and in which. */
  nearTo(wanted: PolicyBody): NearMiss[] {
    const own = facetsOf(wanted);
    const near = this.all().flatMap((policy) => {
      const there = this.facetsOf(policy);
      const [field, ...others] = policyFields.filter((_, index) => there[index] !== own[index]);
      return field !== undefined && others.length === 0 ? [{ policy, field }] : [];
    });
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

  private facetsOf(policy: Policy): unknown[] {
    const facets = this.facets.get(policy) ?? facetsOf(policy);
    this.facets.set(policy, facets);
    return facets;
  }
}

/** Policies that do the same under the same name have the same one. */
export function policyText(policy: PolicyBody): string {
  return JSON.stringify(facetsOf(policy));
}

/** What each field means. */
function facetsOf(policy: PolicyBody): unknown[] {
  return policyFields.map((name) => fieldMeaning("policy", name, policy[name]));
}
