import type { Rule } from "../../api/client-types";
import { compact } from "../../api/wire/schema-parts";
import { omit } from "../../lifecycle/hidden-inputs";
import { asRecorded } from "../../lifecycle/state";
import type { Properties } from "../../model/properties";
import { anyWafRule, fromRule, toRule, type WafRuleInput } from "../../model/waf-rules/rule-input";
import { hasOwnRef, isSameDeclaration } from "../../model/waf-rules/rule-match";
import type { RecordedRule } from "./state";

const undeclaredFields = ["id", "ref", "version", "lastUpdated", "foreign", "isRefDeclared"];

/** Returns a live rule in the form of the state: with the program's field names, and with fields that the service created. */
export function toRecorded(rule: Rule): RecordedRule {
  return { ...(fromRule(rule) as Pick<RecordedRule, "action" | "expression">), ...serverFields(rule) };
}

function serverFields({ id, ref, version, lastUpdated }: Partial<Rule> = {}) {
  return compact({ id, ref, version, lastUpdated });
}

export function addServerFields(rule: WafRuleInput, live: Rule | undefined): RecordedRule {
  const isRefDeclared = rule.ref !== undefined && rule.ref === live?.id;
  return { ...rule, ...serverFields(live), ...(isRefDeclared && { isRefDeclared }) };
}

export function fromRecord(record: RecordedRule): Rule {
  const { id, ref } = record;
  const { ref: _name, ...rule } = toRule(asRecorded("a rule of the list", () => anyWafRule.parse(record)));
  return { ...rule, ...compact({ id, ref }) };
}

/**
 * Returns a live rule as the program would declare it: spelled as in the state if the meaning is the same, and without fields
 * that only the service has filled in. `isImport`: whether to declare a `ref` that the service created, as `page-guard export`
 * does.
 */
export function asDeclared(
  live: Rule,
  before: RecordedRule | undefined,
  isImport = false,
): { declared: Properties; recorded: RecordedRule } {
  const seen = before ? withoutDefaults(fromRule(live), before) : fromRule(live);
  const words = before && isSameMeaning(before, seen) ? omit(before, undeclaredFields) : seen;
  const isRefDeclared = hasOwnRef(live) || isImport || before?.isRefDeclared === true;
  const declared = isRefDeclared ? { ...words, ref: live.ref } : words;
  const record = { ...(declared as Pick<RecordedRule, "action" | "expression">), ...serverFields(live) };
  return {
    declared,
    recorded: isRefDeclared && !hasOwnRef(live) ? { ...record, isRefDeclared } : record,
  };
}

function isSameMeaning(before: RecordedRule, seen: Properties): boolean {
  const now = anyWafRule.safeParse(seen);
  return now.success && isSameDeclaration(fromRecord(before), toRule(now.data));
}

/** Drops fields that have their default value if the state does not have them. */
function withoutDefaults(whole: Properties, before: RecordedRule): Properties {
  const defaults: Properties = { enabled: true, description: "" };
  const others = Object.entries(whole).filter(
    ([field, value]) => before[field] !== undefined || value !== defaults[field],
  );
  return withKnownExtras(Object.fromEntries(others), before);
}

/**
 * Drops fields of `extra` objects, at any depth, that the state does not have, because they are not drift. Compares overrides
 * with those in the state for the same rule or category, not at the same position.
 */
function withKnownExtras(value: Properties, before: Properties): Properties {
  const kept = Object.entries(value).flatMap(([field, entry]): [string, unknown][] => {
    if (field !== "extra" && Array.isArray(entry)) {
      const known = new Map([before[field]].flat().map((item) => [nameOverride(item), item]));
      const knownOf = (item: unknown): Properties => ({ ...Object(known.get(nameOverride(item))) });
      return [[field, entry.map((item: unknown) => withKnownExtras({ ...Object(item) }, knownOf(item)))]];
    }
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return [[field, entry]];
    const known: Properties = { ...Object(before[field]) };
    if (field !== "extra") return [[field, withKnownExtras({ ...entry }, known)]];
    const extras = Object.entries(entry).filter(([name]) => name in known);
    return extras.length === 0 ? [] : [[field, Object.fromEntries(extras)]];
  });
  return Object.fromEntries(kept);
}

function nameOverride(item: unknown): unknown {
  const { id, category }: Properties = Object(item);
  return id ?? category;
}
