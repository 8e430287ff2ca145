// Changes outputs that the SDK has created: in a preview, absent outputs become known; the outputs of a refused resource fail.
import * as pulumi from "@pulumi/pulumi";

/**
 * Name of an output that every state of this package contains. The engine never derives this output from the inputs. So if the
 * output is known, the engine has passed the whole state.
 */
export const inEveryState = "schemaVersion";

/**
 * Makes absent outputs of an unchanged resource known in a preview. The SDK treats every output that the engine does not pass as
 * unknown, although for an unchanged resource the engine passes the whole state. Without this function, if a policy does not set
 * `enabled` and another resource uses that output, every preview would show a change to the other resource. The resource must
 * have been created with the output `inEveryState`, which this function removes.
 */
export function knowWhatIsRecorded(resource: pulumi.Resource): void {
  const version: unknown = Reflect.get(resource, inEveryState);
  Reflect.deleteProperty(resource, inEveryState);
  if (!pulumi.runtime.isDryRun() || !pulumi.Output.isInstance(version)) return;
  const isRecorded: unknown = Reflect.get(version, "isKnown");
  for (const [name, output] of listOutputs(resource)) {
    const isKnown: unknown = Reflect.get(output, "isKnown");
    if (name === "id" || name === "urn" || !(isKnown instanceof Promise)) continue;
    const settled = isKnown.then((known: unknown) => known || isRecorded);
    // The SDK reports a failure through the output's value, so this promise must not report the failure a second time.
    settled.catch(() => undefined);
    Reflect.set(output, "isKnown", settled);
  }
}

/**
 * Makes all outputs of a resource fail if its batch is refused. The SDK settles outputs only after the registration, and a
 * refused resource is never registered. If a version of the SDK does not keep the values in `promise`, the outputs stay pending.
 */
export function bindOutputs(resource: pulumi.Resource, verdict: Promise<void>): void {
  for (const [, output] of listOutputs(resource)) {
    const original: unknown = Reflect.get(output, "promise");
    if (typeof original !== "function") continue;
    Reflect.set(output, "promise", (...args: unknown[]) => verdict.then(() => original(...args)));
  }
}

function listOutputs(resource: pulumi.Resource): [name: string, output: object][] {
  return Object.entries(resource).filter(([, output]) => pulumi.Output.isInstance(output));
}
