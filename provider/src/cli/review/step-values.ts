import { isUnknownMark } from "../../lifecycle/unknown";
import { placesOf } from "../approval/places";
import { engineMark, isSecretMark } from "../state/secrets";
import type { StepMetadata } from "./event-schema";
import { type Difference, secretText, secretValue, unknownValue, type Values } from "./preview-read";

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
  // The engine also removes secrets of the stack's config from every text that it shows.
  if (isSecretMark(value) || value === secretText) return secretValue;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry)]));
  if (!(engineMark in value)) return fields;
  // An asset, or an archive of assets.
  if (placesOf(fields, isSecret).length > 0) return secretValue;
  return placesOf(fields, (one) => one === unknownValue).length > 0 ? unknownValue : "[asset]";
}

/** A plain value that is secret, or a text with a secret in it. */
export function isSecret(value: unknown): boolean {
  return value === secretValue || (typeof value === "string" && value.includes(secretText));
}

/** In alphabetical order: the engine's order varies. */
export function differencesOf({ old, new: now, diffs, detailedDiff }: StepMetadata): Difference[] {
  const detailed = Object.entries(detailedDiff ?? {});
  const shown: [string, { diffKind: string; inputDiff?: boolean | undefined }][] =
    detailed.length > 0
      ? detailed
      : (diffs ?? []).map((name) => [name, { diffKind: "update", inputDiff: true }]);
  const [inputs, outputs, after] = [old?.inputs, old?.outputs ?? old?.inputs, now?.inputs].map(plainValues);
  return shown
    .filter(([path]) => !path.startsWith("__"))
    .map(
      ([path, { diffKind, inputDiff }]): Difference => ({
        path,
        kind: diffKind.startsWith("add") ? "add" : diffKind.startsWith("delete") ? "delete" : "update",
        replaces: diffKind.endsWith("-replace"),
        before: valueAt(inputDiff ? inputs : outputs, path),
        after: valueAt(after, path),
      }),
    )
    .sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** `path`: `rules[0].expression`, `directives["script-src"][0]`. */
function valueAt(values: unknown, path: string): unknown {
  let at = values;
  for (const [, name, quoted, index] of path.matchAll(/([^.[\]"]+)|\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]/g)) {
    if (typeof at === "symbol") return at;
    const key = index ?? name ?? quoted?.replace(/\\(.)/g, "$1") ?? "";
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}
