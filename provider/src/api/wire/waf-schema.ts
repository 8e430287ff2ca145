import { z } from "zod";
import type {
  ActionParameters,
  Compatibility,
  Entrypoint,
  Extra,
  Overrides,
  Rule,
  RuleOverride,
  UriOverride,
  WafConfiguration,
  WafStatus,
} from "../client-types";
import { compact, flag, listOf, maybe, unknownFields, word } from "./schema-parts";

/** Answers of the WAF migration API and of the entry point (the WAF migration document, public schemas). */

const text = maybe(z.string());
const bool = maybe(flag);
const id = maybe(word);

const ruleOverrideFields = { id: word, action: text, enabled: bool };
const ruleOverrideSchema = z.looseObject(ruleOverrideFields).transform(
  (wire): RuleOverride =>
    compact({
      id: wire.id,
      action: wire.action,
      enabled: wire.enabled,
      extra: unknownFields(wire, ruleOverrideFields),
    }),
);

const overridesFields = { action: text, enabled: bool, rules: maybe(z.array(ruleOverrideSchema)) };
const overridesSchema = z.looseObject(overridesFields).transform(
  (wire): Overrides =>
    compact({
      action: wire.action,
      enabled: wire.enabled,
      rules: wire.rules,
      extra: unknownFields(wire, overridesFields),
    }),
);

const parametersFields = { id, overrides: maybe(overridesSchema) };
const parametersSchema = z
  .looseObject(parametersFields)
  .transform(
    (wire): ActionParameters =>
      compact({ id: wire.id, overrides: wire.overrides, extra: unknownFields(wire, parametersFields) }),
  );

const ruleFields = {
  id,
  version: id,
  ref: text,
  action: z.string(),
  expression: z.string(),
  description: text,
  enabled: bool,
  action_parameters: maybe(parametersSchema),
  last_updated: text,
};
const ruleSchema = z.looseObject(ruleFields).transform(
  (wire): Rule =>
    compact({
      id: wire.id,
      version: wire.version,
      ref: wire.ref,
      action: wire.action,
      expression: wire.expression,
      description: wire.description,
      enabled: wire.enabled,
      actionParameters: wire.action_parameters,
      lastUpdated: wire.last_updated,
      extra: unknownFields(wire, ruleFields),
    }),
);

/** `rules` may be left out when the list is empty. */
const rules = listOf(ruleSchema)
  .optional()
  .transform((list): readonly Rule[] => list ?? []);

export const entrypointSchema = z
  .looseObject({ id, name: text, description: text, version: id, last_updated: text, rules })
  .transform(
    (wire): Entrypoint =>
      compact({
        rulesetId: wire.id,
        name: wire.name,
        description: wire.description,
        version: wire.version,
        lastUpdated: wire.last_updated,
        rules: wire.rules,
      }),
  );

const compatibilityFields = { compatible: flag, migration_state: id };
export const compatibilitySchema = z.looseObject(compatibilityFields).transform(
  (wire): Compatibility =>
    compact({
      compatible: wire.compatible,
      migrationState: wire.migration_state,
      extra: unknownFields(wire, compatibilityFields) ?? {},
    }),
);

export const wafConfigurationSchema = z
  .looseObject({ name: text, rules })
  .transform((wire): WafConfiguration => ({ name: wire.name ?? "", rules: wire.rules }));

export const wafStatusSchema = z.record(z.string(), z.unknown()).transform(readStatus);

/** Hints only: no document names the fields. */
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
  const votes = new Set(
    Object.entries(record)
      .filter(([key]) => likely.test(key))
      .map(([, value]) => truth(value))
      .filter((value) => value !== undefined),
  );
  // Two keys that contradict each other tell nothing.
  return votes.size === 1 ? [...votes][0] : undefined;
}

function truth(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") {
    if (/^(on|true|enabled|active|running|deployed)$/i.test(value.trim())) return true;
    if (/^(off|false|disabled|inactive|stopped|none)$/i.test(value.trim())) return false;
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  // `{"old_waf": {"enabled": true}}`
  for (const [key, inner] of Object.entries(value)) {
    if (/^(enabled|status|state|active)$/i.test(key) && typeof inner !== "object") return truth(inner);
  }
  return undefined;
}

export const uriOverrideListSchema = listOf(
  z
    .looseObject({ id: word, description: text, urls: maybe(z.array(z.string())) })
    .transform(
      (wire): UriOverride => compact({ id: wire.id, description: wire.description, urls: wire.urls ?? [] }),
    ),
);
