import type { Policy, Rule } from "../../api/client-types";
import type { ZoneValues } from "../../zone/read-zone";
import type { DeclaredZone } from "./declared-zone";
import { rulesOf } from "./rules-of";

/** How much of a zone a state declares. */
export interface Coverage {
  readonly policies: Share;
  readonly rules: Share;
  readonly isSettingsDeclared: boolean;
  readonly undeclaredPolicies: readonly Policy[];
  readonly undeclaredRules: readonly Rule[];
  /** Ids are secret and could not be opened: what is declared cannot be told. */
  readonly isHidden: boolean;
  readonly isWhole: boolean;
}

export interface Share {
  readonly declared: number;
  readonly all: number;
}

/** Pure. */
export function coverageOf(declared: DeclaredZone, { policies = [], entrypoint }: ZoneValues): Coverage {
  const known = new Set(declared.policies.map(({ policyId }) => policyId));
  const undeclaredPolicies = declared.arePoliciesHidden
    ? []
    : policies.filter(({ policyId }) => !known.has(policyId));
  const rules = entrypoint?.rules ?? [];
  const { others, areHidden } = rulesOf(declared.entrypoint, rules);
  const isSettingsDeclared = declared.settings !== undefined;
  return {
    policies: { declared: policies.length - undeclaredPolicies.length, all: policies.length },
    rules: { declared: rules.length - others.length, all: rules.length },
    isSettingsDeclared,
    undeclaredPolicies,
    undeclaredRules: others,
    isHidden: declared.arePoliciesHidden || areHidden,
    isWhole: isSettingsDeclared && undeclaredPolicies.length === 0 && others.length === 0,
  };
}
