import { engineMarks, parseJson, readMark } from "pulumi-page-guard/tools";
import { asRecord } from "../shared/values";

/** A secret value of the stack. Never printed, even if it could be decrypted. */
class Secret {
  constructor(
    /** The plain value; undefined if it could not be decrypted. */
    readonly value: unknown,
  ) {}

  toJSON(): string {
    return engineMarks.secretText;
  }

  toString(): string {
    return engineMarks.secretText;
  }
}

/** Returns a value of the state with its secrets as `Secret`s, at any depth. */
export function withSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecrets);
  if (typeof value !== "object" || value === null) return value;
  if (readMark(value) === "secret") return new Secret(parseJson(String(Reflect.get(value, "plaintext"))));
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withSecrets(entry)]));
}

export function hasSecret(value: unknown): boolean {
  return some(value, (secret) => secret instanceof Secret);
}

/** Whether a value contains a secret that could not be decrypted. */
export function isClosed(value: unknown): boolean {
  return some(value, (secret) => secret.value === undefined);
}

/** Returns a field of an object. A field of a secret object is secret. */
export function readField(value: unknown, name: string): unknown {
  if (!(value instanceof Secret)) return asRecord(value)[name];
  const field = asRecord(openSecrets(value))[name];
  return isClosed(value) || field !== undefined ? new Secret(field) : undefined;
}

/** Returns the value with its secrets in plain text. A secret that could not be decrypted becomes undefined. */
export function openSecrets(value: unknown): unknown {
  if (value instanceof Secret) return openSecrets(withSecrets(value.value));
  if (Array.isArray(value)) return value.map(openSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, openSecrets(entry)]));
}

function some(value: unknown, holds: (secret: Secret) => boolean): boolean {
  if (value instanceof Secret) return holds(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((entry) => some(entry, holds));
}
