import type { EntrypointProps } from "./declared-props";

/** Ids of the managed rulesets that the service publishes; the same in every zone. */
export const managedRulesets = {
  managed: "efb7b8c949ac4650a09736fc376e9aee",
  owasp: "4814384a9e5d4991b9815dcfc25d2f1f",
} as const;

/** A managed ruleset that an entry point runs. */
export interface RunRuleset {
  readonly id: string;
  /** For which requests; `true` for all. */
  readonly expression: string;
  /** Its rule is enabled, and no override switches the whole ruleset off. */
  readonly isAtWork: boolean;
  /** Ids of rules that an override switches off. */
  readonly disabledRules: readonly string[];
}

/** What the rules of an entry point run, in their order. */
export function rulesetsOf({ rules }: Pick<EntrypointProps, "rules">): readonly RunRuleset[] {
  return [...rules].flatMap(({ action, expression, enabled, actionParameters }) => {
    const id = actionParameters?.id;
    if (action !== "execute" || id === undefined) return [];
    const overrides = actionParameters?.overrides;
    return [
      {
        id,
        expression,
        isAtWork: enabled !== false && overrides?.enabled !== false,
        disabledRules: [...(overrides?.rules ?? [])]
          .filter((rule) => rule.enabled === false)
          .map((rule) => rule.id),
      },
    ];
  });
}
