import type { Run } from "./run";

const key = Symbol("zone claims");

interface ZoneClaims {
  /** `Kind zone` to the URN that declares it in this run. */
  readonly declared: Map<string, string>;
}

function claims(run: Run): ZoneClaims {
  return run.memory(key, () => ({ declared: new Map() }));
}

/**
 * Notes that `urn` declares the only resource of its kind for the zone. Returns the URN that declared it before, if
 * that is another one. The same URN comes twice when a resource is replaced.
 */
export function claimZone(run: Run, kind: string, zoneId: string, urn: string): string | undefined {
  const { declared } = claims(run);
  const place = `${kind} ${zoneId.toLowerCase()}`;
  const other = declared.get(place);
  if (other === undefined) declared.set(place, urn);
  return other !== undefined && other !== urn ? other : undefined;
}

/**
 * Whether a resource of this run declares the zone. A resource that was renamed without an alias is deleted after
 * its successor was made: undoing its work would undo the successor's.
 */
export function isZoneDeclared(run: Run, kind: string, zoneId: string): boolean {
  return claims(run).declared.has(`${kind} ${zoneId.toLowerCase()}`);
}
