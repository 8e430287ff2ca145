// Without it: a resource made of an optional output is changed by each preview and by no `up`.
import * as pulumi from "@pulumi/pulumi";

/** Every state that we write has it, and nothing that the engine makes up of inputs. */
export const inEveryState = "schemaVersion";

/**
 * In a preview the SDK takes what the engine does not give for not known yet. Of a resource that stays as it is, the engine
 * gives all of the state: what is not in it, is not there. Without this, a resource that is made of an optional output,
 * `enabled` of a policy that does not say it, would be changed by every preview, and by no update.
 *
 * `inEveryState` has to be among the outputs that the resource was made with; it is taken from it.
 */
export function knowWhatIsRecorded(resource: pulumi.Resource): void {
  const version: unknown = Reflect.get(resource, inEveryState);
  Reflect.deleteProperty(resource, inEveryState);
  if (!pulumi.runtime.isDryRun() || !pulumi.Output.isInstance(version)) return;
  const isRecorded: unknown = Reflect.get(version, "isKnown");
  for (const [name, output] of outputsOf(resource)) {
    const isKnown: unknown = Reflect.get(output, "isKnown");
    if (name === "id" || name === "urn" || !(isKnown instanceof Promise)) continue;
    const settled = isKnown.then((known: unknown) => known || isRecorded);
    // The SDK reports what fails by the value; this is for who asks.
    settled.catch(() => undefined);
    Reflect.set(output, "isKnown", settled);
  }
}

/**
 * Lets all outputs of a resource fail with the verdict on it. The SDK settles them after the registration only, which a
 * refused resource never reaches. An SDK that keeps their values elsewhere would leave them open, and nothing else.
 */
export function bindOutputs(resource: pulumi.Resource, verdict: Promise<void>): void {
  for (const [, output] of outputsOf(resource)) {
    const original: unknown = Reflect.get(output, "promise");
    if (typeof original !== "function") continue;
    Reflect.set(output, "promise", (...args: unknown[]) => verdict.then(() => original(...args)));
  }
}

function outputsOf(resource: pulumi.Resource): [name: string, output: object][] {
  return Object.entries(resource).filter(([, output]) => pulumi.Output.isInstance(output));
}
