import { inZone } from "./memory";
import type { Run } from "./run";

/**
 * The resource that the program of this run declares for a zone, by kind. `held`: it is there by now, for it was before this
 * run or is being created; `declared`: it is still to be created.
 */
const claimsOf = inZone(() => new Map<string, { urn: string; is: "declared" | "held" }>());

/**
 * Notes that `urn` declares the only resource of its kind for the zone. Returns the URN that declared it before, if
 * that is another one. The same URN comes twice when a resource is replaced: until its successor is being created, no resource
 * has the zone.
 */
export function claimZone(run: Run, kind: string, zoneId: string, urn: string): string | undefined {
  const claims = claimsOf(run, zoneId);
  const other = claims.get(kind);
  if (other !== undefined && other.urn !== urn) return other.urn;
  claims.set(kind, { urn, is: "declared" });
  return undefined;
}

/** The declared resource is there: it was compared with its state, or is being created. */
export function holdZone(run: Run, kind: string, zoneId: unknown, urn: string): void {
  claimsOf(run, zoneId).set(kind, { urn, is: "held" });
}

/**
 * Whether a resource that this run declares has the zone by now. A resource that was renamed without an alias is deleted
 * after its successor was created: undoing its work would undo the successor's. With `deleteBeforeReplace` it is deleted
 * before, and what it leaves would belong to no resource if the run were cut off there.
 */
export function hasSuccessor(run: Run, kind: string, zoneId: string): boolean {
  return claimsOf(run, zoneId).get(kind)?.is === "held";
}

/** To an adoption: only the old state knows what was there before. The engine shows it neither for another name nor with `--replace`. */
export function ifRenamed(what: string): string {
  return ` If this resource was only renamed, or is recreated by --replace, the original ${what} recorded by the old resource are lost, unless it is deleted first (deleteBeforeReplace): keep them with aliases: [{ name: "the old name" }] in its options.`;
}
