import type { Rule } from "../../api/client-types";
import { ForeignRulesError } from "../../errors/foreign-rules-error";
import type { Finding } from "../../lifecycle/finding";
import { isSameRule, type RuleMatch } from "../waf-rule/rule-match";
import { fromRecord, meaningOf } from "./recorded-rule";
import { withIdentity } from "./rule-list";
import type { Initial, Inputs, State } from "./state";

export function refuseForeign(inputs: Inputs, { foreign }: RuleMatch): void {
  if (foreign.length === 0 || (inputs.foreignRules ?? "refuse") !== "refuse") return;
  throw new ForeignRulesError(inputs.zoneId, foreign.map(ruleLabel));
}

export function foreignFindings(inputs: Inputs, matched: RuleMatch): readonly Finding[] {
  refuseForeign(inputs, matched);
  const { foreign } = matched;
  if (foreign.length === 0 || inputs.foreignRules !== "overwrite") return [];
  const count = foreign.length === 1 ? "1 rule" : `${foreign.length} rules`;
  const message = `foreignRules is "overwrite": ${count} of somebody else will be deleted: ${foreign.map(ruleLabel).join("; ")}.`;
  return [{ severity: "warning", property: "", message }];
}

/** How a person finds the rule again. */
function ruleLabel(rule: Rule): string {
  const called = rule.description ? `"${rule.description}"` : "(no description)";
  const runs = rule.actionParameters?.id ? ` ${rule.actionParameters.id}` : "";
  return `${called}, ${rule.action}${runs} if ${rule.expression}${rule.id ? `, id ${rule.id}` : ""}`;
}

export function takenIds(inputs: Inputs, { live, foreign }: RuleMatch, initial: Initial): string[] {
  const overwritten = inputs.foreignRules === "overwrite" ? foreign : [];
  const ids = [...live, ...overwritten].flatMap((rule) => (rule?.id === undefined ? [] : [rule.id]));
  const found = new Set(initial.rules.map((rule) => rule.id));
  return [...new Set([...initial.taken, ...ids.filter((id) => found.has(id))])];
}

/**
 * The list as found, as far as it was this resource that changed it: rules taken over or overwritten come back, our
 * own go, and what others did since stays.
 */
export function restored(state: State, live: readonly Rule[]): Rule[] {
  const { initial } = state;
  if (!initial) return withoutOurs(state, live);
  const ours = new Set(ownRules(state, live));
  const taken = new Set(initial.taken);
  const used = new Set<Rule>();
  const returning = initial.rules.flatMap((rule): Rule[] => {
    const byId = live.find((candidate) => candidate.id !== undefined && candidate.id === rule.id);
    const isOurs = rule.id !== undefined && taken.has(rule.id);
    const still =
      byId ?? (isOurs ? [...ours].find((candidate) => isSameRule(meaningOf(rule), candidate)) : undefined);
    if (still) used.add(still);
    if (!isOurs) return still && !ours.has(still) ? [still] : [];
    // The service forgets the id of a deleted rule.
    const { id, ...anew } = fromRecord(rule);
    return [still ? withIdentity(withoutServerRef(anew, id), still) : withoutServerRef(anew, id)];
  });
  return [...returning, ...live.filter((rule) => !ours.has(rule) && !used.has(rule))];
}

/** A ref that the service made is the id of the rule: sent for a rule that is gone, it would be taken for a name. */
function withoutServerRef({ ref, ...rule }: Rule, id: string | undefined): Rule {
  return ref === undefined || ref === id ? rule : { ...rule, ref };
}

export function withoutOurs(state: State, live: readonly Rule[]): Rule[] {
  const ours = new Set(ownRules(state, live));
  return live.filter((rule) => !ours.has(rule));
}

/**
 * The live rules that are this resource's: those with a recorded id, else with the recorded meaning. A migration
 * update gives every rule a new id.
 */
export function ownRules(state: State, live: readonly Rule[] = []): readonly Rule[] {
  const records = (state.rules ?? []).filter((rule) => rule.foreign !== true);
  const ids = new Set(records.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const own = new Set(live.filter((rule) => rule.id !== undefined && ids.has(rule.id)));
  const seen = new Set([...own].map((rule) => rule.id));
  for (const lost of records.filter((rule) => rule.id === undefined || !seen.has(rule.id))) {
    const found = live.find((rule) => !own.has(rule) && isSameRule(meaningOf(lost), rule));
    if (found) own.add(found);
  }
  return live.filter((rule) => own.has(rule));
}
