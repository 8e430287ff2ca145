import { Fields, invalid } from "./fields";
import type { JsonObject } from "./json";

/** A rule as it was sent, read strictly. Empty strings in `id`, `version` and `ref` are kept: the caller judges them. */
export interface SentRule {
  readonly id?: string;
  readonly version?: string;
  readonly ref?: string;
  readonly action: string;
  readonly expression: string;
  readonly description?: string;
  readonly enabled: boolean;
  readonly action_parameters?: JsonObject;
  readonly logging?: JsonObject;
}

export interface SentEntrypoint {
  readonly name?: string;
  readonly description?: string;
  readonly rules: readonly SentRule[];
}

export const managedPhase = "http_request_firewall_managed";
const longestExpression = 4096;
const ruleActions = [
  "execute",
  "skip",
  "log",
  "block",
  "challenge",
  "js_challenge",
  "managed_challenge",
] as const;
const overrideActions = ["log", "block", "challenge", "js_challenge", "managed_challenge"] as const;
const sensitivityLevels = ["default", "medium", "low", "eoff"] as const;
const identifier = /^[0-9a-f]{32}$/;

/** Reads the body of an entry point PUT. */
export function readEntrypoint(body: unknown): SentEntrypoint {
  const fields = Fields.of(body, "", ["name", "description", "kind", "phase", "rules"]);
  fields.oneOf("kind", ["zone"]);
  fields.oneOf("phase", [managedPhase]);
  const name = fields.string("name");
  const description = fields.string("description");
  const rules = fields.required("rules", fields.array("rules"));
  const sent = rules.map((rule, index) => readRule(rule, `/rules/${index}`));
  refuseRepeated("id", sent);
  refuseRepeated("ref", sent);
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    rules: sent,
  };
}

/** Reads one rule; `pointer` is its place in the body. */
export function readRule(value: unknown, pointer: string): SentRule {
  const fields = Fields.of(value, pointer, [
    "id",
    "version",
    "ref",
    "action",
    "expression",
    "description",
    "enabled",
    "last_updated",
    "action_parameters",
    "logging",
  ]);
  fields.string("last_updated");
  const texts = {
    id: fields.string("id"),
    version: fields.string("version"),
    ref: fields.string("ref"),
    description: fields.string("description"),
  };
  const action = fields.required("action", fields.oneOf("action", ruleActions));
  const expression = fields.required("expression", fields.string("expression"));
  if (expression.trim() === "") throw invalid(fields.at("expression"), "must not be empty");
  if (expression.length > longestExpression) {
    throw invalid(fields.at("expression"), `must have at most ${longestExpression} characters`);
  }
  const parameters = readParameters(fields, action);
  const logging = fields.object("logging");
  if (logging !== undefined) Fields.of(logging, fields.at("logging"), ["enabled"]).boolean("enabled");
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    action,
    expression,
    enabled: fields.boolean("enabled") ?? true,
    ...(parameters === undefined ? {} : { action_parameters: parameters }),
    ...(logging === undefined ? {} : { logging }),
  };
}

function readParameters(fields: Fields, action: string): JsonObject | undefined {
  const parameters = fields.object("action_parameters");
  const pointer = fields.at("action_parameters");
  if (action === "execute") {
    if (parameters === undefined) throw invalid(pointer, "is required by execute");
    const inside = Fields.of(parameters, pointer, ["id", "version", "overrides", "matched_data"]);
    const id = inside.required("id", inside.string("id"));
    if (!identifier.test(id)) throw invalid(inside.at("id"), "must be 32 hexadecimal characters");
    inside.string("version");
    if (inside.has("overrides")) readOverrides(inside.value("overrides"), inside.at("overrides"));
  } else if (action === "skip") {
    if (parameters === undefined) throw invalid(pointer, "is required by skip");
    const inside = Fields.of(parameters, pointer, ["ruleset", "rulesets", "rules", "phases", "products"]);
    inside.oneOf("ruleset", ["current"]);
    for (const name of ["rulesets", "phases", "products"]) inside.strings(name);
    inside.object("rules");
  } else if (parameters !== undefined) {
    Fields.of(parameters, pointer, ["response"]);
  }
  return parameters;
}

/** An omitted field means "leave it": nothing is filled in, and an override that says nothing is refused. */
function readOverrides(value: unknown, pointer: string): void {
  const fields = Fields.of(value, pointer, ["action", "enabled", "rules", "categories", "sensitivity_level"]);
  readEffect(fields);
  const rules = fields.array("rules") ?? [];
  const seen = new Set<string>();
  rules.forEach((rule, index) => {
    const at = `${fields.at("rules")}/${index}`;
    const inside = Fields.of(rule, at, ["id", "action", "enabled", "score_threshold", "sensitivity_level"]);
    const id = inside.required("id", inside.string("id"));
    if (!identifier.test(id)) throw invalid(inside.at("id"), "must be 32 hexadecimal characters");
    if (seen.has(id)) throw invalid(inside.at("id"), "is overridden twice");
    seen.add(id);
    const scored = inside.number("score_threshold") !== undefined;
    if (!readEffect(inside) && !scored) throw invalid(at, "overrides nothing");
  });
  (fields.array("categories") ?? []).forEach((category, index) => {
    const at = `${fields.at("categories")}/${index}`;
    const inside = Fields.of(category, at, ["category", "action", "enabled", "sensitivity_level"]);
    inside.required("category", inside.string("category"));
    if (!readEffect(inside)) throw invalid(at, "overrides nothing");
  });
}

function readEffect(fields: Fields): boolean {
  const action = fields.oneOf("action", overrideActions);
  const enabled = fields.boolean("enabled");
  const level = fields.oneOf("sensitivity_level", sensitivityLevels);
  return action !== undefined || enabled !== undefined || level !== undefined;
}

/** Each value at most once among the rules; empty ones do not count. */
export function refuseRepeated(
  name: "id" | "ref",
  rules: readonly Partial<Record<"id" | "ref", string>>[],
): void {
  const seen = new Set<string>();
  for (const [index, { [name]: value }] of rules.entries()) {
    if (value === undefined || value === "") continue;
    if (seen.has(value)) throw invalid(`/rules/${index}/${name}`, `"${value}" is used by another rule`);
    seen.add(value);
  }
}
