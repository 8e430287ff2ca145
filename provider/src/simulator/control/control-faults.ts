import { Fields, invalid } from "../wire/fields";
import { isRecord } from "../wire/json";
import { BoundedPattern } from "../wire/pattern";
import { present } from "../wire/present";
import type { FaultRoute, FaultSpec } from "./faults";

const routeFields = [
  ...["method", "path", "pathPattern", "query", "zoneId", "skip", "count", "probability", "seed"],
  "kind",
];

/** A fault as JSON: as `FaultSpec`, with `pathPattern` (source of a regular expression) for an expression in `path`. */
export function readFault(body: unknown): FaultSpec {
  const kind = isRecord(body) ? body["kind"] : undefined;
  const read = (...own: string[]) => Fields.of(body, "", [...routeFields, ...own]);
  const timed = (fields: Fields) => present({ when: fields.oneOf("when", ["before", "after"]) });
  const said = (fields: Fields) =>
    present({ code: fields.number("code"), message: fields.string("message"), ...timed(fields) });
  switch (kind) {
    case "reset-before":
    case "reset-after":
    case "truncate":
    case "normalise":
      return { ...readRoute(read()), kind };
    case "latency": {
      const fields = read("ms");
      return { ...readRoute(fields), kind, ms: fields.required("ms", fields.number("ms")) };
    }
    case "429":
    case "500":
    case "502":
    case "503": {
      const fields = read("retryAfter", "code", "message", "when");
      return { ...readRoute(fields), kind, ...said(fields), ...readRetryAfter(fields) };
    }
    case "status": {
      const fields = read("status", "retryAfter", "code", "message", "when");
      const status = fields.required("status", fields.number("status"));
      return { ...readRoute(fields), kind, status, ...said(fields), ...readRetryAfter(fields) };
    }
    case "hang": {
      const fields = read("when");
      return { ...readRoute(fields), kind, ...timed(fields) };
    }
    case "html": {
      const fields = read("status", "when");
      return {
        ...readRoute(fields),
        kind,
        ...present({ status: fields.number("status") }),
        ...timed(fields),
      };
    }
    case "success-false": {
      const fields = read("code", "message", "when");
      return { ...readRoute(fields), kind, ...said(fields) };
    }
    case "extra-fields": {
      const fields = read("fields");
      return { ...readRoute(fields), kind, ...present({ fields: fields.object("fields") }) };
    }
    case "missing-fields": {
      const fields = read("fields");
      return { ...readRoute(fields), kind, fields: fields.required("fields", fields.strings("fields")) };
    }
    case "shift": {
      const fields = read("move");
      const move = fields.oneOf("move", ["insert", "remove", "touch"]);
      return { ...readRoute(fields), kind, ...present({ move }) };
    }
    default:
      throw invalid("/kind", "is not a kind of fault");
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
