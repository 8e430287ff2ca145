// Checks each declaration in the program, so that a preview reports every invalid resource. The engine's own checks come later,
// and stop at the first invalid resource.
import * as pulumi from "@pulumi/pulumi";
import { type FindingPlace, writePosition } from "../lifecycle/findings-file";
import { inspectDeclaration } from "../lifecycle/inspect-declaration";
import type { Kind } from "../lifecycle/kind";
import { makeError } from "../model/finding";
import type { Properties } from "../model/properties";
import { containsUnknown, unknownValue } from "../model/unknown";
import { formatDeclaredAs, typePrefix } from "../model/urn";
import { inEveryState } from "./internals/outputs";
import { providerText } from "./internals/provider-text";
import { readType } from "./internals/resource";
import type { Batch } from "./program-batch";

/** A kind of resource, as a resource class passes it to `declare`. `load`: returns the lifecycle; the first call loads it. */
export interface DeclaredKind {
  readonly name: string;
  readonly load: () => Kind<unknown, unknown>;
}

interface Declaration {
  readonly kind: DeclaredKind;
  readonly name: string;
  readonly urn: string | Promise<string>;
  readonly place: FindingPlace;
  readonly batch: Batch;
}

/**
 * Checks a declaration and reports the findings. Returns the arguments and options with which the resource is registered: the
 * program's own, and internal ones that the provider and the SDK need.
 */
export function declare(declaration: Declaration, args: object, options: pulumi.CustomResourceOptions) {
  const { kind, urn, place, batch } = declaration;
  if (place.position) writePosition(place.urn, place.position);
  // With `get()` the resource is only read.
  const isRead = options.id !== undefined || options.urn !== undefined;
  const hidden = isRead ? {} : inspect(declaration, args, options);
  // The SDK creates outputs only for the names in `props`. Omitted arguments, and resources that are only read, need outputs too.
  const { shape, outputs } = kind.load();
  const named = [...Object.keys(shape), ...Object.keys(outputs), inEveryState];
  const undeclared = Object.fromEntries(named.map((output) => [output, undefined]));
  return {
    props: {
      ...undeclared,
      ...args,
      __provider: providerText(kind.name),
      // Tells `check` which resource it is checking.
      __urn: urn,
      ...hidden,
    },
    options: {
      ...options,
      // The SDK refuses the option `providers` on a resource, but accepts it from a transformation.
      transformations: [inOneProcess, ...(options.transformations ?? [])],
      // Makes the registration wait for the batch without touching an input. The SDK accepts any nesting of promises, outputs
      // and lists in `dependsOn`, but the type of `dependsOn` allows only some nestings.
      dependsOn: batch.passed.then(() => options.dependsOn ?? []) as Promise<pulumi.Resource[]>,
      additionalSecretOutputs: [...(options.additionalSecretOutputs ?? []), ...secretOutputs(args, outputs)],
    },
  };
}

/** Reports the findings, and returns the hidden inputs that `check` needs besides the arguments. */
function inspect(
  { kind, name, place: { urn, position }, batch }: Declaration,
  args: object,
  options: pulumi.CustomResourceOptions,
): object {
  const values: Properties = Object(present(args));
  const { errors: found, warnings } = inspectDeclaration(kind.load(), values);
  const errors = options.import === undefined ? found : [importOption, ...found];
  const place = { urn, zoneId: Reflect.get(args, "zoneId"), position };
  if (errors.length > 0) batch.refuse(formatDeclaredAs(kind.name, name), place, errors);
  const { rivals, inZone } = kind.load();
  batch.declare({ kind: kind.name, object: inZone.object, name, args: values }, place, rivals);
  const secrets = secretNames(args, values);
  // The program does not know the values of outputs yet. `check` gets the values, so `check` reports the warnings.
  if (secrets) return { __secrets: secrets };
  for (const warning of warnings) batch.warn(place, warning);
  return {};
}

/** The SDK crashes on the option `import`: the SDK looks for the provider's code in a state that does not exist yet. */
const importOption = makeError(
  "",
  "import-option",
  "the option import does not work for this resource and is not needed: if you leave it out, each declared object that the zone already has is adopted, as the preview shows. To import many objects at once, use an import file, `pulumi import --file FILE --generate-code=false`.",
);

/** Returns the names of the inputs that contain a secret; undefined if no input contains an output or a promise. */
function secretNames(args: object, values: Properties): Promise<readonly string[]> | undefined {
  const late = Object.entries(args).filter(([name]) => containsUnknown(values[name]));
  if (late.length === 0) return undefined;
  const asked = late.map(async ([name, value]) => ((await holdsSecret(value)) ? [name] : []));
  // If an input fails, nothing is reported here, because the SDK waits for the input too, and reports the failure.
  return Promise.all(asked).then(
    (names) => names.flat(),
    () => [],
  );
}

async function holdsSecret(value: unknown): Promise<boolean> {
  if (pulumi.Output.isInstance(value)) return pulumi.isSecret(value);
  if (value instanceof Promise) return holdsSecret(await value);
  if (typeof value !== "object" || value === null) return false;
  return (await Promise.all(Object.values(value).map(holdsSecret))).includes(true);
}

/** Returns an `Input<>` as a plain value, in which the unknown value replaces outputs and promises. */
function present(value: unknown): unknown {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return unknownValue;
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([name, entry]) => [name, present(entry)]),
  );
}

const dynamicPackage = "pulumi-nodejs";

/**
 * Makes the resources of a run share one provider process. The engine starts another process for a resource with a different
 * `provider`, `version` or `pluginDownloadURL`, whether set or inherited. The shared process knows which object belongs to which
 * resource, prevents overlapping writes of a list, and keeps to the rate limit. If a provider of another package is set on a
 * resource, the resource's children still inherit that provider.
 */
function inOneProcess({ type, props, opts }: pulumi.ResourceTransformationArgs) {
  // Child resources of other packages inherit the transformation too.
  if (!type.startsWith(typePrefix)) return undefined;
  const { provider, version: _, pluginDownloadURL: __, ...options }: pulumi.CustomResourceOptions = opts;
  const ofProvider = readType(provider);
  const below = ofProvider !== undefined && { [ofProvider.replace("pulumi:providers:", "")]: provider };
  // The explicit undefined also overrides the provider of a surrounding component.
  const providers = { ...Reflect.get(options, "providers"), ...below, [dynamicPackage]: undefined };
  return { props, opts: Object.assign(options, { providers }) };
}

/**
 * Returns the names of the outputs that may repeat a secret input. The program does not know yet whether an `Output` is secret,
 * so this function treats every `Output` as secret.
 */
function secretOutputs(args: object, outputs: Readonly<Record<string, readonly string[]>>): string[] {
  const mayBeSecret = (input: string) => containsOutput(Reflect.get(args, input));
  return Object.keys(outputs).filter((output) => outputs[output]?.some(mayBeSecret));
}

function containsOutput(value: unknown): boolean {
  if (pulumi.Output.isInstance(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsOutput);
}
