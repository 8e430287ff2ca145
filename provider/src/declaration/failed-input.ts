import * as pulumi from "@pulumi/pulumi";
import { whatComesOf } from "../internals/outputs";

/**
 * Fails with the first that fails of all that the registration of a resource waits for, and never ends otherwise. The SDK
 * gives such a resource up and leaves its outputs open.
 */
export function failureOf(
  args: object,
  { dependsOn, parent }: pulumi.CustomResourceOptions,
): Promise<never> | undefined {
  const late = [...lateIn([args, dependsOn, parent])];
  if (late.length === 0) return undefined;
  const failure = new Promise<never>((_, fail) => Promise.all(late).catch(fail));
  // The SDK reports it; this is for who waits.
  failure.catch(() => undefined);
  return failure;
}

function* lateIn(value: unknown): Generator<Promise<unknown>> {
  if (pulumi.Resource.isInstance(value)) yield whatComesOf(value.urn);
  else if (pulumi.Output.isInstance(value)) yield arrived(whatComesOf(value));
  else if (value instanceof Promise) yield arrived(value);
  else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) yield* lateIn(part);
  }
}

async function arrived(late: Promise<unknown>): Promise<void> {
  await Promise.all(lateIn(await late));
}
