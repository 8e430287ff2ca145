/**
 * The id of a zone: 32 hexadecimal characters, in lower case. The service takes both cases, and they are one zone; this is
 * where that is decided. Undefined for what is not an id.
 */
export function zoneIdOf(text: unknown): string | undefined {
  return typeof text === "string" && /^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** Whether two ids are of one zone; they may be not known yet. */
export function isSameZone(left: unknown, right: unknown): boolean {
  return (zoneIdOf(left) ?? left) === (zoneIdOf(right) ?? right);
}
