import type { Run } from "./run";

const key = Symbol("zone claims");

interface ZoneClaims {
  /** `Kind zone` to the URN that declares it in this run. */
  readonly declared: Map<string, string>;
  /** Those of them whose resource is there by now: it was before this run, or is being made. */
  readonly held: Set<string>;
}

function claims(run: Run): ZoneClaims {
  return run.memory(key, () => ({ declared: new Map(), held: new Set() }));
}

function placeOf(kind: string, zoneId: unknown): string {
  return `${kind} ${String(zoneId).toLowerCase()}`;
}

/**
 * Notes that `urn` declares the only resource of its kind for the zone. Returns the URN that declared it before, if
 * that is another one. The same URN comes twice when a resource is replaced.
 */
export function claimZone(run: Run, kind: string, zoneId: string, urn: string): string | undefined {
  const { declared } = claims(run);
  const place = placeOf(kind, zoneId);
  const other = declared.get(place);
  if (other === undefined) declared.set(place, urn);
  return other !== undefined && other !== urn ? other : undefined;
}

/** The declared resource is there: it was compared with its record, or is being made. */
export function holdZone(run: Run, kind: string, zoneId: unknown): void {
  claims(run).held.add(placeOf(kind, zoneId));
}

/** It is about to be replaced: until its successor is being made, nobody has the zone. */
export function releaseZone(run: Run, kind: string, zoneId: unknown): void {
  claims(run).held.delete(placeOf(kind, zoneId));
}

/**
 * Whether a resource that this run declares has the zone by now. A resource that was renamed without an alias is deleted
 * after its successor was made: undoing its work would undo the successor's. With `deleteBeforeReplace` it is deleted
 * before, and what it leaves would be nobody's if the run were cut off there.
 */
export function hasSuccessor(run: Run, kind: string, zoneId: string): boolean {
  return claims(run).held.has(placeOf(kind, zoneId));
}
