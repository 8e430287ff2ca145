// Without it: a preview reports the first invalid resource, by the engine's check, and not all of them at once.
import * as pulumi from "@pulumi/pulumi";
import { type FindingPlace, writePosition } from "../lifecycle/findings-file";
import { inspectDeclaration } from "../lifecycle/inspect-declaration";
import type { Kind } from "../lifecycle/kind";
import { errorOn } from "../model/finding";
import type { Properties } from "../model/properties";
import { containsUnknown, unknownValue } from "../model/unknown";
import { declaredAs, typePrefix } from "../model/urn";
import { inEveryState } from "./internals/outputs";
import { providerText } from "./internals/provider-text";
import { typeOf } from "./internals/resource";
import type { Batch } from "./program-batch";

/** A kind as its class hands it over: the rules are loaded with the first declaration. */
export interface DeclaredKind {
  readonly name: string;
  readonly load: () => Kind<unknown, unknown>;
}

/** A resource as its constructor declares it. */
interface Declaration {
  readonly kind: DeclaredKind;
  readonly name: string;
  readonly urn: string | Promise<string>;
  readonly place: FindingPlace;
  readonly batch: Batch;
}

/**
 * Checks what is declared, reports what it finds, and gives arguments and options for its registration, with what only that
 * needs.
 */
export function declare(declaration: Declaration, args: object, options: pulumi.CustomResourceOptions) {
  const { kind, urn, place, batch } = declaration;
  if (place.position) writePosition(place.urn, place.position);
  // `get()`: the resource is only read.
  const isRead = options.id !== undefined || options.urn !== undefined;
  const noted = isRead ? {} : inspected(declaration, args, options);
  // The SDK makes an output of what is here: also of an argument that is left out, and of all of a resource that is read.
  const { shape, outputs } = kind.load();
  const named = [...Object.keys(shape), ...Object.keys(outputs), inEveryState];
  const undeclared = Object.fromEntries(named.map((output) => [output, undefined]));
  return {
    props: {
      ...undeclared,
      ...args,
      __provider: providerText(kind.name),
      // Tells `check` which resource it is called for.
      __urn: urn,
      ...noted,
    },
    options: {
      ...options,
      // The SDK refuses the option `providers` of a resource, but not what a transformation makes of its options.
      transformations: [inOneProcess, ...(options.transformations ?? [])],
      // So it waits for the batch where no input is touched. The SDK takes any nesting of promises, outputs and lists; its type
      // knows some of them.
      dependsOn: batch.passed.then(() => options.dependsOn ?? []) as Promise<pulumi.Resource[]>,
      additionalSecretOutputs: [...(options.additionalSecretOutputs ?? []), ...secretOutputs(args, outputs)],
    },
  };
}

/** Reports what is found, and returns what `check` is to know besides the arguments. */
function inspected(
  { kind, name, place: { urn, position }, batch }: Declaration,
  args: object,
  options: pulumi.CustomResourceOptions,
): object {
  const values: Properties = Object(present(args));
  const { errors: found, warnings } = inspectDeclaration(kind.load(), values);
  const errors = options.import === undefined ? found : [importOption, ...found];
  const place = { urn, zoneId: Reflect.get(args, "zoneId"), position };
  if (errors.length > 0) batch.refuse(declaredAs(kind.name, name), place, errors);
  const { rivals, inZone } = kind.load();
  batch.declare({ kind: kind.name, object: inZone.object, name, args: values }, place, rivals);
  const secrets = secretNames(args, values);
  // Values that the program does not see when it declares them are judged by `check`, which has all of them.
  if (secrets) return { __secrets: secrets };
  for (const warning of warnings) batch.warn(place, warning);
  return {};
}

/** The SDK crashes on it: it would need the provider's text in a state that is not there yet. */
const importOption = errorOn(
  "",
  "import-option",
  "the option import does not work for this resource, and is not needed: leave it out, and what the zone already has is adopted, as the preview shows. To import many objects at once, use an import file, `pulumi import --file FILE --generate-code=false`.",
);

/** Names of the inputs that hold something secret, or undefined when none can: only outputs do. */
function secretNames(args: object, values: Properties): Promise<readonly string[]> | undefined {
  const late = Object.entries(args).filter(([name]) => containsUnknown(values[name]));
  if (late.length === 0) return undefined;
  const asked = late.map(async ([name, value]) => ((await holdsSecret(value)) ? [name] : []));
  // The SDK reports an input that fails; it waits for it as well.
  return Promise.all(asked).then(
    (names) => names.flat(),
    () => [],
  );
}

function isLate(value: unknown): boolean {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

async function holdsSecret(value: unknown): Promise<boolean> {
  if (pulumi.Output.isInstance(value)) return pulumi.isSecret(value);
  if (value instanceof Promise) return holdsSecret(await value);
  if (typeof value !== "object" || value === null) return false;
  return (await Promise.all(Object.values(value).map(holdsSecret))).includes(true);
}

/** The plain part of an `Input<>`: outputs and promises in it become unknown. */
function present(value: unknown): unknown {
  if (isLate(value)) return unknownValue;
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([name, entry]) => [name, present(entry)]),
  );
}

/** The package of all dynamic resources. */
const dynamicPackage = "pulumi-nodejs";

/**
 * The engine starts a process for each provider that differs in one of these options, given or inherited. The
 * resources of a run have to share one: it knows what belongs to which of them, changes one list at a time, and counts
 * what the service allows. What is below the resource inherits what it is given for that.
 */
function inOneProcess({ type, props, opts }: pulumi.ResourceTransformationArgs) {
  // Resources below inherit the transformation.
  if (!type.startsWith(typePrefix)) return undefined;
  const { provider, version: _, pluginDownloadURL: __, ...options }: pulumi.CustomResourceOptions = opts;
  const ofProvider = typeOf(provider);
  const below = ofProvider !== undefined && { [ofProvider.replace("pulumi:providers:", "")]: provider };
  // Named and undefined: neither its own nor that of a component around it.
  const providers = { ...Reflect.get(options, "providers"), ...below, [dynamicPackage]: undefined };
  return { props, opts: Object.assign(options, { providers }) };
}

/** The engine marks secrets by their key, and whether an output is secret is not known at once: any may be. */
function secretOutputs(args: object, outputs: Readonly<Record<string, readonly string[]>>): string[] {
  const mayBeSecret = (input: string) => containsOutput(Reflect.get(args, input));
  return Object.keys(outputs).filter((output) => outputs[output]?.some(mayBeSecret));
}

function containsOutput(value: unknown): boolean {
  if (pulumi.Output.isInstance(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsOutput);
}
