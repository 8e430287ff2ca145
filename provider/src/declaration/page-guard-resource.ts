import * as pulumi from "@pulumi/pulumi";
import { version as sdkVersion } from "@pulumi/pulumi/version";
import type { DeclaredKind } from "./inspect-declaration";
import { currentGate } from "./program-gate";
import { versionProblem } from "./supported-versions";

/** Prefix of the persisted type of every resource of this package. */
export const typePrefix = "pulumi-nodejs:dynamic/page-guard:";

/**
 * The persisted form of a dynamic provider is text that the engine evaluates. This one is constant: state written
 * years ago loads today's code, and nothing of the program is captured in it.
 */
export function providerText(kind: string): string {
  return `exports.handler=()=>require("pulumi-page-guard/runtime").${kind}`;
}

/** What the resources of this package have in common: how they reach their provider and how they are checked. */
export abstract class PageGuardResource extends pulumi.CustomResource {
  /** @internal Users' compilers need not read the types of our schemas. */
  protected constructor(
    kind: DeclaredKind,
    name: string,
    args: object,
    outputs: readonly string[],
    options: pulumi.CustomResourceOptions = {},
    /** Outputs that repeat an input under another name: secret when the input may be. */
    repeats: Readonly<Record<string, string>> = {},
  ) {
    const outdated = versionProblem(process.versions.node, sdkVersion);
    if (outdated !== undefined) throw new pulumi.RunError(outdated);
    const type = `${typePrefix}${kind.name}`;
    const urn = urnOf(type, name, options);
    const gate = currentGate();
    const { inspectDeclaration, warnOfLateValues } =
      require("./inspect-declaration") as typeof import("./inspect-declaration");
    const { errors, warnings } =
      options.id === undefined ? inspectDeclaration(kind, args) : { errors: [], warnings: [] };
    if (errors.length > 0) gate.refuse(`${kind.name} ${name}`, { urn: pulumi.output(urn) }, errors);
    const undeclared = Object.fromEntries(outputs.map((output) => [output, undefined]));
    super(
      type,
      name,
      {
        ...undeclared,
        ...args,
        ...gated(args, gate.passed),
        __provider: providerText(kind.name),
        // Tells `check` which resource it speaks of; `check` takes it out, so that it never reaches the state.
        __urn: urn,
      },
      { ...options, additionalSecretOutputs: secretOutputs(args, options, repeats) },
    );
    declaredUrns.set(this, urn);
    for (const warning of warnings) gate.warn({ urn: pulumi.output(urn) }, warning);
    if (options.id === undefined && errors.length === 0) {
      void warnOfLateValues(kind, args, (warning) => gate.warn({ urn: pulumi.output(urn) }, warning));
    }
  }
}

/** The engine marks secrets by their key, and whether an output is secret cannot be told at once: any may be. */
function secretOutputs(
  args: object,
  { additionalSecretOutputs = [] }: pulumi.CustomResourceOptions,
  repeats: Readonly<Record<string, string>>,
): string[] {
  const secret = Object.entries(repeats)
    .filter(([, input]) => containsOutput(Reflect.get(args, input)))
    .map(([output]) => output);
  return [...additionalSecretOutputs, ...secret];
}

function containsOutput(value: unknown): boolean {
  if (pulumi.Output.isInstance(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(containsOutput);
}

/** URNs as computed here: the resource's own is not known as long as the gate is closed. */
const declaredUrns = new WeakMap<pulumi.Resource, pulumi.Input<string>>();

/** Plain text where it can be: outputs for each of hundreds of resources cost time. */
function urnOf(type: string, name: string, options: pulumi.CustomResourceOptions): pulumi.Input<string> {
  if (options.parent) return pulumi.createUrn(name, type, parentOf(options));
  return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
}

function parentOf({
  parent,
}: pulumi.CustomResourceOptions): pulumi.Resource | pulumi.Output<string> | undefined {
  const declared = parent && declaredUrns.get(parent);
  return declared === undefined ? parent : pulumi.output(declared);
}

/** The zone id waits for the gate, and with it the registration of the whole resource. */
function gated(args: object, passed: Promise<void>): object {
  const zoneId: unknown = Reflect.get(args, "zoneId");
  return { zoneId: pulumi.output(passed.then(() => true)).apply(() => zoneId) };
}
