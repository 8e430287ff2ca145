import {
  isUnknownMark,
  kindOf,
  pluginTypePrefix,
  providerText,
  typePrefix,
  urnParts,
  zoneIdOf,
} from "pulumi-page-guard/tools";
import { engineMark, isSecretMark } from "../state/secrets";
import { recordIn } from "../values";
import type { StepMetadata } from "./event-schema";
import {
  type Difference,
  findingOf,
  type PreviewStep,
  type ReadFinding,
  secretText,
  secretValue,
  unknownValue,
  type Values,
} from "./preview-read";

type Providers = ReadonlyMap<string, StepMetadata>;

/** The steps of resources, and a finding for each that has a type of this package and another provider. */
export function stepsOf(all: readonly StepMetadata[]): {
  readonly steps: PreviewStep[];
  readonly forged: ReadFinding[];
} {
  // A provider that is deleted comes after the resources that it had.
  const providers = new Map(all.filter(({ type }) => isProviderType(type)).map((one) => [one.urn, one]));
  const read = oneEach(all)
    .filter(({ type }) => type !== "pulumi:pulumi:Stack" && !isProviderType(type))
    .map((one) => stepOf(one, providers));
  return {
    steps: read.map(({ step }) => step),
    forged: read
      .filter(({ isForged }) => isForged)
      .map(({ step: { urn, type } }) => {
        const text = `This resource has the type ${type}, but its provider is the program's own. That code runs with the token of the provider process, and no rule of this package applies to it. page-guard apply never applies it.`;
        return findingOf({ code: "provider-forged", severity: "error", urn, text });
      }),
  };
}

const half = /^((create|import)-replacement|delete-replaced)$/;

/**
 * Each replacement as the one step of it that has both sides. What a program only reads, or has only read before, is in the state
 * as the program describes it: nothing is owned by that.
 */
function oneEach(all: readonly StepMetadata[]): StepMetadata[] {
  const urnsOf = (op: string) => new Set(all.filter((one) => one.op === op).map(({ urn }) => urn));
  const [replaced, read, wasRead] = [
    urnsOf("replace"),
    urnsOf("read-replacement"),
    urnsOf("discard-replaced"),
  ];
  return all.flatMap((one) => {
    const { op, urn } = one;
    if (read.has(urn)) return op === "read-replacement" ? [{ ...one, op: "read" }] : [];
    if (wasRead.has(urn)) return op === "create-replacement" ? [{ ...one, op: "create", old: null }] : [];
    if (half.test(op) && replaced.has(urn)) return [];
    return [{ ...one, op: op === "delete-replaced" ? "delete" : op.replace(half, "replace") }];
  });
}

function stepOf(metadata: StepMetadata, providers: Providers) {
  const { op, urn, type, old, new: now } = metadata;
  const isCustom = old?.custom === true || now?.custom === true;
  // Components have types of the plugin, too.
  const named = isCustom || !type.startsWith(pluginTypePrefix) ? kindOf(type) : undefined;
  const isOurs = named !== undefined && isGenuine(named, metadata, providers);
  const [before, after] = [old, now].map((side) => plainValues(side?.inputs));
  const step: PreviewStep = {
    ...{ op, urn, type, name: urnParts(urn).name, isOurs, kind: isOurs ? named : type },
    isComponent: named === undefined && !isCustom,
    id: old?.id || now?.id || "",
    zone: isOurs ? zoneIdOf(after?.["zoneId"] ?? before?.["zoneId"]) : undefined,
    ...{ before, after, recorded: plainValues(old?.outputs) },
    connections: {
      was: connectionOf(metadata, "old", providers),
      becomes: connectionOf(metadata, "new", providers),
    },
    differences: differencesOf(metadata),
    isProtected: old?.protect === true || now?.protect === true,
    isRetained: old?.retainOnDelete === true,
  };
  return { step, isForged: named !== undefined && !isOurs };
}

