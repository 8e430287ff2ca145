import type { Rule } from "../../api/client-types";
import {
  type Answer,
  type Effect,
  isChanging,
  type ResourceChange,
  takesOthersIf,
  type ZoneObjects,
} from "../../model/effect";
import type { Properties } from "../../model/properties";
import { isHidden, isText, isUnknown } from "../../model/unknown";
import { differingFields } from "../../model/waf-rules/rule-difference";
import { fromRule, toRule } from "../../model/waf-rules/rule-input";
import { shortRuleLabel } from "../../model/waf-rules/rule-label";
import { isSameRule } from "../../model/waf-rules/rule-match";
import { hasAction } from "../../model/waf-rules/rule-meaning";
import { findChangedPlaces, type PlacedRule } from "../../model/waf-rules/rule-places";
import { groupBy } from "../../text/data";
import { enumerate } from "../../text/shown";
import { matchList, ownById, ownRules, recordedState } from "./ownership";
import { fromRecord } from "./recorded-rule";
import { listRulesLeft } from "./restore";
import { makeDesiredList } from "./rule-list";
import { type Inputs, inputsSchema, stateSchema } from "./state";

/** Whether a declaration deletes or overwrites the zone's unmanaged rules. */
export const overwritesOthers = takesOthersIf("foreignRules", "overwrite");

/**
 * Computes the effects of an update on the rules of a zone's entry point, using the same comparison as the update. If the list
 * in the zone was not read, uses the list in the state.
 */
export function ruleEffects<Resource extends ResourceChange>(
  resources: readonly Resource[],
  { entrypoint: live }: ZoneObjects,
  isMigrating: boolean,
): readonly Effect<Resource>[] {
  const by = resources.find(({ becomes }) => becomes) ?? resources[0];
  if (!by) return [];
  const inState = (one: Resource) => recordedState(one.was && plain(one.was)).rules.map(fromRecord);
  const known = { rules: live?.rules ?? resources.flatMap(inState) };
  if (!by.becomes) return endEffects(resources, known);
  // If another resource now declares the list, deleting the old resource removes only those of its rules that the new resource does
  // not have. The deletion restores no earlier rules.
  const replaced = resources.filter((one) => one !== by && isChanging(one));
  const withReplaced = (held: readonly (Rule | undefined)[]) =>
    replaced.flatMap((one) => destroyEffects(one, known, new Set(held)));
  const was = by.was && plain(by.was);
  const state = recordedState(was);
  const own = ownRules(state, known);
  if (!isChanging(by)) return withReplaced([...own.keys()]);
  const takes = overwritesOthers(by.becomes);
  const inputs = readKnown(by.becomes, takes);
  if (!inputs) {
    const isPassedOn = takes === "no" && isUnknown(by.becomes["rules"]) && isMigrating;
    const others = takes === "no" ? [] : known.rules.filter((rule) => !own.has(rule));
    return hiddenListEffects(by, others, isPassedOn ? { isPassedOn } : was ? unseen : {});
  }
  const seen = matchList(inputs, own, known);
  // With `deleteBeforeReplace`, the zone lacks the deleted rules until they are created again.
  const deletedFirst = by.op === "replace" && by.isDeletedFirst ? destroyEffects(by, known) : [];
  const removed = deletedFirst.filter(({ fate, after }) => fate !== "leave" && after === undefined);
  const movedBy = explainMoves(known.rules, makeDesiredList(inputs, seen, was && state));
  const change = { by, inputs, seen, takes, own, removed, movedBy };
  const replacedOwn = new Set(
    replaced.flatMap((one) => [...ownById(recordedState(one.was && plain(one.was)), known).keys()]),
  );
  const losses =
    live === undefined || by.becomes["foreignRules"] === "keep" ? [] : lossEffects(change, replacedOwn);
  return [
    ...(isListSecret(by) ? hiddenListEffects(by, [], unseen) : []),
    ...removed,
    ...listEffects(change),
    ...withReplaced(takes === "yes" ? known.rules : seen.match.live),
    ...losses,
  ];
}

/** A change of a list whose declared rules are known. */
interface ListChange<Resource extends ResourceChange> {
  readonly by: Resource;
  readonly inputs: Inputs;
  readonly seen: ReturnType<typeof matchList>;
  readonly takes: Answer;
  readonly own: ReadonlyMap<Rule, unknown>;
  /** Effects on rules that are deleted before the list is written. */
  readonly removed: readonly Effect<Resource>[];
  readonly movedBy: ReturnType<typeof explainMoves>;
}

/** Computes the effects if the declared rules are secret or unknown. `others`: unmanaged rules that may be overwritten. */
function hiddenListEffects<Resource extends ResourceChange>(
  by: Resource,
  others: readonly Rule[],
  what: Partial<Effect<Resource>>,
): readonly Effect<Resource>[] {
  const effects: Effect<Resource>[] = [];
  const add = addTo(effects, by);
  add("update", undefined, undefined, what);
  for (const rule of others) add("lose", rule, undefined, { isOpen: true });
  return effects;
}

