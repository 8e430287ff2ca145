import { isSecretMark } from "../state/secrets";
import type { EngineEvent, StepMetadata } from "./events";
import { secretText, secretValue, type Values } from "./preview-read";

type ValuePath = readonly string[];
type StepSide = NonNullable<StepMetadata["old"]>;

/**
 * Hides secrets that a policy pack turned into plain text, which happens if a policy returns a copy of the inputs, such as `{
 * ...props, action: "log" }`. The event of the engine about the change shows which values were secret before.
 */
export class OpenedSecrets {
  readonly #places = new Map<string, ValuePath[]>();

  add({ policyRemediationEvent: one }: EngineEvent): void {
    const { resourceUrn: urn = "", before = {} } = one ?? {};
    const places = secretPlaces(before);
    if (places.length > 0) this.#places.set(urn, [...(this.#places.get(urn) ?? []), ...places]);
  }

  hide(step: StepMetadata): StepMetadata {
    const places = this.#places.get(step.urn);
    if (!places) return step;
    const [old, now] = [step.old, step.new].map((side) => side && withHidden(side, places));
    return { ...step, old, new: now };
  }
}

/**
 * Returns the paths of secrets. For a list that contains a secret, returns the path of the list: a pack can reorder its entries.
 */
export function secretPlaces(value: unknown, at: ValuePath = []): ValuePath[] {
  if (value === secretText || value === secretValue || isSecretMark(value)) return [at];
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, entry]) => secretPlaces(entry, [...at, name]));
  return Array.isArray(value) && inside.length > 0 ? [at] : inside;
}

function withHidden(side: StepSide, places: readonly ValuePath[]): StepSide {
  const [inputs, outputs] = [side.inputs, side.outputs].map(
    (values) => values && places.reduce(hideValue, values),
  );
  return { ...side, inputs, outputs };
}

/** Returns a copy that hides the value at a path or, if the pack removed this value, the innermost value that contained it. */
function hideValue(values: Values, [name = "", ...rest]: ValuePath): Values {
  if (!Object.hasOwn(values, name)) return values;
  const inside = values[name];
  const isNested = rest.length > 0 && typeof inside === "object" && inside !== null && !Array.isArray(inside);
  const hasPlace = isNested && Object.hasOwn(inside, rest[0] ?? "");
  return { ...values, [name]: hasPlace ? hideValue({ ...inside }, rest) : secretText };
}