/** Inputs or outputs that are safe to show: without the provider's text and without secrets. */
function plainValues(values: Values | null | undefined): Values | undefined {
  if (values === null || values === undefined) return undefined;
  const shown = Object.entries(values).filter(([name]) => !name.startsWith("__"));
  return Object.fromEntries(shown.map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (isUnknownMark(value)) return unknownValue;
  // The engine also removes secrets of the stack's config from every text that it shows.
  if (isSecretMark(value) || value === secretText) return secretValue;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (engineMark in value) return "[asset]";
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plain(entry)]));
}

/** In alphabetical order: the engine's order varies. */
function differencesOf({ old, new: now, diffs, detailedDiff }: StepMetadata): Difference[] {
  const detailed = Object.entries(detailedDiff ?? {});
  const shown: readonly (readonly [string, { inputDiff?: boolean | undefined }])[] =
    detailed.length > 0 ? detailed : (diffs ?? []).map((name) => [name, { inputDiff: true }]);
  const [inputs, outputs, after] = [old?.inputs, old?.outputs ?? old?.inputs, now?.inputs].map(plainValues);
  return shown
    .filter(([path]) => !path.startsWith("__"))
    .map(([path, { inputDiff }]) => ({
      ...{ path, before: valueAt(inputDiff ? inputs : outputs, path), after: valueAt(after, path) },
    }))
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

function isProviderType(type: string): boolean {
  return type.startsWith(providerPrefix);
}

/** The engine's own provider, of any version, from the usual source. */
const usualPlugin = /^default((_\d+){3}(_[a-z]+)?(_\d+)*)?$/;

/**
 * Whether a resource with a type of this package is of this package. The engine runs whatever provider a program names for
 * it, from whatever source, and of a dynamic resource the code in its inputs and outputs.
 */
function isGenuine(
  kind: string,
  { type, old, new: now, provider }: StepMetadata,
  providers: Providers,
): boolean {
  const owners = [provider, old?.provider, now?.provider].filter((one) => !!one).map(urnIn);
  if (type.startsWith(typePrefix)) {
    const texts = [old, now]
      .flatMap((side) => [side?.inputs, side?.outputs])
      .map((all) => all?.["__provider"]);
    const given = texts.filter((text) => text !== undefined);
    const isDefault = ({ types, name }: ReturnType<typeof urnParts>): boolean =>
      types === `${providerPrefix}pulumi-nodejs` && name === "default";
    return (
      given.length > 0 &&
      given.every((text) => text === providerText(kind)) &&
      owners.map(urnParts).every(isDefault)
    );
  }
  const isPlain = (urn: string): boolean => {
    const { type: of, types, name } = urnParts(urn);
    const declared = providers.get(urn);
    if (of !== `${providerPrefix}page-guard`) return false;
    if (!declared) return of === types && usualPlugin.test(name);
    // Arguments of its own, but neither another environment nor another source.
    return [declared.old, declared.new].every(
      (side) => Object.keys(recordIn(side?.inputs?.["__internal"])).length === 0,
    );
  };
  return owners.length > 0 && owners.every(isPlain);
}

/** The URN in a reference to a provider. */
function urnIn(reference = ""): string {
  return reference.slice(0, Math.max(0, reference.lastIndexOf("::")));
}

/** The argument `connection`, completed by arguments of a provider that the program declares. */
function connectionOf(metadata: StepMetadata, part: "old" | "new", providers: Providers): unknown {
  const side = metadata[part];
  if (!side) return undefined;
  const { connection } = plainValues(side.inputs) ?? {};
  // Secret, or not known yet.
  if (typeof connection === "symbol") return connection;
  const provider = providers.get(urnIn(side.provider || metadata.provider))?.[part];
  const { baseUrl, service } = plainValues(provider?.inputs) ?? {};
  // Whose token it is does not say where a zone is.
  const given = Object.entries({ baseUrl, service, ...recordIn(connection) });
  const known = given.filter(([, value]) => value !== undefined);
  return known.length === 0 && connection === undefined ? undefined : Object.fromEntries(known);
}
