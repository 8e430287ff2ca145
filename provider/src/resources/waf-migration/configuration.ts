import { nearest } from "page-guard-csp";
import type * as z from "zod";
import type { EntrypointBody, Rule, WafConfiguration } from "../../api/client-types";
import { compact } from "../../api/wire/schema-parts";
import { asRecorded } from "../../lifecycle/state";
import { anyWafRule, fromRule, recordedRule, toRule } from "../../model/waf-rules/rule-input";
import { isSameInOrder, isSameRule } from "../../model/waf-rules/rule-match";
import { hasAction, managedRulesets } from "../../model/waf-rules/rule-meaning";
import { clean, enumerate } from "../../text/shown";
import type { Attempt, Inputs, State } from "./state";
import { cleanName } from "./texts";

type AddedOverrides = NonNullable<Inputs["ruleOverrides"]>;

/** Maximum number of firewall rules that the service migrates. Only the vendor's support can migrate more. */
const mostRules = 200;
const maxExpressionBytes = 4096;
/** Maximum number of managed rulesets that a proposed configuration usually runs in addition to the migrated firewall rules. */
const usualRulesets = 3;

/**
 * Returns the body of a request. In a validation, rules have no `id`, `version` and `ref`; in a finish, these are empty strings.
 * Source: documentation of the WAF migration.
 */
export function wireBody({ name, rules }: WafConfiguration, mode: Attempt["mode"]): EntrypointBody {
  const identity = mode === "pending" ? { id: "", version: "", ref: "" } : {};
  return {
    name,
    rules: rules.map(({ lastUpdated: _updated, ...rule }) => ({ ...identity, ...withoutIdentity(rule) })),
  };
}

export function toApplied({ name, rules }: WafConfiguration): NonNullable<State["applied"]> {
  return { name, rules: rules.map(ruleRecord) };
}

export function ruleRecord(rule: Rule): z.output<typeof recordedRule> {
  return recordedRule.parse(fromRule(rule));
}

export function asRule(rule: z.output<typeof recordedRule>): Rule {
  return toRule(asRecorded("a rule that was sent", () => anyWafRule.parse(rule)));
}

export function withoutIdentity({ id: _id, version: _version, ref: _ref, ...rule }: Rule): Rule {
  return rule;
}

export function isSameConfiguration(wanted: readonly Rule[], live: readonly Rule[]): boolean {
  return isSameInOrder(wanted, live, (rule, other) => isSameRule(withoutIdentity(rule), other));
}

/** Adds the program's overrides to the configuration. Ignores overrides of a ruleset that the configuration does not run. */
export function withOverrides(configuration: WafConfiguration, all: AddedOverrides): WafConfiguration {
  const rules = configuration.rules.map((rule) => {
    const mine = all.filter(({ rulesetId }) => rulesetId === readRulesetId(rule));
    if (mine.length === 0) return rule;
    const { overrides } = rule.actionParameters ?? {};
    const merged = new Map((overrides?.rules ?? []).map((entry) => [entry.id, entry]));
    for (const { ruleId: id, action, enabled } of mine)
      merged.set(id, { ...merged.get(id), id, ...compact({ action, enabled }) });
    const both = { ...overrides, rules: [...merged.values()] };
    return { ...rule, actionParameters: { ...rule.actionParameters, overrides: both } };
  });
  return { ...configuration, rules };
}

function readRulesetId(rule: Rule): string | undefined {
  return hasAction(rule, "execute") ? rule.actionParameters?.id : undefined;
}

/** Returns a problem for each override whose ruleset the configuration does not run, or whose rule id looks mistyped. */
export function overrideProblems(
  { rules }: WafConfiguration,
  overrides: AddedOverrides,
): readonly { readonly property: string; readonly what: string }[] {
  const rulesets = rules.flatMap((rule) => readRulesetId(rule) ?? []);
  return overrides.flatMap(({ rulesetId, ruleId }, index) => {
    if (!rulesets.includes(rulesetId)) {
      const guess = nearest(rulesetId, rulesets);
      const hint = guess
        ? `Did you mean ${cleanName(guess)}?`
        : `It runs ${enumerate(rulesets.map(cleanName), { separator: ", " }) || "no managed ruleset"}.`;
      const what = `the configuration does not run the managed ruleset ${rulesetId}. ${hint}`;
      return [{ property: `ruleOverrides[${index}].rulesetId`, what }];
    }
    const known = rules
      .filter((rule) => readRulesetId(rule) === rulesetId)
      .flatMap(({ actionParameters }) => actionParameters?.overrides?.rules?.map(({ id }) => id) ?? []);
    const guess = known.includes(ruleId) ? undefined : nearest(ruleId, known);
    if (guess === undefined) return [];
    const what = `the configuration has no override for a rule ${ruleId} of ruleset ${rulesetId}, but it has one for ${cleanName(guess)}, which differs only in a few characters. Correct the id.`;
    return [{ property: `ruleOverrides[${index}].ruleId`, what }];
  });
}

/**
 * Returns the number of firewall rules to migrate. Includes rules that run managed rulesets only if there are more than
 * `usualRulesets` of them.
 */
export function rulesToMove({ rules }: Pick<WafConfiguration, "rules">): number {
  const executed = rules.filter((rule) => hasAction(rule, "execute")).length;
  return executed <= usualRulesets ? rules.length - executed : rules.length;
}

/** Returns a message for each limit of the service that the configuration exceeds. */
export function limitProblems({ rules }: WafConfiguration): readonly string[] {
  const migrated = rulesToMove({ rules });
  const tooMany = `the zone has ${migrated} firewall rules to migrate and the service moves at most ${mostRules}. Delete rules that are no longer needed, or ask the vendor's support to migrate the zone.`;
  const tooLong = rules.flatMap((rule, index) => {
    const bytes = Buffer.byteLength(rule.expression);
    const message = `the expression of rule ${index + 1} (${clean(rule.description || rule.action)}) has ${bytes} bytes and the service moves at most ${maxExpressionBytes} (4 KB). Shorten it, for example with a list, or ask the vendor's support to migrate the zone.`;
    return bytes > maxExpressionBytes ? [message] : [];
  });
  return [...(migrated > mostRules ? [tooMany] : []), ...tooLong];
}

/** Returns lines about settings that are moved or lost. Source: documentation of the WAF migration, "Migrated settings". */
export function movingNotes(configuration: WafConfiguration): readonly string[] {
  const besides =
    "Also moved: firewall rules with Bypass > WAF Managed Rules, page rules with Disable Security, page rules with Web Application Firewall on or off.";
  if (!runsOwasp(configuration)) return [besides];
  return [
    besides,
    "The configuration runs the OWASP ruleset. Its sensitivity is moved as follows:",
    "  High -> paranoia level 2, score threshold 40 (Medium); Medium -> level 1, 25 (High);",
    "  Low -> level 1, 40 (Medium); default -> level 2, 40 (Medium).",
    "  Its action is moved almost one to one; Simulate becomes Log.",
    "Not moved; recreate them with tag or rule overrides: OWASP group overrides, OWASP rule overrides.",
    "Some settings of the previous OWASP ruleset have no successor and are lost.",
  ];
}

export function runsOwasp({ rules }: WafConfiguration): boolean {
  return rules.some(
    (rule) =>
      hasAction(rule, "execute") &&
      (readRulesetId(rule) === managedRulesets.owasp || /owasp/i.test(rule.description ?? "")),
  );
}
