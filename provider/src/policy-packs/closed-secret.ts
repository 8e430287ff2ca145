import { secretText } from "../model/engine-marks";

/**
 * Whether a value is a secret that was not decrypted, because `pulumi policy analyze` read the state without its passphrase. A
 * rule that needs the value should report this instead of passing.
 */
export function isClosedSecret(value: unknown): boolean {
  return value === secretText;
}

/** Whether a value is a secret that was not decrypted, or contains one at any depth. */
export function holdsClosedSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isClosedSecret(value);
  return Object.values(value).some(holdsClosedSecret);
}
