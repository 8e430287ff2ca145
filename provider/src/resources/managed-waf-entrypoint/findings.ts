import { isDeepStrictEqual } from "node:util";
import type { Rule } from "../../api/client-types";
import type { PageGuardError } from "../../errors/page-guard-error";
import { ForeignRulesError, RefInUseError } from "../../errors/zone-error";
import { warnIfRenamed } from "../../lifecycle/zone-claims";
import { type Finding, makeError, makeInfo, makeWarning } from "../../model/finding";
import { differences, nearMisses } from "../../model/waf-rules/rule-difference";
import { toRule } from "../../model/waf-rules/rule-input";
import { foreignLabel, ruleLabel } from "../../model/waf-rules/rule-label";
import { clean, enumerate, pluralize } from "../../text/shown";
import type { ListMatch } from "./ownership";
import { placeFindings } from "./place-findings";
import type { Initial, Inputs, State } from "./state";

/**
 * Returns an error for each way in which a write would delete or change unmanaged rules without permission. `before`: the state,
 * if the engine passes one.
 */
function refusals(inputs: Inputs, { match }: ListMatch, before: State | undefined): PageGuardError[] {
  const isNew = before?.rules === undefined;
  const { zoneId, foreignRules = "refuse" } = inputs;
  if (foreignRules === "overwrite") return [];
  const isLosing = foreignRules === "refuse" && match.foreign.length > 0;
  return [
    ...(isLosing ? [new ForeignRulesError(zoneId, match.foreign.map(ruleLabel), isNew)] : []),
    ...match.namesakes.map(({ index, rule }) => {
      const ref = clean(rule.ref ?? "", { max: 80 });
      const differs = differsText(inputs.rules[index], rule);
      return new RefInUseError(zoneId, index, ref, { theirs: ruleLabel(rule), differs, isNew });
    }),
  ];
}

/** Throws the first refusal. Called right before a write, because someone may have added rules since the preview. */
export function refuse(inputs: Inputs, seen: ListMatch, before: State): void {
  const [error] = refusals(inputs, seen, before);
  if (error) throw error;
}

/** Returns the findings of a preview about unmanaged rules and about rules that already exist. `before`: the state. */
export function findings(inputs: Inputs, seen: ListMatch, before: State | undefined): Finding[] {
  const { foreign } = seen.match;
  const errors = refusals(inputs, seen, before).map((error) => {
    const code = error instanceof RefInUseError ? "waf-ref-in-use" : "waf-foreign-rules";
    return makeError("", code, error.message, { rules: foreign.map(ruleLabel) });
  });
  // With "refuse" and "overwrite", the other findings name the unmanaged rules.
  const others = before && inputs.foreignRules === "keep" ? newForeign(before, foreign) : [];
  const near = before ? [] : nearMissFindings(inputs, seen);
  return [
    ...errors,
    ...overwriteFindings(inputs, seen),
    ...adoptionFindings(inputs, seen, before),
    ...others,
    ...near,
    ...(errors.length > 0 ? [] : placeFindings(inputs, seen, before)),
  ];
}

function overwriteFindings(inputs: Inputs, { match: { foreign, namesakes } }: ListMatch): Finding[] {
  if (inputs.foreignRules !== "overwrite") return [];
  const lost = (rules: readonly Rule[], what: string): Finding => {
    const message = `foreignRules is "overwrite": ${what}.`;
    return makeWarning("", "waf-rules-overwritten", message, { rules: rules.map(ruleLabel) });
  };
  const changed = namesakes.map(({ index, rule }) => {
    const differs = differsText(inputs.rules[index], rule);
    const what = `the unmanaged rule with the ref of rules[${index}] will be changed`;
    return lost([rule], `${what}: ${ruleLabel(rule)}: ${differs}`);
  });
  if (foreign.length === 0) return changed;
  return [lost(foreign, `${countText(foreign)} will be deleted: ${labels(foreign)}`), ...changed];
}