/** Computes the effects on the declared rules, on unmanaged rules that stay, and on rules that are no longer declared. */
function listEffects<Resource extends ResourceChange>({
  by,
  inputs,
  seen: { match },
  takes,
  own,
  removed,
  movedBy,
}: ListChange<Resource>): readonly Effect<Resource>[] {
  const effects: Effect<Resource>[] = [];
  const add = addTo(effects, by);
  const overwritten = new Set(match.namesakes.map(({ rule }) => rule));
  const removedIds = new Set(removed.map(({ object }) => object.id));
  for (const [index, input] of inputs.rules.entries()) {
    const rule = toRule(input);
    const found = match.live[index];
    const before = removedIds.has(found?.id) ? undefined : found;
    const differs = before ? differingFields(rule, before) : [];
    const moved = before && movedBy(before);
    if (!before)
      add("create", undefined, rule, { weaker: isSkip(rule) ? "a new rule that skips" : undefined });
    else if (differs.length > 0 || moved !== undefined)
      add("update", before, rule, { weaker: weakerRule(before, rule, differs), moved });
    else if (!own.has(before) && !overwritten.has(before)) add("adopt", before, rule);
  }
  for (const rule of takes === "no" ? match.foreign : []) {
    const moved = movedBy(rule);
    if (moved !== undefined) add("update", rule, rule, { moved });
  }
  const order = by.becomes?.["order"];
  const isOrderHidden = order !== undefined && order !== null && !isText(order);
  const hasOrderChanged = isOrderHidden && by.differences.some(({ path }) => path === "order");
  if (hasOrderChanged && by.was && takes === "no" && match.foreign.length > 0)
    add("update", undefined, undefined, { moved: "declared rules may move past the unmanaged ones" });
  for (const rule of match.dropped.filter(({ id }) => !removedIds.has(id)))
    add("delete", rule, undefined, { weaker: weakerDeletion(rule) });
  return effects;
}

/** Computes the effects on unmanaged rules that the update overwrites or deletes. `replacedOwn`: rules of replaced resources. */
function lossEffects<Resource extends ResourceChange>(
  { by, inputs, seen: { match }, takes }: ListChange<Resource>,
  replacedOwn: ReadonlySet<Rule>,
): readonly Effect<Resource>[] {
  const effects: Effect<Resource>[] = [];
  // With "refuse", the preview fails if rules would be lost, so the effects are not certain.
  const add = addTo(effects, by, { isOpen: takes !== "yes" });
  const overwritten = new Set(match.namesakes.map(({ rule }) => rule));
  for (const [index, input] of inputs.rules.entries()) {
    const before = match.live[index];
    if (before && overwritten.has(before) && !replacedOwn.has(before)) add("lose", before, toRule(input));
  }
  for (const rule of match.foreign)
    if (replacedOwn.has(rule)) add("delete", rule, undefined, { weaker: weakerDeletion(rule) });
    else add("lose", rule);
  return effects;
}

/**
 * Computes the effects if no resource declares the list any more. After a failed update, two resources may have the same list in
 * the state. A rule that one of them deletes is gone, even if the other one would leave it in the zone.
 */
function endEffects<Resource extends ResourceChange>(
  resources: readonly Resource[],
  known: { readonly rules: readonly Rule[] },
): readonly Effect<Resource>[] {
  const all = resources.filter(isChanging).flatMap((one) => destroyEffects(one, known));
  const inOrder = all.toSorted((one, other) => Number(one.fate === "leave") - Number(other.fate === "leave"));
  return [...groupBy(inOrder, (one) => one.object.id ?? one).values()].map(([one]) => one);
}

/** Returns the declared inputs as far as they decide about rules; undefined if the list is secret, unknown or not valid. */
function readKnown(declared: Properties, takes: Answer): Inputs | undefined {
  const { rules, foreignRules, order } = declared;
  return inputsSchema.safeParse({
    zoneId: "0".repeat(32),
    rules: Array.isArray(rules) ? plain(declared)["rules"] : undefined,
    foreignRules: takes === "maybe" ? "overwrite" : foreignRules,
    // If `order` is secret or unknown, one effect shows that it has changed, without naming a rule.
    order: isText(order) ? order : undefined,
  }).data;
}

