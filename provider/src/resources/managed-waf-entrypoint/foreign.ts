import { isDeepStrictEqual } from "node:util";
import type { Rule } from "../../api/client-types";
import { type Finding, warningOn } from "../../lifecycle/finding";
import { listed } from "../../text/listed";
import { shown } from "../../text/shown";
import { ruleLabel } from "../../waf-rules/rule-label";
import type { State } from "./state";

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

export function unmanaged({ length }: readonly unknown[]): string {
  return `${length} unmanaged ${length === 1 ? "rule" : "rules"}`;
}
