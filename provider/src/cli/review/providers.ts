import { providerText } from "../../internals/provider-text";
import { typePrefix, urnParts } from "../../lifecycle/urn";
import { recordIn } from "../values";
import type { StepMetadata } from "./event-schema";
import type { Values } from "./preview-read";
import { plainValues } from "./step-values";

/** Steps of the providers that the program declares, by URN: the engine shows none of its default ones. */
export type Providers = ReadonlyMap<string, StepMetadata>;

type Side = NonNullable<StepMetadata["old"]>;

const providerPrefix = "pulumi:providers:";

export function isProviderType(type: string): boolean {
  return type.startsWith(providerPrefix);
}

/**
 * Whether a resource with a type of this package is of this package. The engine runs whatever provider a program names for
 * it, and of a dynamic resource the code in its inputs and outputs.
 */
export function isGenuine(kind: string, metadata: StepMetadata, providers: Providers): boolean {
  const { type, old, new: now, provider } = metadata;
  const references = [provider, old?.provider, now?.provider].filter(
    (one) => one !== undefined && one !== "",
  );
  if (!type.startsWith(typePrefix)) {
    return references.length > 0 && references.every((one) => isPlugin(urnIn(one), providers));
  }
  const texts = [old?.inputs, old?.outputs, now?.inputs, now?.outputs]
    .map((values) => values?.["__provider"])
    .filter((text) => text !== undefined);
  const isText = texts.length > 0 && texts.every((text) => text === providerText(kind));
  return isText && references.every((one) => isDefault(urnIn(one), "pulumi-nodejs", /^default$/));
}

/** One that the program declares has arguments of its own, but neither another environment nor another source. */
function isPlugin(urn: string, providers: Providers): boolean {
  const declared = providers.get(urn);
  if (!declared) return isDefault(urn, "page-guard", /^default((_\d+){3}(_[a-z]+)?(_\d+)*)?$/);
  const sides = [declared.old, declared.new];
  const isPlain = sides.every((side) => Object.keys(recordIn(side?.inputs?.["__internal"])).length === 0);
  return declared.type === `${providerPrefix}page-guard` && isPlain;
}

/** Not one of the program's, which has another name or a parent. */
function isDefault(urn: string, of: string, called: RegExp): boolean {
  const { types, name } = urnParts(urn);
  return types === `${providerPrefix}${of}` && called.test(name);
}

/** The URN in a reference to a provider. */
export function urnIn(reference = ""): string {
  return reference.slice(0, Math.max(0, reference.lastIndexOf("::")));
}

export function connectionsOf({ old, new: now, provider }: StepMetadata, providers: Providers) {
  const of = (side: Side | null | undefined, part: "old" | "new"): unknown => {
    if (!side) return undefined;
    const { connection } = plainValues(side.inputs) ?? {};
    const declared = providers.get(urnIn(side.provider || provider))?.[part];
    const given = reaching(plainValues(declared?.inputs));
    // Secret, or not known yet.
    if (connection !== undefined && (typeof connection !== "object" || connection === null))
      return connection;
    return connection === undefined && !given ? undefined : { ...given, ...recordIn(connection) };
  };
  return { was: of(old, "old"), becomes: of(now, "new") };
}

/** Whose token it is does not say where a zone is. */
function reaching(given: Values = {}): Values | undefined {
  const { baseUrl, service } = given;
  if (baseUrl === undefined && service === undefined) return undefined;
  return { ...(baseUrl !== undefined && { baseUrl }), ...(service !== undefined && { service }) };
}
