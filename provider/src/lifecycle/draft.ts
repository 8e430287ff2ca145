import type { Draft, Kind, Properties } from "./kind";
import { containsUnknown } from "./unknown";

/** `values` have passed the rules of their kind. */
export function draftOf<Inputs, State>(
  kind: Pick<Kind<Inputs, State>, "parseInputs" | "parseKnown">,
  values: Properties,
  urn: string,
): Draft<Inputs> {
  const entries = Object.entries(values);
  const unknown = new Set(entries.flatMap(([name, value]) => (containsUnknown(value) ? [name] : [])));
  return {
    urn,
    values,
    unknown,
    known: kind.parseKnown(Object.fromEntries(entries.filter(([name]) => !unknown.has(name)))),
    inputs: unknown.size === 0 ? kind.parseInputs(values) : undefined,
  };
}
