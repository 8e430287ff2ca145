import type { Rule } from "../../api/client-types";
import { canonical } from "../../text/data";
import { shown } from "../../text/shown";
import { valueAt } from "../properties";
import { fromRule } from "./rule-input";
import type { RuleAtPlace } from "./rule-match";
import { meaningOf, type RuleMeaning, ruleParts } from "./rule-meaning";

/** What keeps a rule from being the declared one, field by field: `enabled (there false, here true)`. */
export function differences(declared: Rule, live: Rule): string[] {
  return differingFields(declared, live).map(
    (field) => `${shown(field)} (there ${shownValue(live, field)}, here ${shownValue(declared, field)})`,
  );
}

/** The fields in which a rule is not the declared one. Their names may be of the service's making. */
export function differingFields(declared: Rule, live: Rule): string[] {
  const [wanted, there] = [meaningOf(declared), meaningOf(live)];
  const parts = ruleParts.filter((part) => wanted.parts[part] !== there.parts[part]);
  const extras = [...wanted.extras.keys()].filter(
    (name) => wanted.extras.get(name) !== there.extras.get(name),
  );
  return [...parts, ...extras];
}

const defaults: Readonly<Record<string, unknown>> = { enabled: true, description: "" };

function shownValue(rule: Rule, field: string): string {
  const text = JSON.stringify(valueAt(fromRule(rule), pathOf(field)) ?? defaults[field]);
  return text === undefined ? "nothing" : shown(text, { max: 80 });
}

/** Longest first. */
const furtherPlaces = ["actionParameters.overrides.extra", "actionParameters.extra", "extra"];

/** The name of a further field may hold dots itself. */
function pathOf(field: string): string[] {
  const place = furtherPlaces.find((further) => field.startsWith(`${further}.`));
  return place === undefined ? field.split(".") : [...place.split("."), field.slice(place.length + 1)];
}

/** For each of the declared rules that have no live one the first that is it but for one field. */
export function nearMisses(declared: ReadonlyMap<number, Rule>, others: readonly Rule[]): RuleAtPlace[] {
  const byRest = new Map<string, Rule>();
  for (const rule of others) {
    for (const rest of rests(meaningOf(rule))) if (!byRest.has(rest)) byRest.set(rest, rule);
  }
  return [...declared].flatMap(([index, rule]) => {
    const near = rests(meaningOf(rule)).find((rest) => byRest.has(rest));
    const found = near === undefined ? undefined : byRest.get(near);
    return found ? [{ index, rule: found }] : [];
  });
}

/** The meaning without one field, for each field. */
function rests(meaning: RuleMeaning): string[] {
  const extras = canonical(Object.fromEntries(meaning.extras));
  const whole: Readonly<Record<string, string>> = { ...meaning.parts, extras };
  // Two rules without a name that match different things have nothing to do with each other.
  const mayDiffer = (field: string) => field !== "expression" || meaning.parts.description !== "";
  const fields = Object.keys(whole).filter(mayDiffer);
  return fields.map((field) => JSON.stringify({ ...whole, [field]: null }));
}
