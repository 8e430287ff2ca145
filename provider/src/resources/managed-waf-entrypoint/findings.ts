import { isDeepStrictEqual } from "node:util";
import type { Rule } from "../../api/client-types";
import type { PageGuardError } from "../../errors/page-guard-error";
import { ForeignRulesError, RefInUseError } from "../../errors/zone-error";
import { errorOn, type Finding, infoOn, warningOn } from "../../model/finding";
import { differences, nearMisses } from "../../model/waf-rules/rule-difference";
import { toRule } from "../../model/waf-rules/rule-input";
import { ruleLabel } from "../../model/waf-rules/rule-label";
import type { RuleAtPlace } from "../../model/waf-rules/rule-match";
import { listed, shown } from "../../text/shown";
import type { ListMatch } from "./ownership";
import type { Initial, Inputs, State } from "./state";

/** Why the declared list can't be written: it would delete or change an unmanaged rule unasked. */
function refusals(inputs: Inputs, { match }: ListMatch): PageGuardError[] {
  const { foreignRules = "refuse" } = inputs;
  const errors: PageGuardError[] = [];
  if (foreignRules === "overwrite") return errors;
  if (foreignRules === "refuse" && match.foreign.length > 0) {
    errors.push(new ForeignRulesError(inputs.zoneId, match.foreign.map(ruleLabel)));
  }
  for (const { index, rule } of match.namesakes) {
    const ref = shown(rule.ref ?? "", { max: 80 });
    const differs = differsText(inputs, { index, rule });
    errors.push(new RefInUseError(inputs.zoneId, index, ref, ruleLabel(rule), differs));
  }
  return errors;
}

/** Thrown right before a write: others may have come since the preview. */
export function refuse(inputs: Inputs, seen: ListMatch): void {
  const [error] = refusals(inputs, seen);
  if (error) throw error;
}

/** What the preview says of the rules of others, and of those that are there already. `before`: the state. */
export function findings(inputs: Inputs, seen: ListMatch, before: State | undefined): Finding[] {
  const data = { rules: seen.match.foreign.map(ruleLabel) };
  const errors = refusals(inputs, seen).map((error) => {
    const code = error instanceof RefInUseError ? "waf-ref-in-use" : "waf-foreign-rules";
    return errorOn("", code, error.message, data);
  });
  // What is refused or deleted is named as such.
  const others = before && inputs.foreignRules === "keep" ? newForeign(before, seen.match.foreign) : [];
  const near = before ? [] : almostThere(inputs, seen);
  return [...errors, ...overwritten(inputs, seen), ...takenOver(inputs, seen, before), ...others, ...near];
}

function overwritten(inputs: Inputs, { match }: ListMatch): Finding[] {
  if (inputs.foreignRules !== "overwrite") return [];
  const lost = (rules: readonly Rule[], what: string): Finding => {
    const labels = rules.map(ruleLabel);
    return warningOn("", "waf-rules-overwritten", `foreignRules is "overwrite": ${what}.`, { rules: labels });
  };
  const deleted =
    match.foreign.length === 0
      ? []
      : [
          lost(
            match.foreign,
            `${unmanaged(match.foreign)} will be deleted: ${listed(match.foreign.map(ruleLabel))}`,
          ),
        ];
  const changed = match.namesakes.map((one) =>
    lost(
      [one.rule],
      `the unmanaged rule with the ref of rules[${one.index}] will be changed: ${ruleLabel(one.rule)}: ${differsText(inputs, one)}`,
    ),
  );
  return [...deleted, ...changed];
}

function takenOver(inputs: Inputs, { match, own }: ListMatch, before: State | undefined): Finding[] {
  const namesakes = new Set(match.namesakes.map(({ rule }) => rule));
  const taken = match.live.flatMap((rule) => (rule && !own.has(rule) && !namesakes.has(rule) ? [rule] : []));
  if (taken.length === 0) return [];
  const [is, they] =
    taken.length === 1 ? ["1 declared rule is", "it is"] : [`${taken.length} declared rules are`, "they are"];
  const what = `${is} already in the zone and will be adopted as ${they}: ${listed(taken.map(ruleLabel))}.`;
  const isWhole = before === undefined && taken.length === inputs.rules.length;
  const renamed = isWhole
    ? ` If this resource was only renamed, or is recreated by --replace, the original rules recorded by the old resource are lost, unless it is deleted first (deleteBeforeReplace): keep them with aliases: [{ name: "<its old name>" }] in its options.`
    : "";
  const then = afterDestroy(inputs, taken, before?.initial);
  return [infoOn("", "waf-rules-adopted", `${what} ${then}${renamed}`)];
}

