import { z } from "zod";
import type { Entrypoint, EntrypointBody, Extra, Overrides, Rule } from "../../api/client-types";
import type { Finding } from "../../lifecycle/finding";
import { containsUnknown } from "../../lifecycle/unknown";
import { recordedRule, toRule, wafRuleInput } from "../waf-rule/rule-input";
import { isSameDeclaration, type RuleMatch } from "../waf-rule/rule-match";
import { fromRecord, recordOf } from "./recorded-rule";
import type { Inputs, State } from "./state";

/** The whole list: what is kept of others first, in its order, then what is declared, in its order. */
export function desiredList(inputs: Inputs, before: State, { live, foreign }: RuleMatch): Rule[] {
  const declared = inputs.rules.map(toRule);
  const kept = inputs.foreignRules === "keep" ? foreign : [];
  const identified = declared.map((rule, index) => {
    const there = live[index];
    const record = there && recordOf(before, there);
    return withIdentity(rule, there, record && fromRecord(record));
  });
  return [...kept, ...identified];
}

/**
 * A rule that exists already keeps its id, and what the program does not speak of. What the program spoke of before
 * (`record`) and does no more, goes.
 */
export function withIdentity(rule: Rule, live: Rule | undefined, record?: Rule): Rule {
  if (!live) return rule;
  const { actionParameters: given } = rule;
  const there = withoutServerFields(live).actionParameters;
  const isSameRuleset = rule.action === live.action && given !== undefined && given.id === there?.id;
  const before = record?.actionParameters;
  return {
    ...withExtra(rule, live, record),
    ...(live.id !== undefined && { id: live.id }),
    ...(live.ref !== undefined && { ref: live.ref }),
    ...(isSameRuleset && {
      actionParameters: {
        ...withExtra(given, there ?? {}, before),
        ...(given.overrides && {
          overrides: withExtra(
            given.overrides,
            unnamedExtra(there?.overrides),
            unnamedExtra(before?.overrides),
          ),
        }),
      },
    }),
  };
}

function withExtra<T extends { readonly extra?: Extra }>(
  given: T,
  live: { readonly extra?: Extra },
  record: { readonly extra?: Extra } = {},
): T {
  const dropped = Object.keys(record.extra ?? {}).filter((field) => !(field in (given.extra ?? {})));
  const kept = Object.entries(live.extra ?? {}).filter(([field]) => !dropped.includes(field));
  const extra = { ...Object.fromEntries(kept), ...given.extra };
  return Object.keys(extra).length > 0 ? { ...given, extra } : given;
}

/** Without the two fields that a program has names for: absent there means absent. */
function unnamedExtra(overrides: Overrides = {}): { readonly extra?: Extra } {
  const { categories: _categories, sensitivity_level: _level, ...extra } = overrides.extra ?? {};
  return { extra };
}

export function body(
  live: Entrypoint | undefined,
  listName: string | undefined,
  rules: readonly Rule[],
): EntrypointBody {
  return {
    name: listName ?? "default",
    // The documents know no description; one that somebody wrote is not to be lost.
    ...(live?.description ? { description: live.description } : {}),
    rules: rules.map(({ version: _version, lastUpdated: _updated, ...rule }) => rule),
  };
}

export function isSameList(wanted: readonly Rule[], live: readonly Rule[]): boolean {
  return (
    wanted.length === live.length &&
    wanted.every((rule, index) => {
      const other = live[index];
      return (
        other !== undefined &&
        rule.id === other.id &&
        isSameDeclaration(withoutServerFields(other), withoutServerFields(rule))
      );
    })
  );
}

/** `version: "latest"` of a managed ruleset is the service's word. */
function withoutServerFields(rule: Rule): Rule {
  const { version: _latest, ...extra } = rule.actionParameters?.extra ?? {};
  return rule.actionParameters ? { ...rule, actionParameters: { ...rule.actionParameters, extra } } : rule;
}

/** Compares in order: the order of rules is their order of running. */
export function isListChanged(recordedRules: unknown, declaredRules: unknown): boolean {
  const before = z.array(recordedRule).safeParse(recordedRules);
  const now = z.array(wafRuleInput).safeParse(declaredRules);
  if (!before.success || !now.success || containsUnknown(declaredRules)) return true;
  return (
    before.data.length !== now.data.length ||
    now.data.some((rule, index) => {
      const old = before.data[index];
      return !old || !isSameDeclaration(fromRecord(old), toRule(rule));
    })
  );
}

export function duplicateRefs(rules: readonly unknown[]): Finding[] {
  const seen = new Map<unknown, number>();
  return rules.flatMap((rule, index): Finding[] => {
    const ref: unknown = typeof rule === "object" && rule !== null ? Reflect.get(rule, "ref") : undefined;
    if (ref === undefined || containsUnknown(ref)) return [];
    const first = seen.get(ref);
    seen.set(ref, first ?? index);
    if (first === undefined) return [];
    return [
      {
        severity: "error",
        property: `rules[${index}].ref`,
        message: `"${String(ref)}" is the ref of rules[${first}] already. A ref is the identity of one rule; give each its own.`,
      },
    ];
  });
}
