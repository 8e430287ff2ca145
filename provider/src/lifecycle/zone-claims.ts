import { inZone } from "./memory";
import type { Run } from "./run";

/**
 * The resource that the program of this run declares for a zone, by kind. `held`: it exists, from before this run or because it
 * is being created; `declared`: it is still to be created.
 */
const claimsOf = inZone(() => new Map<string, { urn: string; is: "declared" | "held" }>());

/**
 * Claims the zone for the resource `urn`, the only one of its kind that a zone can have. Returns the URN of another resource that
 * claimed it before. A replaced resource claims the zone a second time, which ends its hold: until its successor is being
 * created, no resource holds the zone.
 */
export function claimZone(run: Run, kind: string, zoneId: string, urn: string): string | undefined {
  const claims = claimsOf(run, zoneId);
  const other = claims.get(kind);
  if (other !== undefined && other.urn !== urn) return other.urn;
  claims.set(kind, { urn, is: "declared" });
  return undefined;
}

/** Records that the declared resource exists: it was compared with its state, or is being created. */
export function holdZone(run: Run, kind: string, zoneId: unknown, urn: string): void {
  claimsOf(run, zoneId).set(kind, { urn, is: "held" });
}

/**
 * Whether a declared resource of this run already has the zone. A resource that was renamed without an alias is deleted after its
 * successor was created, so undoing its work would undo the successor's. A resource that is replaced with `deleteBeforeReplace`
 * is deleted first and has no successor yet, so the provider undoes its work. Otherwise, if the run were interrupted at this
 * point, its objects would belong to no resource.
 */
export function hasSuccessor(run: Run, kind: string, zoneId: string): boolean {
  return claimsOf(run, zoneId).get(kind)?.is === "held";
}

/**
 * Returns a sentence for messages about adoptions: only the old state knows the original settings, and the engine does not pass
 * it on to a resource with another name or with `--replace`.
 */
export function ifRenamed(what: string): string {
  return ` If this resource was only renamed, or is recreated by --replace, the original ${what}, which only the old resource's state has, are lost. To keep them, give the renamed resource aliases: [{ name: "the old name" }] in its options, or have the old one deleted first (deleteBeforeReplace).`;
}
