import * as z from "zod";
import type {
  ActionParameters,
  Entrypoint,
  EntrypointBody,
  Extra,
  Overrides,
  Rule,
} from "../../api/client-types";
import { compact } from "../../api/wire/schema-parts";
import { wordMeaning } from "../../model/compare";
import { type Finding, makeError } from "../../model/finding";
import { containsUnknown } from "../../model/unknown";
import { recordedRule, toRule, type WafRuleInput, wafRuleInput } from "../../model/waf-rules/rule-input";
import { isSameDeclaration, isSameInOrder } from "../../model/waf-rules/rule-match";
import { furtherSettings, withoutNamed, withoutServerVersion } from "../../model/waf-rules/rule-meaning";
import { type PlacedRule, placeRules } from "../../model/waf-rules/rule-places";
import { clean } from "../../text/shown";
import type { ListMatch } from "./ownership";
import { fromRecord } from "./recorded-rule";
import { defaultOrder, type Inputs, type RecordedRule, type State } from "./state";

/** Returns the whole list to write, with the live rule of each rule. `before`: the state. */
export function makeDesiredList(inputs: Inputs, seen: ListMatch, before: State = {}): PlacedRule[] {
  const { list, own, match } = seen;
  const overwritten = new Set(match.namesakes.map(({ rule }) => rule));
  const declared = inputs.rules.map((input, index) => {
    const there = match.live[index];
    const record = there && own.get(there);
    // An overwritten rule keeps its id, and loses all fields that are not declared.
    const previous = there && overwritten.has(there) ? there : record && fromRecord(record);
    return { rule: withIdentity(toRule(input), there, previous), live: there };
  });
  return placeRules({
    live: list?.rules ?? [],
    kept: new Set(inputs.foreignRules === "keep" ? match.foreign : []),
    declared,
    order: inputs.order ?? defaultOrder,
    isOrderChanged: isOrderChanged(inputs, before),
  });
}

/** Whether `order` differs from the state. If so, all declared rules move. */
export function isOrderChanged(inputs: Inputs, before: State | undefined): boolean {
  const hasList = before?.rules !== undefined;
  return hasList && (inputs.order ?? defaultOrder) !== (before.order ?? defaultOrder);
}

/**
 * Returns the rule to send. A live rule keeps its id, its `ref`, and `extra` fields that are neither in the program nor in the
 * state (`record`). A live rule that equals the declared one is returned unchanged.
 */
export function withIdentity(rule: Rule, live: Rule | undefined, record?: Rule): Rule {
  if (!live) return rule;
  const merged = {
    ...withExtra(rule, live, record),
    ...compact({ id: live.id, ref: live.ref, actionParameters: mergeParameters(rule, live, record) }),
  };
  return isSameDeclaration(merged, live) ? live : merged;
}

/** Returns the parameters to send. `extra` parameters of the live rule stay, unless the action or the ruleset changes. */
function mergeParameters(rule: Rule, live: Rule, record: Rule | undefined): ActionParameters | undefined {
  const given = rule.actionParameters ?? {};
  const there = live.actionParameters ?? {};
  const isSameAction = wordMeaning(rule.action) === wordMeaning(live.action);
  if (!isSameAction || given.id !== there.id) return rule.actionParameters;
  const before = record?.actionParameters;
  const kept = withExtra(given, { extra: withoutServerVersion(there.extra) }, before);
  const overrides = withExtra(
    mergeSettings(
      given.overrides ?? {},
      furtherSettings(there.overrides),
      furtherSettings(before?.overrides),
    ),
    { extra: withoutNamed(there.overrides?.extra) },
    { extra: withoutNamed(before?.overrides?.extra) },
  );
  const all = Object.keys(overrides).length > 0 ? { ...kept, overrides } : kept;
  return Object.keys(all).length > 0 ? all : rule.actionParameters;
}

/** Adds the further fields of live overrides to the declared overrides for the same rules and categories. */
function mergeSettings(
  { rules, extra, ...given }: Overrides,
  there: ReadonlyMap<string, Extra>,
  before: ReadonlyMap<string, Extra>,
): Overrides {
  const merge = <T extends { readonly extra?: Extra }>(place: string, setting: T): T =>
    withExtra(setting, { extra: there.get(place) ?? {} }, { extra: before.get(place) ?? {} });
  const mergeTag = (tag: unknown): unknown => {
    const { category }: Extra = Object(tag);
    if (typeof category !== "string") return tag;
    return merge(`categories.${category}`, { extra: { ...Object(tag) } }).extra;
  };
  const categories: unknown = extra?.["categories"];
  const tags = Array.isArray(categories) && { categories: categories.map(mergeTag) };
  return compact({
    ...given,
    rules: rules?.map((rule) => merge(`rules.${rule.id}`, rule)),
    extra: extra && { ...extra, ...tags },
  });
}

function withExtra<T extends { readonly extra?: Extra }>(
  given: T,
  live: { readonly extra?: Extra },
  record: { readonly extra?: Extra } = {},
): T {
  const dropped = Object.keys(record.extra ?? {});
  const kept = Object.entries(live.extra ?? {}).filter(([field]) => !dropped.includes(field));
  const extra = { ...Object.fromEntries(kept), ...given.extra };
  return Object.keys(extra).length > 0 ? { ...given, extra } : given;
}

export function body(
  live: Entrypoint | undefined,
  listName: string | undefined,
  rules: readonly Rule[],
): EntrypointBody {
  return {
    name: listName ?? "default",
    // The description of a list must not be lost, although the API documentation does not mention it.
    ...(live?.description ? { description: live.description } : {}),
    rules: rules.map(({ version: _version, lastUpdated: _updated, ...rule }) => rule),
  };
}

export function isSameList(wanted: readonly Rule[], live: readonly Rule[]): boolean {
  return isSameInOrder(wanted, live, (rule, other) => rule.id === other.id && isSameDeclaration(other, rule));
}

export function isListChanged(recordedRules: unknown, declaredRules: unknown): boolean {
  const before = z.array(recordedRule).safeParse(recordedRules);
  const now = z.array(wafRuleInput).safeParse(declaredRules);
  if (!before.success || !now.success || containsUnknown(declaredRules)) return true;
  const isSame = (old: RecordedRule, rule: WafRuleInput) => isSameDeclaration(fromRecord(old), toRule(rule));
  return !isSameInOrder(before.data, now.data, isSame);
}

export function duplicateRefs(rules: readonly unknown[]): Finding[] {
  const seen = new Map<unknown, number>();
  return rules.flatMap((rule, index): Finding[] => {
    const ref: unknown = typeof rule === "object" && rule !== null ? Reflect.get(rule, "ref") : undefined;
    if (ref === undefined || containsUnknown(ref)) return [];
    const first = seen.get(ref);
    seen.set(ref, first ?? index);
    if (first === undefined) return [];
    const message = `"${clean(String(ref), { max: 80 })}" is already the ref of rules[${first}]. A ref identifies one rule, so give each rule its own.`;
    return [makeError(`rules[${index}].ref`, "waf-ref-twice", message)];
  });
}
