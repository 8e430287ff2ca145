import * as pulumi from "@pulumi/pulumi";
import type { KindName } from "../resources/kind-names";
import { kindOf } from "../resources/kinds";
import { checkInputs } from "./check-inputs";
import { errorsOf, type Finding, findingText, warningsOf } from "./finding";
import { containsUnknown, unknownValue } from "./unknown";

/** Everything that can be said of a declaration without a request. Values that are not there yet count as unknown. */
export function inspectDeclaration(
  name: KindName,
  args: object,
): { readonly errors: readonly Finding[]; readonly warnings: readonly string[] } {
  const kind = kindOf(name);
  const values = Object(present(args)) as Record<string, unknown>;
  const wrong = checkInputs(kind.shape, values);
  const inspected = wrong.length > 0 ? [] : (kind.inspect?.(values, "all") ?? []);
  return {
    errors: errorsOf([...wrong, ...inspected]),
    warnings: warningsOf(inspected).map(findingText),
  };
}

const neverWarnedOf = new Set(["zoneId", "connection"]);

/**
 * What can be warned of in values that the program itself does not see when it declares them: told as soon as they are
 * known, and never of secret ones, because a warning quotes.
 */
export async function warnOfLateValues(
  name: KindName,
  args: object,
  warn: (text: string) => void,
): Promise<void> {
  const late = Object.fromEntries(
    Object.entries(args).filter(
      ([input, value]) => !neverWarnedOf.has(input) && containsUnknown(present(value)),
    ),
  );
  if (Object.keys(late).length === 0 || (await pulumi.isSecret(pulumi.output(late)))) return;
  const shown = new Set(inspectDeclaration(name, args).warnings);
  pulumi.output(args).apply((values: object) => {
    for (const warning of inspectDeclaration(name, values).warnings) if (!shown.has(warning)) warn(warning);
  });
}

/** The plain part of an `Input<>`: outputs and promises in it become unknown. */
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
