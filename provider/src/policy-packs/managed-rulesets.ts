import { parseExpression } from "page-guard-csp";
import type { Properties } from "../model/properties";
import { stoppingActions } from "../model/waf-rules/known-actions";
import { managedRulesets } from "../model/waf-rules/rule-meaning";
import type { EntrypointProps, WafRuleProps } from "./declared-props";

export { managedRulesets };

/** Id of the OWASP rule that acts on the scores of the others. Without this rule, the others have no effect. */
const owaspScoringRule = "6179ae15870a4bb7b2d480d4843b323c";
/** Category of the first paranoia level. Higher levels add rules to those of the first level. */
const owaspFirstLevel = "paranoia-level-1";
/** Score threshold of the lowest sensitivity. With a higher threshold, the ruleset is treated as switched off. */
const owaspHighestThreshold = 60;

/** A managed ruleset that an entry point runs. */
export interface RunRuleset {
  readonly id: string;
  /** Filter expression that selects the requests for which the ruleset runs; `true` for all. */
  readonly expression: string;
  /** Whether the ruleset stops requests that its rules match. If not, `idleBy` gives the reason. */
  readonly isAtWork: boolean;
  /**
   * Reason why the ruleset stops nothing. `enabled`: the rule that runs the ruleset is not enabled. `overrides`: overrides switch
   * the whole ruleset off, or only log; with OWASP, overrides can also keep the score from stopping a request. `skip`: an earlier
   * `skip` rule exempts ordinary requests from the ruleset.
   */
  readonly idleBy: "enabled" | "overrides" | "skip" | undefined;
  /** Ids of rules that an override switches off. */
  readonly disabledRules: readonly string[];
}

/** Returns the managed rulesets that an entry point runs, in their order. */
export function rulesetsOf({ rules }: Pick<EntrypointProps, "rules">): readonly RunRuleset[] {
  const list = [...rules];
  return list.flatMap((rule, index) => {
    const { action, expression, actionParameters } = rule;
    const id = actionParameters?.id;
    if (action !== "execute" || id === undefined) return [];
    const idleBy = idleReason(rule, id, list.slice(0, index));
    return [
      {
        id,
        expression,
        isAtWork: idleBy === undefined,
        idleBy,
        disabledRules: [...(actionParameters?.overrides?.rules ?? [])]
          .filter((override) => override.enabled === false)
          .map((override) => override.id),
      },
    ];
  });
}

function idleReason(
  { enabled, actionParameters }: WafRuleProps,
  id: string,
  before: readonly WafRuleProps[],
): RunRuleset["idleBy"] {
  if (enabled === false) return "enabled";
  const overrides = readSettings(actionParameters?.overrides);
  if (isOff(overrides) || (id === managedRulesets.owasp && isOwaspOff(overrides))) return "overrides";
  const isSkipped = before.some(
    (rule) =>
      rule.action === "skip" &&
      rule.enabled !== false &&
      skips(rule.actionParameters?.extra ?? {}, id) &&
      selectsUsual(parseExpression(rule.expression)),
  );
  return isSkipped ? "skip" : undefined;
}

/** Returns the settings of an override under the API's names, which a program may use in `extra`. */
function readSettings(override: unknown): Properties {
  const { extra, sensitivityLevel, scoreThreshold, ...rest }: Properties = Object(override);
  return {
    ...rest,
    ...(sensitivityLevel !== undefined && { sensitivity_level: sensitivityLevel }),
    ...(scoreThreshold !== undefined && { score_threshold: scoreThreshold }),
    ...Object(extra),
  };
}

/** Whether an override switches rules off or lets everything pass. */
function isOff({ enabled, action, sensitivity_level: level }: Properties): boolean {
  return (
    enabled === false ||
    (typeof action === "string" && !stoppingActions.has(action)) ||
    (typeof level === "string" && /^e?off$/i.test(level))
  );
}

function isOwaspOff({ rules, categories }: Properties): boolean {
  const scoring = readOverrides(rules).find(({ id }) => id === owaspScoringRule);
  const threshold = scoring?.["score_threshold"];
  const first = readOverrides(categories).find(({ category }) => category === owaspFirstLevel);
  return (
    (scoring !== undefined && isOff(scoring)) ||
    (typeof threshold === "number" && threshold > owaspHighestThreshold) ||
    (first !== undefined && isOff(first))
  );
}

function readOverrides(overrides: unknown): readonly Properties[] {
  return Array.isArray(overrides) ? overrides.map(readSettings) : [];
}

/** Whether a skip rule skips this ruleset. A rule that names no ruleset, phase or rule is assumed to skip everything. */
function skips({ ruleset, rulesets, phases, rules }: Properties, id: string): boolean {
  const holds = (list: unknown, value: string): boolean => Array.isArray(list) && [...list].includes(value);
  if ([ruleset, rulesets, phases].every((one) => one === undefined)) {
    const skipped = Object.entries(Object(rules)).find(([key]) => key === id)?.[1];
    return rules === undefined || holds(skipped, owaspScoringRule);
  }
  return ruleset !== undefined || holds(rulesets, id) || holds(phases, "http_request_firewall_managed");
}

/**
 * Whether a filter expression selects ordinary requests, which have none of the hosts, paths, addresses and countries that the
 * expression names. Examples: `true`, `not http.host eq "a.example"` and `ip.src in {0.0.0.0/0}`. True if the expression is
 * invalid.
 */
function selectsUsual(expression: ReturnType<typeof parseExpression>): boolean {
  if ("fault" in expression) return true;
  switch (expression.kind) {
    case "or":
      return expression.parts.some(selectsUsual);
    case "xor":
      return expression.parts.filter(selectsUsual).length % 2 === 1;
    case "and":
      return expression.parts.every(selectsUsual);
    case "not":
      return !selectsUsual(expression.part);
    case "comparison": {
      const { given = [], operator, values } = expression;
      const name = expression.name.toLowerCase();
      const last = given.at(-1);
      // Whether the field or function alone, without a comparison, is true for ordinary requests.
      const isFieldUsual =
        name === "starts_with" || name === "ends_with"
          ? isInMost(last?.kind === "string" ? last.value : "")
          : name === "true" || name === "ssl";
      if (operator === undefined) return isFieldUsual;
      const selects = selecting[operator];
      // Operators that are not listed, such as `ne` and `gt`, are assumed to select ordinary requests.
      return selects === undefined || values.some(({ value }) => selects(value.toLowerCase(), isFieldUsual));
    }
  }
}

const equals = (text: string, isFieldUsual: boolean) => {
  if (text === "true") return isFieldUsual;
  return text === "false" ? !isFieldUsual : isWideNetwork(text);
};
const matches = (text: string) => isInMost(text.replace(/[*+.?^$|()\\]/g, ""));

/** Functions by operator that say whether a comparison with a value selects ordinary requests. */
const selecting: Readonly<Record<string, ((text: string, isFieldUsual: boolean) => boolean) | undefined>> = {
  eq: equals,
  "==": equals,
  wildcard: matches,
  "strict wildcard": matches,
  matches,
  "~": matches,
  in: (text) => isWideNetwork(text) || text.includes(".."),
  contains: isInMost,
};

/** Whether nearly every path or URL contains this text. */
function isInMost(text: string): boolean {
  return /^(?:https?)?:?\/*$/.test(text);
}

/** Whether a network has more than a sixteenth of all addresses. */
function isWideNetwork(text: string): boolean {
  return /\/[0-3]$/.test(text);
}
