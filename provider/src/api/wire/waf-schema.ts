import * as z from "zod";
import type {
  Compatibility,
  Entrypoint,
  Extra,
  Rule,
  UriOverride,
  WafConfiguration,
  WafStatus,
} from "../client-types";
import { compact, fields, fieldsAndExtra, flag, lenientList, maybe, word } from "./schema-parts";

/** Schemas for responses of the WAF migration API and of the entry point (from the WAF migration document and public schemas). */

const text = maybe(z.string());
const bool = maybe(flag);
const id = maybe(word);

const ruleOverride = fieldsAndExtra({ id: word, action: text, enabled: bool });
const overrides = fieldsAndExtra({ action: text, enabled: bool, rules: maybe(z.array(ruleOverride)) });
const ruleSchema: z.ZodType<Rule> = fieldsAndExtra({
  id,
  version: id,
  ref: text,
  action: z.string(),
  expression: z.string(),
  description: text,
  enabled: bool,
  action_parameters: maybe(fieldsAndExtra({ id, overrides: maybe(overrides) })),
  last_updated: text,
});

/** Rules of an entry point. The service can omit `rules` when the list is empty. */
const rules = lenientList(ruleSchema)
  .optional()
  .transform((list): readonly Rule[] => list ?? []);

/**
 * Accepts only objects with at least one of the fields `keys`. If any other object were read as an empty list, the next write
 * would delete all the zone's rules.
 */
function withAnyOf(...keys: ("id" | "rules")[]) {
  const hasOne = (wire: object) => keys.some((key) => key in wire);
  return z.looseObject({}).refine(hasOne, { error: `expected ${keys.join(" or ")}` });
}

export const entrypointSchema: z.ZodType<Entrypoint> = withAnyOf("id", "rules")
  .pipe(fields({ id, name: text, description: text, version: id, last_updated: text, rules }))
  .transform(({ id: rulesetId, ...rest }) => compact({ rulesetId, ...rest }));

export const compatibilitySchema: z.ZodType<Compatibility> = fieldsAndExtra({
  compatible: flag,
  migration_state: id,
}).transform((answer) => ({ extra: {}, ...answer }));

export const wafConfigurationSchema: z.ZodType<WafConfiguration> = withAnyOf("rules")
  .pipe(fields({ name: text, rules }))
  .transform(({ name = "", rules: proposed }) => ({ name, rules: proposed }));

export const wafStatusSchema = z.record(z.string(), z.unknown()).transform(readStatus);

/** Guesses the status from a response. No API document names the fields of this response. */
function readStatus(record: Extra): WafStatus {
  const state = record["migration_state"] ?? record["migration_mode"] ?? record["mode"];
  return compact({
    migrationState: typeof state === "string" ? state : undefined,
    oldEnabled: hint(record, "old"),
    newEnabled: hint(record, "new"),
    record,
  });
}

function hint(record: Extra, which: "old" | "new"): boolean | undefined {
  const exact = truth(record[`${which}_waf_status`]);
  if (exact !== undefined) return exact;
  const likely = new RegExp(
    `(^|_)${which}(_|$).*(waf|status|enabled|state)|(waf|status|enabled|state).*(^|_)${which}(_|$)|^${which}$`,
    "i",
  );
  const named = Object.entries(record).filter(([key]) => likely.test(key));
  const votes = new Set(named.flatMap(([, value]) => truth(value) ?? []));
  // Keys that contradict each other prove nothing, so the result is undefined.
  return votes.size === 1 ? [...votes][0] : undefined;
}

function truth(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") {
    if (/^(on|true|enabled|active|running|deployed)$/i.test(value.trim())) return true;
    return /^(off|false|disabled|inactive|stopped|none)$/i.test(value.trim()) ? false : undefined;
  }
  // `{"old_waf": {"enabled": true}}`
  const known = Object.entries(Object(value)).find(
    ([key, inner]) => /^(enabled|status|state|active)$/i.test(key) && typeof inner !== "object",
  );
  return known && truth(known[1]);
}

export const uriOverrideListSchema = lenientList<z.ZodType<UriOverride>>(
  fields({ id: word, description: text, urls: maybe(z.array(z.string())) }).transform(
    ({ urls = [], ...rest }) => ({ urls, ...rest }),
  ),
);
