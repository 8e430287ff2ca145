/** `policy analyze` writes this instead of what it cannot decrypt. */
export const closedSecret = "[secret]";

/**
 * Whether a value is a secret that was not decrypted: of a state that `pulumi policy analyze` reads without its
 * passphrase. A rule that needs the value should say so, rather than pass.
 */
export function isClosedSecret(value: unknown): boolean {
  return value === closedSecret;
}

/** Whether it is one, or contains one at any depth. */
export function holdsClosedSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isClosedSecret(value);
  return Object.values(value).some(holdsClosedSecret);
}
