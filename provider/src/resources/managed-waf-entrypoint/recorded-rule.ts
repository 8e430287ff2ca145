import type { Rule } from "../../api/client-types";
import type { Properties } from "../../lifecycle/kind";
import { anyWafRule, fromRule, toRule } from "../waf-rule/rule-input";
import { isSameRule } from "../waf-rule/rule-match";
import type { Recorded, State } from "./state";

/** A live rule under the program's names, with what the service made of it. */
export function recorded(rule: Rule): Recorded {
  return { ...(fromRule(rule) as Pick<Recorded, "action" | "expression">), ...serverFields(rule) };
}

export function serverFields(
  rule: Rule | undefined,
): Pick<Recorded, "id" | "ref" | "version" | "lastUpdated"> {
  if (!rule) return {};
  const { id, ref, version, lastUpdated } = rule;
  return Object.fromEntries(
    Object.entries({ id, ref, version, lastUpdated }).filter(([, value]) => value !== undefined),
  );
}

export function fromRecord({
  id,
  ref,
  version: _version,
  lastUpdated: _updated,
  foreign: _foreign,
  ...declared
}: Recorded): Rule {
  const rule = toRule(anyWafRule.parse(declared));
  return { ...rule, ...(id !== undefined && { id }), ...(ref !== undefined && { ref }) };
}

/** What a recorded rule does, without what identifies it. */
export function meaningOf(record: Recorded): Rule {
  const { id: _id, ref: _ref, ...meaning } = fromRecord(record);
  return meaning;
}

/** A live rule as the program would have to declare it; what the program left out and the service filled in stays out. */
export function asDeclared(
  live: Rule,
  before: Recorded | undefined,
): { declared: Properties; recorded: Recorded } {
  const whole = fromRule(live);
  const defaults: Record<string, unknown> = { enabled: true, description: "" };
  const declared = Object.fromEntries(
    Object.entries(whole).filter(([field, value]) => {
      if (!before) return true;
      if (field === "extra") return before.extra !== undefined;
      return before[field] !== undefined || value !== defaults[field];
    }),
  );
  if (live.ref !== undefined && live.ref !== live.id) declared["ref"] = live.ref;
  if (before) onlyKnownExtras(declared, before);
  return {
    declared,
    recorded: { ...(declared as Pick<Recorded, "action" | "expression">), ...serverFields(live) },
  };
}

/** Fields that the program has never spoken of are no drift. Works at any depth, for the objects named `extra`. */
function onlyKnownExtras(value: Record<string, unknown>, before: Readonly<Record<string, unknown>>): void {
  for (const [field, entry] of Object.entries(value)) {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) continue;
    const known = before[field];
    const knownFields = typeof known === "object" && known !== null ? { ...known } : {};
    const copy: Record<string, unknown> = { ...entry };
    if (field === "extra") {
      for (const name of Object.keys(copy)) if (!(name in knownFields)) delete copy[name];
    } else {
      onlyKnownExtras(copy, knownFields);
    }
    if (field === "extra" && Object.keys(copy).length === 0) delete value[field];
    else value[field] = copy;
  }
}

export function recordOf(state: State, rule: Rule): Recorded | undefined {
  return (
    state.rules?.find((mine) => mine.id === rule.id) ??
    state.rules?.find((mine) => isSameRule(meaningOf(mine), rule))
  );
}
