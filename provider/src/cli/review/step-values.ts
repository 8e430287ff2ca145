import { providerText } from "../../internals/provider-text";
import { isUnknownMark } from "../../lifecycle/unknown";
import { typePrefix, urnParts } from "../../lifecycle/urn";
import { engineMark, isSecretMark } from "../state/secrets";
import { recordIn } from "../values";
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
  if (holds(fields, isSecret)) return secretValue;
  return holds(fields, (one) => one === unknownValue) ? unknownValue : "[asset]";
}

/** Whether something in it is so. */
function holds(value: unknown, isSo: (value: unknown) => boolean): boolean {
  if (isSo(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some((one) => holds(one, isSo));
}

/** A plain value that is secret, or a text with a secret in it. */
export function isSecret(value: unknown): boolean {
  return value === secretValue || (typeof value === "string" && value.includes(secretText));
}

/** In alphabetical order: the engine's order varies. */
export function differencesOf({ old, new: now, diffs, detailedDiff }: StepMetadata): Difference[] {
  const detailed = Object.entries(detailedDiff ?? {});
  const shown: readonly (readonly [string, { inputDiff?: boolean | undefined }])[] =
    detailed.length > 0 ? detailed : (diffs ?? []).map((name) => [name, { inputDiff: true }]);
  const [inputs, outputs, after] = [old?.inputs, old?.outputs ?? old?.inputs, now?.inputs].map(plainValues);
  return shown
    .filter(([path]) => !path.startsWith("__"))
    .map(
      ([path, { inputDiff }]): Difference => ({
        path,
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

const providerPrefix = "pulumi:providers:";

export function isProviderType(type: string): boolean {
  return type.startsWith(providerPrefix);
}

/**
 * Whether a resource with a type of this package is of this package. The engine runs whatever provider a program names for
 * it, from whatever source, and of a dynamic resource the code in its inputs and outputs.
 */
export function isGenuine(
  kind: string,
  { type, old, new: now, provider }: StepMetadata,
  providers: ReadonlyMap<string, StepMetadata>,
): boolean {
  const given = [provider, old?.provider, now?.provider].filter((one) => one !== undefined && one !== "");
  const owners = given.map(urnIn);
  const isPlain = (urn: string): boolean => {
    const { type: of, types, name } = urnParts(urn);
    const declared = providers.get(urn);
    // Arguments of its own, but neither another environment nor another source.
    const sides = [declared?.old, declared?.new].map((side) => recordIn(side?.inputs?.["__internal"]));
    const isOwn = declared && sides.every((internal) => Object.keys(internal).length === 0);
    return of === `${providerPrefix}page-guard` && (isOwn ?? (of === types && usualPlugin.test(name)));
  };
  if (!type.startsWith(typePrefix)) return owners.length > 0 && owners.every(isPlain);
  const texts = [old?.inputs, old?.outputs, now?.inputs, now?.outputs]
    .map((values) => values?.["__provider"])
    .filter((text) => text !== undefined);
  const isText = texts.length > 0 && texts.every((text) => text === providerText(kind));
  return (
    isText &&
    owners
      .map(urnParts)
      .every(({ types, name }) => types === `${providerPrefix}pulumi-nodejs` && name === "default")
  );
}

/** The engine's own provider, of any version, from the usual source. */
const usualPlugin = /^default((_\d+){3}(_[a-z]+)?(_\d+)*)?$/;

/** The URN in a reference to a provider. */
export function urnIn(reference = ""): string {
  return reference.slice(0, Math.max(0, reference.lastIndexOf("::")));
}

/** The argument `connection`, completed by arguments of a provider that the program declares. */
export function connectionsOf(
  { old, new: now, provider }: StepMetadata,
  providers: ReadonlyMap<string, StepMetadata>,
): { readonly was: unknown; readonly becomes: unknown } {
  const of = (part: "old" | "new"): unknown => {
    const side = part === "old" ? old : now;
    if (!side) return undefined;
    const { connection } = plainValues(side.inputs) ?? {};
    const { baseUrl, service } =
      plainValues(providers.get(urnIn(side.provider || provider))?.[part]?.inputs) ?? {};
    // Secret, or not known yet.
    if (typeof connection === "symbol") return connection;
    // Whose token it is does not say where a zone is.
    const all = { baseUrl, service, ...recordIn(connection) };
    const given = Object.entries(all).filter(([, value]) => value !== undefined);
    return given.length === 0 && connection === undefined ? undefined : Object.fromEntries(given);
  };
  return { was: of("old"), becomes: of("new") };
}
