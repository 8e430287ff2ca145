import type { Policy, PolicyBody } from "../../api/client-types";
import { normaliseExpression, policyMeaning } from "../../csp";

/** The policies of a zone as one request showed them, to be found by id and by meaning. */
export class PolicyList {
  private readonly byId: Map<string, Policy>;
  /** Made when first asked for: most runs only look for ids. */
  private byMeaning: Map<string, Set<Policy>> | undefined;

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

  /** What happened to a policy since. */
  note(policy: Policy): void {
    this.remove(policy.policyId);
    this.byId.set(policy.policyId, policy);
    if (this.byMeaning) add(this.byMeaning, policy);
  }

  remove(policyId: string): void {
    const known = this.byId.get(policyId);
    if (!known) return;
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

function meaningKey({ description, action, expression, enabled, value }: PolicyBody): string {
  return JSON.stringify([
    description,
    action,
    normaliseExpression(expression),
    enabled,
    policyMeaning(value),
  ]);
}
