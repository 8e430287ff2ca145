import { Fields, invalid } from "../wire/fields";
import { isRecord, present } from "../wire/json";
import { BoundedPattern } from "../wire/pattern";
import type { FaultKind, FaultRoute, FaultSpec } from "./faults";

const routeFields = [
  ...["method", "path", "pathPattern", "query", "zoneId", "skip", "count", "probability", "seed"],
  "kind",
];

const answerFields = ["retryAfter", "code", "message", "when"];
const ownFields: Readonly<Record<FaultKind, readonly string[]>> = {
  "reset-before": [],
  "reset-after": [],
  truncate: [],
  normalise: [],
  hang: ["when"],
  latency: ["ms"],
  "429": answerFields,
  "500": answerFields,
  "502": answerFields,
  "503": answerFields,
  status: ["status", ...answerFields],
  html: ["status", "when"],
  "success-false": ["code", "message", "when"],
  "extra-fields": ["fields"],
  "missing-fields": ["fields"],
  shift: ["move"],
};

function isKind(kind: unknown): kind is FaultKind {
  return typeof kind === "string" && Object.hasOwn(ownFields, kind);
}

/** A fault as JSON: as `FaultSpec`, with `pathPattern` (source of a regular expression) for an expression in `path`. */
export function readFault(body: unknown): FaultSpec {
  const kind = isRecord(body) ? body["kind"] : undefined;
  if (!isKind(kind)) throw invalid("/kind", "is not a kind of fault");
  const fields = Fields.of(body, "", [...routeFields, ...ownFields[kind]]);
  const fault = {
    ...readRoute(fields),
    ...present({
      when: fields.oneOf("when", ["before", "after"]),
      code: fields.number("code"),
      message: fields.string("message"),
    }),
    ...readRetryAfter(fields),
  };
  switch (kind) {
    case "latency":
      return { ...fault, kind, ms: fields.required("ms", fields.number("ms")) };
    case "status":
      return { ...fault, kind, status: fields.required("status", fields.number("status")) };
    case "html":
      return { ...fault, kind, ...present({ status: fields.number("status") }) };
    case "extra-fields":
      return { ...fault, kind, ...present({ fields: fields.object("fields") }) };
    case "missing-fields":
      return { ...fault, kind, fields: fields.required("fields", fields.strings("fields")) };
    case "shift":
      return { ...fault, kind, ...present({ move: fields.oneOf("move", ["insert", "remove", "touch"]) }) };
    default:
      return { ...fault, kind };
  }
}

function readRoute(fields: Fields): FaultRoute {
  const pattern = fields.string("pathPattern");
  return present({
    method: fields.string("method"),
    path: pattern === undefined ? fields.string("path") : new BoundedPattern(pattern),
    query: fields.string("query"),
    zoneId: fields.string("zoneId"),
    skip: fields.number("skip"),
    count: fields.number("count"),
    probability: fields.number("probability"),
    seed: fields.number("seed"),
  });
}

function readRetryAfter(fields: Fields): { retryAfter?: number | string } {
  const value = fields.value("retryAfter");
  if (value === undefined) return {};
  if (typeof value === "number" || typeof value === "string") return { retryAfter: value };
  throw invalid("/retryAfter", "must be a number of seconds or a string");
}
