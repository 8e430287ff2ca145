/**
 * Returns a zone id (32 hexadecimal characters) in lower case; undefined for anything else. The service accepts both cases for
 * the same zone, so ids are compared after this conversion.
 */
export function parseZoneId(text: unknown): string | undefined {
  return typeof text === "string" && /^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** Whether two values are equal, or ids of the same zone. Accepts values that are not known yet. */
export function isSameZone(left: unknown, right: unknown): boolean {
  return (parseZoneId(left) ?? left) === (parseZoneId(right) ?? right);
}