/** Computes the effects of a deletion. `held`: rules that stay, because they now belong to the resource that manages the list. */
function destroyEffects<Resource extends ResourceChange>(
  by: Resource,
  known: { readonly rules: readonly Rule[] },
  held?: ReadonlySet<Rule | undefined>,
): Effect<Resource>[] {
  const was = by.was && plain(by.was);
  const state = recordedState(was);
  const { data: found = {} } = stateSchema.pick({ initial: true, onDestroy: true }).safeParse(was);
  const { onDestroy, initial } = by.was ?? {};
  const all = held ? ownById(state, known) : ownRules(state, known);
  const own = new Map([...all].filter(([rule]) => !held?.has(rule)));
  const effects: Effect<Resource>[] = [];
  const isLeft = by.isRetained || onDestroy === "keep";
  const isInitialHidden = isHidden(initial) && !isLeft && onDestroy !== "remove";
  // If `onDestroy` or `initial` is secret or unknown, the outcome is uncertain: each rule may be deleted, and the rules from before
  // the first change may be restored.
  const isOpen = isInitialHidden || (isHidden(onDestroy) && !isLeft);
  const add = addTo(effects, by, { isOpen });
  const isSecret = isListSecret(by);
  if (isSecret) add(isLeft ? "leave" : "delete", undefined, undefined, isLeft ? {} : unseen);
  const left =
    isSecret || isLeft
      ? known.rules
      : listRulesLeft({ ...state, ...found }, own, known.rules, held !== undefined);
  const fate = onDestroy === "remove" || isOpen ? "delete" : "restore";
  const byId = new Map(known.rules.map((rule) => [rule.id ?? rule, rule]));
  const written = left.map((rule) => ({ rule, live: byId.get(rule.id ?? rule) }));
  const kept = new Map(written.map(({ rule, live }) => [live, rule]));
  const movedBy = explainMoves(known.rules, written);
  for (const rule of known.rules) {
    const after = kept.get(rule);
    const moved = movedBy(rule);
    if (!own.has(rule)) {
      if (moved !== undefined) add("update", rule, rule, { moved });
    } else if (isLeft) add("leave", rule, rule);
    else if (!after || isOpen) add(fate, rule, undefined, { weaker: "no longer enforced" });
    else if (!isSameRule(after, rule))
      add(fate, rule, after, { weaker: weakerRule(rule, after, differingFields(after, rule)), moved });
    else if (moved !== undefined) add(fate, rule, after, { moved });
    else add("leave", rule, rule);
  }
  for (const rule of left)
    if (rule.id === undefined && !known.rules.includes(rule))
      add("restore", undefined, rule, { weaker: isSkip(rule) ? "a skip rule is restored" : undefined });
  if (isInitialHidden) add("restore", undefined, undefined, unseen);
  return effects;
}

/**
 * Returns a function that names the rules that a given rule will overtake. That function returns undefined if there are none, or
 * if their order does not matter.
 */
function explainMoves(live: readonly Rule[], written: readonly PlacedRule[]) {
  const overtaken = groupBy(findChangedPlaces(live, written), ({ first }) => first);
  return (rule: Rule): string | undefined => {
    const behind = overtaken.get(rule)?.map(({ second }) => shortRuleLabel(second));
    return behind && `will run before ${enumerate(behind, { most: 3, separator: ", " })}`;
  };
}

function addTo<Resource extends ResourceChange>(
  effects: Effect<Resource>[],
  by: Resource,
  all: Partial<Effect<Resource>> = {},
) {
  return (fate: Effect["fate"], before?: Rule, after?: Rule, more: Partial<Effect<Resource>> = {}): void => {
    const { id, description = "" } = before ?? { ...after, id: undefined };
    effects.push({
      object: { kind: "rule", id, label: description },
      fate,
      by,
      before: before && fromRule(before),
      after: after && fromRule(after),
      ...all,
      ...more,
    });
  };
}

/** Whether the list in the state is secret, so that rules that are removed from it cannot be shown. */
function isListSecret({ was }: ResourceChange): boolean {
  return was !== undefined && "rules" in was && !Array.isArray(was["rules"]);
}

const unseen = { weaker: "rules that cannot be shown" };

/** Drops the connection and hidden inputs. In other inputs, replaces symbols, which mark secrets, with their descriptions. */
function plain({ connection: _, ...values }: Properties): Properties {
  const known = Object.fromEntries(Object.entries(values).filter(([, value]) => !isHidden(value)));
  return JSON.parse(JSON.stringify(known, (_name, one) => (typeof one === "symbol" ? one.description : one)));
}

function isSkip(rule: Rule): boolean {
  return hasAction(rule, "skip") && rule.enabled !== false;
}

function weakerDeletion({ enabled }: Rule): string | undefined {
  return enabled === false ? undefined : "no longer enforced";
}

function weakerRule(before: Rule, after: Rule, fields: readonly string[]): string | undefined {
  if (before.enabled === false) return isSkip(after) ? "a rule that skips" : undefined;
  if (after.enabled === false) return "switched off";
  const words = fields
    .filter((field) => field !== "description")
    .map((field) => (field === "actionParameters.id" ? "managed ruleset" : field.replace(/^.*\./, "")));
  return words.length === 0 ? undefined : `different ${words.join(", different ")}`;
}