/** What a destroy will do with adopted rules from now on. */
function afterDestroy({ onDestroy }: Inputs, taken: readonly Rule[], initial: Initial | undefined): string {
  if (onDestroy === "keep") return `A destroy leaves all rules in force (onDestroy "keep").`;
  if (onDestroy === "remove") return `A destroy deletes what is declared then (onDestroy "remove").`;
  const found = new Set(initial?.rules.map(({ id }) => id));
  const later = initial ? taken.filter(({ id }) => !found.has(id)) : [];
  const restores = `A destroy puts the list back as it was found before the first change (onDestroy "restore")`;
  if (later.length === 0) return `${restores}: with ${taken.length === 1 ? "this rule" : "these rules"}.`;
  return `${restores}: without ${listed(later.map(ruleLabel))}, which were added later.`;
}

function almostThere(inputs: Inputs, { match }: ListMatch): Finding[] {
  const missing = new Map(
    inputs.rules.flatMap((rule, index) => (match.live[index] ? [] : [[index, toRule(rule)] as const])),
  );
  const namesakes = new Set(match.namesakes.map(({ rule }) => rule));
  const others = match.foreign.filter((rule) => !namesakes.has(rule));
  const texts = nearMisses(missing, others).map(
    (one) => `rules[${one.index}] and ${ruleLabel(one.rule)} differ only in ${differsText(inputs, one)}`,
  );
  if (texts.length === 0) return [];
  const message = `the zone has ${texts.length === 1 ? "an unmanaged rule that closely matches a declared rule" : "unmanaged rules that closely match declared rules"}: ${listed(texts)}. Declared exactly as it is there, a rule is adopted instead of created a second time.`;
  return [warningOn("", "waf-rule-near-miss", message)];
}

function differsText({ rules }: Inputs, { index, rule }: RuleAtPlace): string {
  const declared = rules[index];
  return declared ? listed(differences(toRule(declared), rule), { most: 10, separator: ", " }) : "";
}

/** Unmanaged rules that are not in the state. */
export function newForeign(state: State, foreign: readonly Rule[]): Finding[] {
  const recorded = recordedLabels(state);
  if (!recorded) return [];
  const left = new Map<string, number>();
  for (const label of recorded) left.set(label, (left.get(label) ?? 0) + 1);
  const fresh = foreign.filter((rule) => {
    const label = foreignLabel(rule);
    const known = left.get(label) ?? 0;
    left.set(label, known - 1);
    return known <= 0;
  });
  if (fresh.length === 0) return [];
  const message = `${unmanaged(fresh)} ${fresh.length === 1 ? "was" : "were"} added since the last refresh: ${listed(fresh.map(ruleLabel))}. ${whatNext[state.foreignRules ?? "refuse"]}.`;
  return [warningOn("", "waf-foreign-rules-new", message)];
}

const whatNext = {
  refuse: `With foreignRules "refuse" the list is not changed while they are there`,
  keep: `With foreignRules "keep" they stay`,
  overwrite: `With foreignRules "overwrite" the next update deletes them`,
};

/** Whether others have added or taken away rules since the state was written. */
export function isForeignChanged(state: State, foreign: readonly Rule[]): boolean {
  const recorded = recordedLabels(state);
  return recorded !== undefined && !isDeepStrictEqual(recorded, foreignLabels(foreign));
}

/** Undefined: the state was written by a version that did not record them, beside rules of others that it was to keep. */
function recordedLabels({ foreign, foreignRules }: State): readonly string[] | undefined {
  return foreign ?? (foreignRules === "keep" ? undefined : []);
}

/** The output `foreign`. Sorted: moving a rule is no change of it. */
export function foreignLabels(rules: readonly Rule[]): string[] {
  return rules.map(foreignLabel).sort();
}

function foreignLabel({ description, id }: Rule): string {
  const label = shown(description ?? "", { max: 80 });
  return label === "" ? shown(id ?? "(without a name)", { max: 80 }) : label;
}

function unmanaged({ length }: readonly unknown[]): string {
  return `${length} unmanaged ${length === 1 ? "rule" : "rules"}`;
}
