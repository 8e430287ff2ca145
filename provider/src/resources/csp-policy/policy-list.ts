import type { Policy, PolicyBody } from "../../api/client-types";
import { normaliseExpression, policyMeaning } from "../../csp";

const fields = ["description", "action", "expression", "enabled", "value"] as const;
type Facet = string | boolean;

/** A policy that differs from the wanted one in this field and in no other. */
export interface NearMiss {
  readonly policy: Policy;
  readonly field: (typeof fields)[number];
}

/** The policies of a zone as one request showed them, to be found by id and by meaning. */
export class PolicyList {
  private readonly byId: Map<string, Policy>;
  /** Made when first asked for: most runs only look for ids. */
  private byMeaning: Map<string, Set<Policy>> | undefined;
  private byAllButOne: Map<string, Policy[]> | undefined;

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
    this.byMeaning ??= indexed(this.byId.values());
    return [...(this.byMeaning.get(meaningKey(wanted)) ?? [])];
  }

  /** Those that differ in one field only, and in which. */
  nearTo(wanted: PolicyBody): NearMiss[] {
    this.byAllButOne ??= indexedByAllButOne(this.byId.values());
    const own = facetsOf(wanted);
    return fields.flatMap((field, index) =>
      (this.byAllButOne?.get(keyWithout(own, index)) ?? [])
        .filter((policy) => facetsOf(policy)[index] !== own[index])
        .map((policy) => ({ policy, field })),
    );
  }

  /** What happened to a policy since. */
  note(policy: Policy): void {
    this.remove(policy.policyId);
    this.byId.set(policy.policyId, policy);
    this.byAllButOne = undefined;
    if (this.byMeaning) add(this.byMeaning, policy);
  }

  remove(policyId: string): void {
    const known = this.byId.get(policyId);
    if (!known) return;
    this.byAllButOne = undefined;
    this.byId.delete(policyId);
    this.byMeaning?.get(meaningKey(known))?.delete(known);
  }
}

function indexed(policies: Iterable<Policy>): Map<string, Set<Policy>> {
  const index = new Map<string, Set<Policy>>();
  for (const policy of policies) add(index, policy);
  return index;
}

function add(index: Map<string, Set<Policy>>, policy: Policy): void {
  const key = meaningKey(policy);
  const equal = index.get(key);
  if (equal) equal.add(policy);
  else index.set(key, new Set([policy]));
}

function indexedByAllButOne(policies: Iterable<Policy>): Map<string, Policy[]> {
  const index = new Map<string, Policy[]>();
  for (const policy of policies) {
    const facets = facetsOf(policy);
    for (const at of fields.keys()) {
      const key = keyWithout(facets, at);
      const alike = index.get(key);
      if (alike) alike.push(policy);
      else index.set(key, [policy]);
    }
  }
  return index;
}

function meaningKey(policy: PolicyBody): string {
  return JSON.stringify(facetsOf(policy));
}

function keyWithout(facets: readonly Facet[], without: number): string {
  return JSON.stringify([without, ...facets.filter((_, index) => index !== without)]);
}

/** What each field means, in the order of `fields`. */
function facetsOf({ description, action, expression, enabled, value }: PolicyBody): Facet[] {
  return [description, action, normaliseExpression(expression), enabled, policyMeaning(value)];
}