function adoptionFindings(inputs: Inputs, { match, own }: ListMatch, before: State | undefined): Finding[] {
  const namesakes = new Set(match.namesakes.map(({ rule }) => rule));
  const rules = match.live.flatMap((rule) => (rule && !own.has(rule) && !namesakes.has(rule) ? [rule] : []));
  if (rules.length === 0) return [];
  const are = pluralize(rules.length, "declared rule is", "declared rules are");
  const they = rules.length === 1 ? "it is" : "they are";
  const isWhole = before === undefined && rules.length === inputs.rules.length;
  const renamed = isWhole && inputs.onDestroy !== "keep" ? warnIfRenamed("rules") : "";
  const then = afterDestroy(inputs, rules, before?.initial);
  const message = `${are} already in the zone and will be adopted as ${they}: ${labels(rules)}. ${then}${renamed}`;
  return [makeInfo("", "waf-rules-adopted", message)];
}

/** Returns a sentence about what a destroy will do to adopted rules from now on. */
function afterDestroy({ onDestroy }: Inputs, rules: readonly Rule[], initial: Initial | undefined): string {
  if (onDestroy === "keep") return `A destroy leaves all rules as they are (onDestroy "keep").`;
  if (onDestroy === "remove")
    return `A destroy deletes the rules that are declared by then (onDestroy "remove").`;
  const found = new Set(initial?.rules.map(({ id }) => id));
  const later = initial ? rules.filter(({ id }) => !found.has(id)) : [];
  const declared = rules.length === 1 ? "this rule" : "these rules";
  const how =
    later.length === 0
      ? `which includes ${declared}`
      : `which does not include ${labels(later)} (added later)`;
  return `A destroy restores the list as it was before the first change (onDestroy "restore"), ${how}.`;
}

function nearMissFindings({ rules }: Inputs, { match }: ListMatch): Finding[] {
  const declared = rules.map(toRule);
  const missing = declared.filter((_, index) => !match.live[index]);
  const others = match.foreign.filter((rule) => !match.namesakes.some((one) => one.rule === rule));
  const near = nearMisses(missing, others);
  if (near.length === 0) return [];
  const texts = near.map(
    ({ declared: one, rule }) =>
      `rules[${declared.indexOf(one)}] and ${ruleLabel(rule)} differ only in ${enumerate(differences(one, rule), { separator: ", " })}`,
  );
  const message = `the zone has unmanaged rules that closely match declared rules: ${enumerate(texts)}. A rule that you declare exactly as it is in the zone is adopted instead of being created a second time.`;
  return [makeWarning("", "waf-rule-near-miss", message, { ruleIds: near.map(({ rule }) => rule.id) })];
}

function differsText(declared: Inputs["rules"][number] | undefined, rule: Rule): string {
  return declared ? enumerate(differences(toRule(declared), rule), { most: 10, separator: ", " }) : "";
}

/** Warns of unmanaged rules that were added since the state was written. */
export function newForeign(state: State, foreign: readonly Rule[]): Finding[] {
  const left = [...(recordedLabels(state) ?? foreignLabels(foreign))];
  const added = foreign.filter((rule) => {
    const place = left.indexOf(foreignLabel(rule));
    return place < 0 || left.splice(place, 1).length === 0;
  });
  if (added.length === 0) return [];
  const were = added.length === 1 ? "was" : "were";
  const message = `${countText(added)} ${were} added since the last update or refresh: ${labels(added)}. With foreignRules ${whatNext[state.foreignRules ?? "refuse"]}.`;
  return [makeWarning("", "waf-foreign-rules-new", message)];
}

const whatNext = {
  refuse: '"refuse", the list is not changed as long as it has unmanaged rules',
  keep: '"keep", unmanaged rules stay',
  overwrite: '"overwrite", the next update deletes unmanaged rules',
};

/** Whether unmanaged rules were added or deleted since the state was written. */
export function isForeignChanged(state: State, foreign: readonly Rule[]): boolean {
  const recorded = recordedLabels(state);
  return recorded !== undefined && !isDeepStrictEqual(recorded, foreignLabels(foreign));
}

/** Returns the labels of the unmanaged rules in the state. Undefined if an older version wrote the state with "keep". */
function recordedLabels({ foreign, foreignRules }: State): readonly string[] | undefined {
  return foreign ?? (foreignRules === "keep" ? undefined : []);
}

/** Returns the output `foreign`: labels of unmanaged rules, sorted, so that a rule that moves does not change the output. */
export function foreignLabels(rules: readonly Rule[]): string[] {
  return rules.map(foreignLabel).sort();
}

function labels(rules: readonly Rule[]): string {
  return enumerate(rules.map(ruleLabel));
}

function countText({ length }: readonly unknown[]): string {
  return pluralize(length, "unmanaged rule");
}
