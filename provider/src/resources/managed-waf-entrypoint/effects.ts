import type { Rule } from "../../api/client-types";
import {
  type Effect,
  isChanging,
  type ResourceChange,
  takesOthersIf,
  type ZoneObjects,
} from "../../model/effect";
import type { Properties } from "../../model/properties";
import { isText, isUnknown } from "../../model/unknown";
import { differingFields } from "../../model/waf-rules/rule-difference";
import { fromRule, rulesIn, toRule } from "../../model/waf-rules/rule-input";
import { isSameRule } from "../../model/waf-rules/rule-match";
import { changedPlaces } from "../../model/waf-rules/rule-places";
import { grouped } from "../../text/data";
import { listed, shown } from "../../text/shown";
import { matchList, ownRules, recordedState } from "./ownership";
import { fromRecord } from "./recorded-rule";
import { desiredList } from "./rule-list";
import { inputsSchema } from "./state";

/** Whether a declaration deletes or overwrites the zone's unmanaged rules. */
export const overwritesOthers = takesOthersIf("foreignRules", "overwrite");

/**
 * Computes the effects of an update on the rules of a zone's entry point, with the same comparison as the update. Uses the list
 * in the state if the zone's list was not read.
 */
export function ruleEffects<Resource extends ResourceChange>(
  resources: readonly Resource[],
  { entrypoint: live }: ZoneObjects,
  isMigrating: boolean,
): readonly Effect<Resource>[] {
  // If a resource with another name declares the list now, deleting the old resource changes nothing in the zone.
  const by = resources.find(({ becomes }) => becomes) ?? resources[0];
  if (!by || !isChanging(by)) return [];
  const was = by.was && plain(by.was);
  const inState = (one: Resource) => recordedState(one.was && plain(one.was)).rules.map(fromRecord);
  const known = { rules: live?.rules ?? resources.flatMap(inState) };
  const state = recordedState(was);
  const own = ownRules(state, known);
  const effects: Effect<Resource>[] = [];
  const add = (
    fate: Effect["fate"],
    before?: Rule,
    after?: Rule,
    more: Partial<Effect<Resource>> = {},
  ): void => {
    const { id, description = "" } = before ?? { ...after, id: undefined };
    effects.push({
      object: { kind: "rule", id, label: description },
      fate,
      by,
      before: before && fromRule(before),
      after: after && fromRule(after),
      ...more,
    });
  };
  // If the list in the state is secret, the rules that it loses cannot be shown.
  const isListSecret = by.was !== undefined && "rules" in by.was && !Array.isArray(by.was["rules"]);
  const unseen = { weaker: "rules that are not shown" };
  if (!by.becomes) {
    const onDestroy = was?.["onDestroy"] ?? "restore";
    const isLeft = by.isRetained || onDestroy === "keep";
    if (isListSecret) add(isLeft ? "leave" : "delete", undefined, undefined, isLeft ? {} : unseen);
    const restored = onDestroy === "restore" ? rulesIn(Object(Object(was?.["initial"])["rules"])) : [];
    for (const rule of own.keys()) {
      if (isLeft) add("leave", rule, rule);
      else if (!restored.some((one) => isSameRule(one, rule)))
        add(onDestroy === "remove" ? "delete" : "restore", rule, undefined, { weaker: "no longer enforced" });
    }
    return effects;
  }
  const takes = overwritesOthers(by.becomes);
  const { rules, foreignRules, order } = by.becomes;
  const inputs = inputsSchema.safeParse({
    zoneId: "0".repeat(32),
    rules: Array.isArray(rules) ? plain(by.becomes)["rules"] : undefined,
    foreignRules: takes === "maybe" ? "overwrite" : foreignRules,
    // If `order` is secret or unknown, no rule is reported as moved by a change of it.
    order: isText(order) ? order : undefined,
  }).data;
  if (!inputs) {
    const isPassedOn = takes === "no" && isUnknown(rules) && isMigrating;
    add("update", undefined, undefined, isPassedOn ? { isPassedOn } : was ? unseen : {});
    const others = takes === "no" ? [] : known.rules.filter((rule) => !own.has(rule));
    for (const rule of others) add("lose", rule, undefined, { isOpen: true });
    return effects;
  }
  if (isListSecret) add("update", undefined, undefined, unseen);
  const seen = matchList(inputs, own, known);
  const { foreign, dropped, namesakes } = seen.match;
  const overwritten = new Set(namesakes.map(({ rule }) => rule));
  const reordered = changedPlaces(known.rules, desiredList(inputs, seen, was && state));
  const overtaken = grouped(reordered, ({ first }) => first);
  const movedBy = (rule: Rule): string | undefined => {
    const behind = overtaken.get(rule)?.map(({ second }) => shortLabel(second));
    return behind && `will run before ${listed(behind, { most: 3, separator: ", " })}`;
  };
  for (const [index, input] of inputs.rules.entries()) {
    const rule = toRule(input);
    const before = seen.match.live[index];
    const differs = before ? differingFields(rule, before) : [];
    const moved = before && movedBy(before);
    if (!before)
      add("create", undefined, rule, { weaker: isSkip(rule) ? "a new rule that skips" : undefined });
    else if (differs.length > 0 || moved !== undefined)
      add("update", before, rule, { weaker: weakerRule(before, rule, differs), moved });
    else if (!own.has(before) && !overwritten.has(before)) add("adopt", before, rule);
  }
  for (const rule of takes === "no" ? foreign : [])
    if (overtaken.has(rule)) add("update", rule, rule, { moved: movedBy(rule) });
  for (const rule of dropped)
    add("delete", rule, undefined, { weaker: rule.enabled === false ? undefined : "no longer enforced" });
  // With "refuse" the preview fails if rules would be lost, so these effects are only possible.
  if (live === undefined || foreignRules === "keep") return effects;
  const isOpen = takes !== "yes";
  for (const [index, input] of inputs.rules.entries()) {
    const before = seen.match.live[index];
    if (before && overwritten.has(before)) add("lose", before, toRule(input), { isOpen });
  }
  for (const rule of foreign) add("lose", rule, undefined, { isOpen });
  return effects;
}

function shortLabel({ description, action, expression }: Rule): string {
  if (description) return `"${shown(description, { max: 80 })}"`;
  return `${shown(action, { max: 40 })} if ${shown(expression, { max: 80 })}`;
}

/** Drops the connection, and replaces symbols, which stand for secrets, by texts that equal no text in a zone. */
function plain({ connection: _, ...values }: Properties): Properties {
  return JSON.parse(
    JSON.stringify(values, (_name, one) => (typeof one === "symbol" ? one.description : one)),
  );
}

function isSkip({ action, enabled }: Rule): boolean {
  return action === "skip" && enabled !== false;
}

function weakerRule(before: Rule, after: Rule, fields: readonly string[]): string | undefined {
  if (before.enabled === false) return isSkip(after) ? "a rule that skips" : undefined;
  if (after.enabled === false) return "switched off";
  const words = fields
    .filter((field) => field !== "description")
    .map((field) => (field === "actionParameters.id" ? "managed ruleset" : field.replace(/^.*\./, "")));
  return words.length === 0 ? undefined : `another ${words.join(", another ")}`;
}
