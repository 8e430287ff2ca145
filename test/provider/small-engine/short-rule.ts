import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import type { RuleSeed, ZoneRule } from "../../../simulator/src";
import type { Properties } from "./checkpoint";

/** A short form of an entry point's rule. It has few values, so that random stories often contain equal rules. */
export interface ShortRule {
  readonly name: string;
  readonly edition: number;
  readonly ref?: string | undefined;
}

/** Generates lists of rules without duplicate refs, which the service and `check` refuse. */
export function shortRules(
  rule: fc.Arbitrary<ShortRule>,
  maxLength: number,
): fc.Arbitrary<readonly ShortRule[]> {
  return fc.array(rule, { maxLength }).map((list) => {
    const seen = new Set<string>();
    return list.map((content) => {
      if (content.ref === undefined || seen.has(content.ref)) return { ...content, ref: undefined };
      seen.add(content.ref);
      return content;
    });
  });
}

/** Returns the rule as somebody writes it in the dashboard. */
export function ruleSeed({ name, edition, ref }: ShortRule) {
  const common = { description: name, ...(ref !== undefined && { ref }) };
  const overrides = { rules: [{ id: "a".repeat(32), action: edition === 1 ? "log" : "block" }] };
  const action_parameters = name === "run" ? { id: "1".repeat(32), overrides } : { ruleset: "current" };
  const action = name === "run" ? "execute" : "skip";
  const expression = name === "run" ? "true" : `http.host eq "${name}${edition}"`;
  return { ...common, action, expression, action_parameters } satisfies RuleSeed;
}

/** Returns the rule as a program declares it. */
export function ruleInputs(content: ShortRule): Properties {
  const { action_parameters: parameters, ...rule } = ruleSeed(content);
  if (content.name === "run") return { ...rule, actionParameters: parameters };
  return { ...rule, actionParameters: { extra: parameters } };
}

/** Whether the live rule is the declared one. */
export function isDeclared(declared: ShortRule, live: ZoneRule): boolean {
  const { ref, action_parameters: wanted, ...rest } = ruleSeed(declared);
  const { version: _latest, ...parameters } = Object(live.action_parameters);
  const { action, expression, description } = live;
  return (
    isDeepStrictEqual(rest, { description, action, expression }) &&
    live.enabled &&
    (ref === undefined || ref === live.ref) &&
    isDeepStrictEqual(wanted, parameters)
  );
}

/** Returns the content of a live rule, with its ref if somebody has set one. */
export function contentOf({ id, ref, version: _version, last_updated: _updated, ...rule }: ZoneRule): string {
  const { version: _latest, ...parameters } = Object(rule.action_parameters);
  return JSON.stringify({ ...rule, action_parameters: parameters, ...(ref !== id && { ref }) });
}

export function nameless(content: string): string {
  const { ref: _ref, ...rest } = JSON.parse(content);
  return JSON.stringify(rest);
}
