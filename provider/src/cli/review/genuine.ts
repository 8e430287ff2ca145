import { providerText } from "../../internals/provider-text";
import type { StepMetadata } from "./event-schema";

/** What the engine's default provider for dynamic resources is called in a reference. */
const defaultProvider = "::pulumi:providers:pulumi-nodejs::default::";

/**
 * Whether a resource with a type of this package is of this package: the engine runs the code that the text in its inputs
 * and outputs says, whatever the type, and a provider of the program's own may have another environment.
 */
export function isGenuine(kind: string, { old, new: now, provider }: StepMetadata): boolean {
  const texts = [old?.inputs, old?.outputs, now?.inputs, now?.outputs]
    .map((values) => values?.["__provider"])
    .filter((text) => text !== undefined);
  const isShared = provider === undefined || provider === "" || provider.includes(defaultProvider);
  return isShared && texts.length > 0 && texts.every((text) => text === providerText(kind));
}
