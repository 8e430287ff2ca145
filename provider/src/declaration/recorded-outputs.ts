import * as pulumi from "@pulumi/pulumi";

/** Every state that we write has it, and nothing that the engine makes up of inputs. */
export const inEveryState = "schemaVersion";

/**
 * In a preview the SDK takes what the engine does not give for not known yet. Of a resource that stays as it is, the engine
 * gives all that is on record: what is not in it, is not there. Without this, a resource that is made of an optional output,
 * `enabled` of a policy that does not say it, would be changed by every preview, and by no update.
 *
 * `inEveryState` has to be among the outputs that the resource was made with; it is taken from it.
 */
export function knowWhatIsRecorded(resource: pulumi.Resource): void {
  const version: unknown = Reflect.get(resource, inEveryState);
  Reflect.deleteProperty(resource, inEveryState);
  if (!pulumi.runtime.isDryRun() || !pulumi.Output.isInstance(version)) return;
  const isRecorded: unknown = Reflect.get(version, "isKnown");
  for (const [name, output] of Object.entries(resource)) {
    if (name === "id" || name === "urn" || !pulumi.Output.isInstance(output)) continue;
    const isKnown: unknown = Reflect.get(output, "isKnown");
    if (!(isKnown instanceof Promise)) continue;
    const settled = isKnown.then((known: unknown) => known || isRecorded);
    // The SDK tells of what fails by the value; this is for who asks.
    settled.catch(() => undefined);
    Reflect.set(output, "isKnown", settled);
  }
}
