import { type Check, invalid, json, listOf, number, object, oneOf, string } from "../wire/checks";
import { isRecord } from "../wire/json";
import { BoundedPattern } from "../wire/pattern";
import type { FaultKind, FaultSpec } from "./faults";

const route = {
  ...{ method: string, path: string, pathPattern: string, query: string, zoneId: string },
  ...{ skip: number, count: number, probability: number, seed: number },
};
const when = oneOf(["before", "after"]);
const failure = { code: number, message: string, when };
const answer = {
  ...failure,
  retryAfter: (value: unknown, at: string): number | string => {
    if (typeof value === "number" || typeof value === "string") return value;
    throw invalid(at, "must be a number of seconds or a string");
  },
};

/** As `FaultSpec`, with `pathPattern` (source of a regular expression) for an expression in `path`. */
type SentFault = FaultSpec & { readonly pathPattern?: string };

const faults: Readonly<Record<FaultKind, Check<SentFault>>> = {
  "reset-before": fault("reset-before", {}),
  "reset-after": fault("reset-after", {}),
  truncate: fault("truncate", {}),
  normalise: fault("normalise", {}),
  hang: fault("hang", { when }),
  latency: fault("latency", { ms: number }, "ms"),
  "429": fault("429", answer),
  "500": fault("500", answer),
  "502": fault("502", answer),
  "503": fault("503", answer),
  status: fault("status", { ...answer, status: number }, "status"),
  html: fault("html", { status: number, when }),
  "success-false": fault("success-false", failure),
  "extra-fields": fault("extra-fields", { fields: json }),
  "missing-fields": fault("missing-fields", { fields: listOf(string) }, "fields"),
  shift: fault("shift", { move: oneOf(["insert", "remove", "touch"]) }),
};

function fault<
  K extends FaultKind,
  M extends Readonly<Record<string, Check<unknown>>>,
  R extends keyof M & string = never,
>(kind: K, members: M, ...required: readonly R[]) {
  return object({ kind: oneOf([kind]), ...route, ...members }, ["kind", ...required]);
}

function isKind(kind: unknown): kind is FaultKind {
  return typeof kind === "string" && Object.hasOwn(faults, kind);
}

/** A fault as JSON. */
export function readFault(body: unknown): FaultSpec {
  const kind = isRecord(body) ? body["kind"] : undefined;
  if (!isKind(kind)) throw invalid("/kind", "is not a kind of fault");
  const { pathPattern, ...fault } = faults[kind](body, "");
  return { ...fault, ...(pathPattern !== undefined && { path: new BoundedPattern(pathPattern) }) };
}
