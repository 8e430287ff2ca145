import { readMark, secret } from "../model/engine-marks";
import type { Properties } from "../model/properties";
import { containsUnknown, unknownValue } from "../model/unknown";

function isObject(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSecret(value: unknown): value is { readonly value: unknown } {
  return readMark(value) === "secret";
}

/** Converts values to the form that lifecycles need: secrets in plain text, and one placeholder for all unknown values. */
export function plainValues(values: Properties): Properties {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, plainValue(value)]));
}

/** Returns the plain values of arguments, without nulls, which some languages send for absent arguments. */
export function readGivenValues(args: Properties): Properties {
  return Object.fromEntries(Object.entries(plainValues(args)).filter(([, value]) => value !== null));
}

export function plainValue(value: unknown): unknown {
  if (readMark(value) === "unknown") return unknownValue;
  if (Array.isArray(value)) return value.map(plainValue);
  if (isSecret(value)) return plainValue(value.value);
  return isObject(value) ? plainValues(value) : value;
}

export function holdsSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsSecret);
  return isSecret(value) || (isObject(value) && Object.values(value).some(holdsSecret));
}

/**
 * Converts a lifecycle's values to the form of the engine. Marks a value as secret if its counterpart in `like` is secret. A
 * secret whose value is not known yet becomes a plain unknown value, as in TypeScript: a mark as secret would hide from the
 * approval that the value is unknown.
 */
export function markLike(values: Properties, like: Properties): Properties {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, marked(value, like[name])]));
}

function marked(value: unknown, like: unknown): unknown {
  if (!holdsSecret(like)) return value;
  // A list is secret as a whole, because after a change it is not clear which of its items were secret.
  if (!isObject(value) || !isObject(like) || isSecret(like))
    return containsUnknown(value) ? unknownValue : secret(value);
  return markLike(value, like);
}
