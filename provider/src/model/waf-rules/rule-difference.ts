import type { Rule } from "../../api/client-types";
import { canonicalize } from "../../text/data";
import { clean } from "../../text/shown";
import { getAtPath, type Properties } from "../properties";
import { fromRule } from "./rule-input";
import { toRuleMeaning } from "./rule-meaning";

/**
 * Returns the names of the fields in which a live rule differs from the declared one. A field of an `extra` object is compared
 * only if the declared rule has it.
 */
export function differingFields(declared: Rule, live: Rule): string[] {
  const [wanted, there] = [toRuleMeaning(declared), toRuleMeaning(live)];
  const isOther = (name: string): boolean => wanted.extras.get(name) !== there.extras.get(name);
  return [
    ...Object.keys(wanted.parts).filter((part) => wanted.parts[part] !== there.parts[part]),
    ...[...wanted.extras.keys()].filter(isOther),
  ];
}

/** Returns a rule as programs declare it, with defaults for the fields that it leaves out. */
export function readFields(rule: Rule): Properties {
  return { enabled: true, description: "", ...fromRule(rule) };
}

/** Returns one string for each field in which a rule differs: `enabled (in the zone: false, in this stack: true)`. */
export function differences(declared: Rule, live: Rule): string[] {
  const shownValue = (rule: Rule, field: string): string => {
    const value = getAtPath(readFields(rule), field.split("."));
    const text = toRuleMeaning(rule).extras.get(field) ?? JSON.stringify(value) ?? "nothing";
    return clean(text, { max: 80 });
  };
  return differingFields(declared, live).map(
    (field) =>
      `${clean(field)} (in the zone: ${shownValue(live, field)}, in this stack: ${shownValue(declared, field)})`,
  );
}

/** Returns pairs of rules that differ in a single field: a declared rule, and a rule from `others`. */
export function nearMisses(declared: readonly Rule[], others: readonly Rule[]) {
  const byRest = new Map<string, Rule>();
  for (const rule of others) {
    for (const rest of rests(rule)) if (!byRest.has(rest)) byRest.set(rest, rule);
  }
  return declared.flatMap((one) => {
    const rule = byRest.get(rests(one).find((rest) => byRest.has(rest)) ?? "");
    return rule ? [{ declared: one, rule }] : [];
  });
}

/** Returns a string for each field of a rule: the meaning of the rule without this field. */
function rests(rule: Rule): string[] {
  const { parts, extras } = toRuleMeaning(rule);
  const whole = { ...parts, extras: canonicalize(Object.fromEntries(extras)) };
  // Rules without a description are unrelated if their expressions differ.
  const fields = Object.keys(whole).filter((field) => field !== "expression" || parts["description"] !== "");
  return fields.map((field) => JSON.stringify({ ...whole, [field]: null }));
}
