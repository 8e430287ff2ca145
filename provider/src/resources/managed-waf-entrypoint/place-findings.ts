import type { Rule } from "../../api/client-types";
import { type Finding, makeError, makeWarning } from "../../model/finding";
import { containsUnknown } from "../../model/unknown";
import { parseRules } from "../../model/waf-rules/rule-input";
import { ruleLabel } from "../../model/waf-rules/rule-label";
import { findChangedPlaces, idleSkips } from "../../model/waf-rules/rule-places";
import { clean, enumerate } from "../../text/shown";
import type { ListMatch } from "./ownership";
import { isOrderChanged, makeDesiredList } from "./rule-list";
import { defaultOrder, type Inputs, type State } from "./state";

/** Maximum number of pairs of rules in a message (`mostNamed`), and in its data (`mostPairs`). */
const mostNamed = 5;
const mostPairs = 50;

/** Returns the findings about the declared order that need no request. */
export function orderFindings(order: unknown, foreignRules: unknown, rules: unknown): Finding[] {
  if (foreignRules === "keep" || containsUnknown([order, foreignRules])) return [];
  const message = `order requires foreignRules "keep": otherwise the list has no unmanaged rules. Remove order, or set foreignRules to "keep".`;
  const wrong = order === undefined ? [] : [makeError("order", "input-invalid", message)];
  const declared = containsUnknown(rules) ? [] : parseRules(rules);
  return [...wrong, ...idleFindings(declared, declared)];
}

/** Returns the findings of a preview about the places of rules in the list to write. `before`: the state. */
export function placeFindings(inputs: Inputs, seen: ListMatch, before: State | undefined): Finding[] {
  if (!seen.list) return [];
  const list = makeDesiredList(inputs, seen, before);
  const isKept = inputs.foreignRules === "keep";
  const foreign = new Set(isKept ? seen.match.foreign : []);
  const written = list.map(({ rule }) => rule);
  const declared = written.filter((rule) => !foreign.has(rule));
  // If all rules are declared, `orderFindings` has already reported the idle ones.
  const idle = isKept ? idleFindings(written, declared) : [];
  const pairs = findChangedPlaces(seen.list.rules, list);
  const isMoving = foreign.size > 0 && isOrderChanged(inputs, before);
  if (pairs.length === 0 && !isMoving) return idle;
  const side = (inputs.order ?? defaultOrder) === "afterForeign" ? "behind" : "ahead of";
  const moving = `order has changed: this update moves all declared rules ${side} the unmanaged rules`;
  const named = pairs.map((pair) => ({ first: ruleLabel(pair.first), second: ruleLabel(pair.second) }));
  const texts = named.map(({ first, second }) => `${first} will run before ${second}`);
  const changing = `rules change places: ${enumerate(texts, { most: mostNamed })}`;
  const message = [...(isMoving ? [moving] : []), ...(pairs.length > 0 ? [changing] : [])].join("; ");
  const property = isMoving ? "order" : "rules";
  const data = { pairs: named.slice(0, mostPairs) };
  return [...idle, makeWarning(property, "waf-rules-reordered", `${message}.`, data)];
}

/** Warns of declared rules that skip nothing in this list. */
function idleFindings(list: readonly Rule[], declared: readonly Rule[]): Finding[] {
  return idleSkips(list).flatMap((rule) => {
    const index = declared.indexOf(rule);
    if (index < 0) return [];
    const called = rule.description ? ` "${clean(rule.description, { max: 80 })}"` : "";
    const message = `the rule${called} skips nothing: no rule that runs a managed ruleset (execute) follows it in the list. Move it before the rules that it is an exception to. If those rules are unmanaged, set order to "beforeForeign".`;
    return [makeWarning(`rules[${index}]`, "waf-skips-nothing", message)];
  });
}
