import { normaliseExpression } from "page-guard-csp";
import type { Extra, Overrides, Rule } from "../../api/client-types";
import { canonicalize, withoutFields } from "../../text/data";
import { wordMeaning } from "../compare";

/** Ids of the managed rulesets that the service publishes. They are the same in every zone. */
export const managedRulesets = {
  managed: "efb7b8c949ac4650a09736fc376e9aee",
  owasp: "4814384a9e5d4991b9815dcfc25d2f1f",
} as const;

/** Whether a rule has this action. The service may write an action in another case than a program does. */
export function hasAction({ action }: Pick<Rule, "action">, wanted: "execute" | "skip"): boolean {
  return wordMeaning(action) === wanted;
}

/** Meaning of a rule, in strings that are equal for rules that do the same. */
export interface RuleMeaning {
  /** Fields that have a default. Every declaration determines their values. */
  readonly parts: Readonly<Record<string, string>>;
  /** All parts in one string. */
  readonly core: string;
  /** Values of further fields by path, such as `extra.logging`. A field that is not declared may have any value in the zone. */
  readonly extras: ReadonlyMap<string, string>;
}

export function toRuleMeaning(rule: Rule): RuleMeaning {
  const { overrides, id, extra } = rule.actionParameters ?? {};
  const parts = {
    action: wordMeaning(rule.action),
    expression: normaliseExpression(rule.expression),
    description: (rule.description ?? "").trim(),
    enabled: String(rule.enabled ?? true),
    "actionParameters.id": id ?? "",
    "actionParameters.overrides": canonicalize(overridesMeaning(overrides)),
  };
  // Treats null fields as absent, at any depth.
  const fields = (place: string, further: Extra = {}): [string, string][] =>
    Object.entries(further)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [`${place}.${name}`, canonicalize(withoutFields(value, null))]);
  return {
    parts,
    core: JSON.stringify(parts),
    extras: new Map([
      ...fields("extra", rule.extra),
      ...fields("actionParameters.extra", withoutServerVersion(extra)),
      ...fields("actionParameters.overrides.extra", withoutNamed(overrides?.extra)),
      ...[...furtherSettings(overrides)].flatMap(([place, further]) =>
        fields(`actionParameters.overrides.${place}`, further),
      ),
    ]),
  };
}

/** Whether `live` has everything that `declared` asks for. */
export function isWithin(declared: RuleMeaning, live: RuleMeaning): boolean {
  if (declared.core !== live.core) return false;
  for (const [field, value] of declared.extras) if (live.extras.get(field) !== value) return false;
  return true;
}

/** Drops `version: "latest"` of a managed ruleset, which the service adds. */
export function withoutServerVersion(extra: Extra = {}): Extra {
  const { version, ...others } = extra;
  return version === "latest" ? others : extra;
}

/** Returns the meaning of overrides, whose order does not matter. An absent setting leaves the value of the ruleset as it is. */
function overridesMeaning({ action, enabled, rules = [], extra = {} }: Overrides = {}): unknown {
  const { categories, sensitivity_level: level } = extra;
  return [
    action === undefined ? null : wordMeaning(action),
    enabled ?? null,
    rules.map(({ extra: more, ...rule }) => settingMeaning({ ...more, ...rule })).sort(),
    level ?? null,
    Array.isArray(categories) ? categories.map(settingMeaning).sort() : (categories ?? []),
  ];
}

/** Fields of an override for a rule or a category. An absent field differs from every value. */
const settings = ["id", "category", "action", "enabled", "score_threshold", "sensitivity_level"];

/** Returns, by place (`rules.ID`), the fields of rule and category overrides beyond `settings`. The service may add some. */
export function furtherSettings({ rules = [], extra = {} }: Overrides = {}): ReadonlyMap<string, Extra> {
  const { categories } = extra;
  const tags = (Array.isArray(categories) ? categories : []).map(
    (tag: unknown): Extra => ({ ...Object(tag) }),
  );
  return new Map([
    ...rules.map(
      ({ extra: more, ...rule }) => [`rules.${rule.id}`, withoutSettings({ ...more, ...rule })] as const,
    ),
    ...tags.map((tag) => [`categories.${String(tag["category"])}`, withoutSettings(tag)] as const),
  ]);
}

/** Returns the fields that are not `settings`; none if the override has neither `id` nor `category`. */
function withoutSettings(fields: Extra): Extra {
  if (typeof (fields["id"] ?? fields["category"]) !== "string") return {};
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !settings.includes(name)));
}

function settingMeaning(setting: unknown): string {
  const all: Extra = Object(withoutFields(setting, null));
  const further = withoutSettings(all);
  const known = Object.fromEntries(Object.entries(all).filter(([name]) => !(name in further)));
  const action: unknown = Reflect.get(Object(known), "action");
  return canonicalize(typeof action === "string" ? { ...Object(known), action: wordMeaning(action) } : known);
}

/** Drops the fields that `overridesMeaning` compares, because for these an absent field differs from every value. */
export function withoutNamed(extra: Extra = {}): Extra {
  const { categories: _categories, sensitivity_level: _level, ...others } = extra;
  return others;
}
