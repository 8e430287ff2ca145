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
 * Lets all outputs of a resource fail with the verdict on it, and with what fails besides. The SDK settles them after the
 * registration only, which a refused resource never reaches: who waits for one would wait for ever, and so would an inline
 * program.
 *
 * An output has no public way to be failed, so this takes hold of the two functions that everything asks: the value,
 * and what it depends on (`all`). An SDK without them would leave the outputs of refused resources open, and nothing else.
 */
export function bindOutputs(
  resource: pulumi.Resource,
  what: "values" | "all",
  verdict: Promise<void>,
  failure?: Promise<never>,
): void {
  for (const [, output] of outputsOf(resource)) {
    for (const part of what === "all" ? ["promise", "allResources"] : ["promise"]) {
      const original: unknown = Reflect.get(output, part);
      if (typeof original !== "function") continue;
      const settled = (...args: unknown[]) =>
        failure === undefined ? original(...args) : Promise.race([failure, original(...args)]);
      Reflect.set(output, part, (...args: unknown[]) => verdict.then(() => settled(...args)));
    }
  }
}

/** The value of an output without a dependency on it; undefined in an SDK that has no such function. */
export async function whatComesOf(output: object): Promise<unknown> {
  const promise: unknown = Reflect.get(output, "promise");
  return typeof promise === "function" ? promise() : undefined;
}

function outputsOf(resource: pulumi.Resource): [name: string, output: object][] {
  return Object.entries(resource).filter(([, output]) => pulumi.Output.isInstance(output));
}
