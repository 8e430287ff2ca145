import * as pulumi from "@pulumi/pulumi";

/**
 * Lets all outputs of a resource fail with the verdict on it, and with what fails besides. The SDK settles them after the
 * registration only, which a refused resource never reaches: who waits for one would wait for ever, and so would an inline
 * program.
 *
 * An output has no public way to be failed, so this takes hold of the two functions that everything asks: the value,
 * and what it depends on. An SDK without them would leave the outputs of refused resources open, and nothing else.
 */
export function bindOutputs(
  resource: pulumi.Resource,
  verdict: Promise<void>,
  failure: Promise<never> | undefined,
  parts: readonly ("promise" | "allResources")[],
): void {
  for (const output of Object.values(resource)) {
    if (!pulumi.Output.isInstance(output)) continue;
    for (const part of parts) {
      const original: unknown = Reflect.get(output, part);
      if (typeof original !== "function") continue;
      const settled = (...args: unknown[]) =>
        failure === undefined ? original(...args) : Promise.race([failure, original(...args)]);
      Reflect.set(output, part, (...args: unknown[]) => verdict.then(() => settled(...args)));
    }
  }
}
