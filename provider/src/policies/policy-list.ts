import type { Policy, PolicyBody } from "../api/client-types";
import { normaliseExpression } from "../csp/expression/expression-tokens";
import { policyMeaning } from "../csp/syntax/equal";

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
  /** Built when first asked for: most runs only search by id. */
  private byMeaning: Map<string, Set<Policy>> | undefined;
  private byAllButOne: Map<string, Set<Policy>> | undefined;

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
    this.byMeaning ??= indexed(this.byId.values(), meaningKeys);
    return [...(this.byMeaning.get(meaningKeys(wanted)[0]) ?? [])];
  }

  /** Whether one of them enforces just this, whatever it is called. */
  enforces({ action, enabled, expression, value }: PolicyBody): boolean {
    const [wanted, meaning] = [normaliseExpression(expression), policyMeaning(value)];
    return (
      action === "allow" &&
      enabled &&
      this.all().some(
        (policy) =>
          policy.action === "allow" &&
          policy.enabled &&
          normaliseExpression(policy.expression) === wanted &&
          policyMeaning(policy.value) === meaning,
      )
    );
  }

  /** Those that differ in one field only, and in which. */
  nearTo(wanted: PolicyBody): NearMiss[] {
    this.byAllButOne ??= indexed(this.byId.values(), nearKeys);
    const own = facetsOf(wanted);
    return fields.flatMap((field, index) =>
      [...(this.byAllButOne?.get(keyWithout(own, index)) ?? [])]
        .filter((policy) => facetsOf(policy)[index] !== own[index])
        .map((policy) => ({ policy, field })),
    );
  }

  /** What happened to a policy since. */
  note(policy: Policy): void {
    this.remove(policy.policyId);
    this.byId.set(policy.policyId, policy);
    if (this.byMeaning) add(this.byMeaning, meaningKeys(policy), policy);
    if (this.byAllButOne) add(this.byAllButOne, nearKeys(policy), policy);
  }

  remove(policyId: string): void {
    const known = this.byId.get(policyId);
    if (!known) return;
    this.byId.delete(policyId);
    if (this.byMeaning) drop(this.byMeaning, meaningKeys(known), known);
    if (this.byAllButOne) drop(this.byAllButOne, nearKeys(known), known);
  }
}

function indexed(
  policies: Iterable<Policy>,
  keysOf: (policy: Policy) => readonly string[],
): Map<string, Set<Policy>> {
  const index = new Map<string, Set<Policy>>();
  for (const policy of policies) add(index, keysOf(policy), policy);
  return index;
}

function add(index: Map<string, Set<Policy>>, keys: readonly string[], policy: Policy): void {
  for (const key of keys) {
    const alike = index.get(key);
    if (alike) alike.add(policy);
    else index.set(key, new Set([policy]));
  }
}

function drop(index: Map<string, Set<Policy>>, keys: readonly string[], policy: Policy): void {
  for (const key of keys) index.get(key)?.delete(policy);
}

/** Policies that do the same under the same name have the same one. */
export function policyText(policy: PolicyBody): string {
  return JSON.stringify(facetsOf(policy));
}

function meaningKeys(policy: PolicyBody): [string] {
  return [policyText(policy)];
}

/** One for each field that may differ. */
function nearKeys(policy: PolicyBody): string[] {
  const facets = facetsOf(policy);
  return fields.map((_, index) => keyWithout(facets, index));
}

function keyWithout(facets: readonly Facet[], without: number): string {
  return JSON.stringify([without, ...facets.filter((_, index) => index !== without)]);
}

/** What each field means, in the order of `fields`. */
function facetsOf({ description, action, expression, enabled, value }: PolicyBody): Facet[] {
  return [description.trim(), action, normaliseExpression(expression), enabled, policyMeaning(value)];
}
