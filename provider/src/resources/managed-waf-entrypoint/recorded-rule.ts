import type { Rule } from "../../api/client-types";
import { compact } from "../../api/wire/schema-parts";
import { without } from "../../lifecycle/hidden-inputs";
import { asRecorded } from "../../lifecycle/state";
import type { Properties } from "../../model/properties";
import { anyWafRule, fromRule, toRule } from "../../model/waf-rules/rule-input";
import { isNamed, isSameDeclaration } from "../../model/waf-rules/rule-match";
import type { Recorded } from "./state";

/** A live rule under the program's names, with what the service made of it. */
export function recorded(live: Rule): Recorded {
  return recordedAs(fromRule(live), live);
}

export function recordedAs(declared: Properties, live: Rule): Recorded {
  return { ...(declared as Pick<Recorded, "action" | "expression">), ...serverFields(live) };
}

export function serverFields({ id, ref, version, lastUpdated }: Partial<Rule> = {}) {
  return compact({ id, ref, version, lastUpdated });
}

export function fromRecord(record: Recorded): Rule {
  const { id, ref } = record;
  const { ref: _name, ...rule } = toRule(asRecorded("a rule of the list", () => anyWafRule.parse(record)));
  return { ...rule, ...compact({ id, ref }) };
}

const serverMade = ["id", "ref", "version", "lastUpdated", "foreign"];
const defaults: Properties = { enabled: true, description: "" };

/**
 * A live rule as the program would have to declare it: in the program's own words where it says the same, and without
 * what the program left out and the service filled in.
 */
export function asDeclared(live: Rule, before: Recorded | undefined): Properties {
  const whole = fromRule(live);
  const spoken = Object.entries(whole).filter(
    ([field, value]) => before?.[field] !== undefined || value !== defaults[field],
  );
  const seen = before ? withKnownExtras(Object.fromEntries(spoken), before) : whole;
  const now = anyWafRule.safeParse(seen).data;
  const isSame = before && now && isSameDeclaration(fromRecord(before), toRule(now));
  const words = isSame ? without(before, serverMade) : seen;
  return isNamed(live) ? { ...words, ref: live.ref } : words;
}

/** Fields that the program has never spoken of are no drift. Works at any depth, for the objects named `extra`. */
function withKnownExtras(value: Properties, before: Properties): Properties {
  const kept = Object.entries(value).flatMap(([field, entry]): [string, unknown][] => {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return [[field, entry]];
    const known: Properties = { ...Object(before[field]) };
    if (field !== "extra") return [[field, withKnownExtras({ ...entry }, known)]];
    const extras = Object.entries(entry).filter(([name]) => name in known);
    return extras.length === 0 ? [] : [[field, Object.fromEntries(extras)]];
  });
  return Object.fromEntries(kept);
}
