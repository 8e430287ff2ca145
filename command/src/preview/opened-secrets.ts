import { isSecretMark } from "../state/secrets";
import type { EngineEvent, StepMetadata } from "./events";
import { secretText, secretValue, type Values } from "./preview-read";

type Place = readonly string[];
type Side = NonNullable<StepMetadata["old"]>;

/**
 * Hides again the secrets that a policy pack made plain: one that returns a copy of the inputs, such as
 * `{ ...props, action: "log" }`, returns their values. The engine says in its event what was secret before.
 */
export class OpenedSecrets {
  readonly #places = new Map<string, Place[]>();

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

/** Places of secrets in values of an event. A list with a secret is one place: a pack may move its entries. */
export function secretPlaces(value: unknown, at: Place = []): Place[] {
  if (value === secretText || value === secretValue || isSecretMark(value)) return [at];
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, entry]) => secretPlaces(entry, [...at, name]));
  return Array.isArray(value) && inside.length > 0 ? [at] : inside;
}

function withHidden(side: Side, places: readonly Place[]): Side {
  const [inputs, outputs] = [side.inputs, side.outputs].map(
    (values) => values && places.reduce(hiddenAt, values),
  );
  return { ...side, inputs, outputs };
}

/** A copy without the value at the place. Where the pack left no such place, the whole input is hidden. */
function hiddenAt(values: Values, [name = "", ...rest]: Place): Values {
  if (!Object.hasOwn(values, name)) return values;
  const inside = values[name];
  const isHere = rest.length > 0 && typeof inside === "object" && inside !== null && !Array.isArray(inside);
  const isThere = isHere && Object.hasOwn(inside, rest[0] ?? "");
  return { ...values, [name]: isThere ? hiddenAt({ ...inside }, rest) : secretText };
}
