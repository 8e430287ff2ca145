/** The engine's mark of a special object, and of those the secret. */
const mark = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";

/** A value that the stack keeps secret. Never printed, whether it could be opened or not. */
export class Secret {
  constructor(
    /** Undefined: it could not be opened. */
    readonly opened: { readonly value: unknown } | undefined,
  ) {}

  /** For whatever prints it by mistake. */
  toJSON(): string {
    return "[secret]";
  }

  toString(): string {
    return "[secret]";
  }
}

/** A recorded value with its secrets as such, at any depth. */
export function withSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSecrets);
  if (typeof value !== "object" || value === null) return value;
  if (Reflect.get(value, mark) === secretMark) return secretOf(Reflect.get(value, "plaintext"));
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withSecrets(entry)]));
}

function secretOf(plaintext: unknown): Secret {
  if (typeof plaintext !== "string") return new Secret(undefined);
  try {
    return new Secret({ value: JSON.parse(plaintext) });
  } catch {
    return new Secret(undefined);
  }
}

export function hasSecret(value: unknown): boolean {
  return some(value, (secret) => secret instanceof Secret);
}

/** Whether something in it could not be opened. */
export function isClosed(value: unknown): boolean {
  return some(value, (secret) => secret.opened === undefined);
}

/** The value as the program gave it; a closed secret is undefined. */
export function opened(value: unknown): unknown {
  if (value instanceof Secret)
    return value.opened === undefined ? undefined : opened(withSecrets(value.opened.value));
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, opened(entry)]));
}

function some(value: unknown, holds: (secret: Secret) => boolean): boolean {
  if (value instanceof Secret) return holds(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((entry) => some(entry, holds));
}
