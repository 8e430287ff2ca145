import * as pulumi from "@pulumi/pulumi";
import type { ConnectionArgs } from "../api/client-types";
import { LastTransformation, type Registered } from "../internals/last-transformation";
import { inEveryState, knowWhatIsRecorded } from "../internals/outputs";
import { providerText } from "../internals/provider-text";
import { isOfType, typeOf } from "../internals/resource";
import { declaredAs } from "../lifecycle/declared-as";
import { type FindingPlace, writePosition } from "../lifecycle/findings-file";
import { typePrefix } from "../lifecycle/type-prefix";
import type { DeclaredKind } from "./inspect-declaration";
import { type Batch, currentBatch } from "./program-batch";
import { refuseUnfitRun, tellOfRun } from "./program-run";
import { shortTraces } from "./short-traces";
import { rememberUrn, shownUrn, urnOf } from "./urn";
import { userPosition } from "./user-position";

export { typePrefix };

/** Whether a value is a resource of this class, of this or of another copy of the package. */
export function instancesOf<Class>(type: string): (value: unknown) => value is Class {
  return (value): value is Class => isOfType(value, type);
}

/** Options of `get`: those of every resource, and whom to ask. */
export type GetOptions = pulumi.CustomResourceOptions & {
  readonly connection?: pulumi.Input<ConnectionArgs | undefined> | undefined;
};

/** What the resources of this package have in common: how they reach their provider and how they are checked. */
export abstract class PageGuardResource extends pulumi.CustomResource {
  /** @internal Users' compilers need not read the types of our schemas. */
  protected constructor(
    kind: DeclaredKind,
    name: string,
    /** Nothing at all may come from a program in JavaScript. */
    args: object = {},
    options: pulumi.CustomResourceOptions = {},
  ) {
    refuseUnfitRun();
    tellOfRun();
    const type = `${typePrefix}${kind.name}`;
    const urn = urnOf(type, name, options.parent);
    const batch = currentBatch();
    const place = { urn: shownUrn(type, name, options.parent), position: userPosition() };
    const declaration: Declaration = { kind, name, urn, place, batch };
    const final: { args: object; options: pulumi.CustomResourceOptions } = { args, options };
    // Not before: what transformations of the program make of the arguments is what counts.
    const word = new LastTransformation((transformed, chosen) => {
      Object.assign(final, { args: transformed, options: kind.settledOptions?.(chosen, options) ?? chosen });
      return declare(declaration, final.args, final.options);
    });
    const traceAsUsual = shortTraces();
    try {
      super(type, name, { ...args }, word.within(options));
    } catch (error) {
      traceAsUsual(error);
      throw error;
    }
    traceAsUsual();
    word.end(this);
    knowWhatIsRecorded(this);
    rememberUrn(this, urn);
    batch.bind(this, final.args, final.options);
  }
}

interface Declaration {
  readonly kind: DeclaredKind;
  readonly name: string;
  readonly urn: string | Promise<string>;
  readonly place: FindingPlace;
  readonly batch: Batch;
}

/** Checks what is declared, reports what it finds, and adds what only its registration needs. */
function declare(
  { kind, name, urn, place: { urn: shownAt, position }, batch }: Declaration,
  args: object,
  options: pulumi.CustomResourceOptions,
): Registered {
  const { inspectDeclaration, presentValues, secretPlacesOf, warnOfLateValues } =
    require("./inspect-declaration") as typeof import("./inspect-declaration");
  // Of the service, or of what is in the state.
  const isRead = options.id !== undefined || options.urn !== undefined;
  const values = presentValues(args);
  const { errors, warnings } = isRead
    ? { errors: [], warnings: [] }
    : inspectDeclaration(kind, values, options);
  const place = { urn: shownAt, zoneId: Reflect.get(args, "zoneId"), position };
  if (position) writePosition(shownAt, position);
  if (errors.length > 0) batch.refuse(declaredAs(kind.name, name), place, errors);
  const declared = isRead ? undefined : batch.declare(kind.name, name, values);
  const secretPlaces = isRead ? undefined : secretPlacesOf(kind, args, values);
  for (const warning of warnings) batch.warn(place, warning);
  if (!isRead && errors.length === 0) {
    void warnOfLateValues(kind, args, values, secretPlaces, (warning) => batch.warn(place, warning));
  }
  // The SDK makes an output of what is here: also of an argument that is left out, and of all of a resource that is read.
  const { shape, beside, outputs } = kind.load();
  const named = [...Object.keys(shape), ...Object.keys(outputs), inEveryState];
  const undeclared = Object.fromEntries(named.map((output) => [output, undefined]));
  return {
    props: {
      ...undeclared,
      ...args,
      __provider: providerText(kind.name),
      // Tells `check` which resource it is called for.
      __urn: urn,
      ...(secretPlaces && { __secrets: secretPlaces }),
      ...(beside && declared && { __beside: batch.beside(beside, declared) }),
    },
    options: {
      ...inOneProcess(options),
      dependsOn: afterwards(batch.passed, options.dependsOn),
      additionalSecretOutputs: secretOutputs(args, options, outputs),
    },
  };
}

/** The package of all dynamic resources. */
const dynamicPackage = "pulumi-nodejs";

/**
 * The engine starts a process for each provider that differs in one of these options, given or inherited. The
 * resources of a run have to share one: it knows what belongs to which of them, changes one list at a time, and counts
 * what the service allows. What is below the resource inherits what it is given for that.
 */
function inOneProcess({
  provider,
  version: _,
  pluginDownloadURL: __,
  ...options
}: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  const type = typeOf(provider);
  const below = type !== undefined && { [type.replace("pulumi:providers:", "")]: provider };
  // Named and undefined: neither its own nor that of a component around it.
  return Object.assign(options, { providers: { ...below, [dynamicPackage]: undefined } });
}

/**
 * The registration waits for the batch where no input is touched. The SDK takes this option in any nesting of promises,
 * outputs and lists; its type knows some of them.
 */
function afterwards(
  passed: Promise<void>,
  dependsOn: pulumi.CustomResourceOptions["dependsOn"] = [],
): Promise<pulumi.Resource[]> {
  return passed.then(() => dependsOn) as Promise<pulumi.Resource[]>;
}

/** The engine marks secrets by their key, and whether an output is secret is not known at once: any may be. */
function secretOutputs(
  args: object,
  { additionalSecretOutputs = [] }: pulumi.CustomResourceOptions,
  outputs: Readonly<Record<string, readonly string[]>>,
): string[] {
  const secret = Object.entries(outputs)
    .filter(([, inputs]) => inputs.some((input) => containsOutput(Reflect.get(args, input))))
    .map(([output]) => output);
  return [...additionalSecretOutputs, ...secret];
}

function containsOutput(value: unknown): boolean {
  if (pulumi.Output.isInstance(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsOutput);
}
