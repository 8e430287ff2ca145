import { placesOf } from "../../lifecycle/approval/differing-places";
import { steadyState } from "../../lifecycle/approval/step-compared";
import { isUnknownMark } from "../../lifecycle/unknown";
import { engineMark, isSecretMark } from "../state/secrets";
import type { StepMetadata } from "./event-schema";
import { type Difference, type StepFacts, secretValue, unknownValue, type Values } from "./preview-read";

/** Inputs or outputs that are safe to show: without the provider's text and without secrets. */
export function plainValues(values: Values | null | undefined): Values | undefined {
  if (values === null || values === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => !name.startsWith("__"))
      .map(([name, value]) => [name, plain(value)]),
  );
}

function plain(value: unknown): unknown {
  if (isUnknownMark(value)) return unknownValue;
  if (isSecretMark(value)) return secretValue;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (engineMark in value) return "[asset]";
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry)]));
}

/** In alphabetical order: the engine's order varies. */
export function differencesOf({ old, new: now, diffs, detailedDiff }: StepMetadata): Difference[] {
  const detailed = Object.entries(detailedDiff ?? {});
  const shown: [string, { diffKind: string; inputDiff?: boolean | undefined }][] =
    detailed.length > 0
      ? detailed
      : (diffs ?? []).map((name) => [name, { diffKind: "update", inputDiff: true }]);
  return shown
    .filter(([path]) => !path.startsWith("__"))
    .map(([path, { diffKind, inputDiff }]): Difference => {
      const from = inputDiff ? old?.inputs : (old?.outputs ?? old?.inputs);
      return {
        path,
        kind: diffKind.startsWith("add") ? "add" : diffKind.startsWith("delete") ? "delete" : "update",
        replaces: diffKind.endsWith("-replace"),
        before: valueAt(plainValues(from), path),
        after: valueAt(plainValues(now?.inputs), path),
      };
    })
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** `path`: `rules[0].expression`, `directives["script-src"][0]`. */
export function valueAt(values: unknown, path: string): unknown {
  let at = values;
  for (const [, name, quoted, index] of path.matchAll(/([^.[\]"]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]/g)) {
    if (at === secretValue || at === unknownValue) return at;
    const key = index ?? name ?? quoted?.replace(/\\(.)/g, "$1") ?? "";
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

/** What is marked in a step. In the plain values a text of the program may look like a mark. */
export function factsOf({ old, new: now }: Pick<StepMetadata, "old" | "new">): StepFacts {
  const inputs = visible(now?.inputs);
  const outputs = visible(old?.outputs);
  const hidden = secretNames(outputs);
  return {
    unknown: placesOf(inputs, isUnknownMark),
    secret: secretNames(inputs),
    hidden,
    ...(old && { recorded: steadyState(plainValues(outputs) ?? {}, hidden) }),
  };
}

/** Of the steps of one replacement, each of which has a part. */
export function joinedFacts(one: StepFacts, other: StepFacts): StepFacts {
  const declared = one.unknown.length + one.secret.length > 0 ? one : other;
  const recorded = one.recorded ? one : other;
  return {
    ...{ unknown: declared.unknown, secret: declared.secret, hidden: recorded.hidden },
    ...(recorded.recorded && { recorded: recorded.recorded }),
  };
}

function secretNames(values: Values): string[] {
  return Object.keys(values).filter((name) => placesOf(values[name], isClosed).length > 0);
}

/** The engine also removes secret values of the stack's config from every text that it shows. */
function isClosed(value: unknown): boolean {
  return isSecretMark(value) || (typeof value === "string" && value.includes(secretValue));
}

function visible(values: Values | null | undefined): Values {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([name]) => !name.startsWith("__")));
}
