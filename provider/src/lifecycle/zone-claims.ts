import { rememberInZone } from "./memory";
import type { Run } from "./run";

/**
 * The resource that the program declares for a zone, by kind. `existing`: the resource existed before this run, or its creation
 * has begun. `planned`: its creation has not begun.
 */
const getClaims = rememberInZone(() => new Map<string, { urn: string; is: "planned" | "existing" }>());

/**
 * Claims the zone for the resource `urn`, the only one of its kind that a zone can have. Returns the URN of another resource that
 * claimed the zone before. A resource that is being replaced claims the zone a second time. The claim is then `planned` until the
 * creation of its successor begins.
 */
export function claimZone(run: Run, kind: string, zoneId: string, urn: string): string | undefined {
  const claims = getClaims(run, zoneId);
  const other = claims.get(kind);
  if (other !== undefined && other.urn !== urn) return other.urn;
  claims.set(kind, { urn, is: "planned" });
  return undefined;
}

/** Records that the declared resource exists: `diff` has compared it with its state, or its creation has begun. */
export function holdZone(run: Run, kind: string, zoneId: unknown, urn: string): void {
  getClaims(run, zoneId).set(kind, { urn, is: "existing" });
}

/**
 * Whether a resource that this run declares already manages the zone. A resource that was renamed without an alias is deleted
 * after its successor was created, so its delete must not undo the successor's work. With `deleteBeforeReplace`, a resource is
 * deleted before its successor is created, so its delete undoes its own work. If the delete left that work in the zone and the
 * run then stopped, no resource would manage it.
 */
export function hasSuccessor(run: Run, kind: string, zoneId: string): boolean {
  return getClaims(run, zoneId).get(kind)?.is === "existing";
}

/**
 * Returns a warning for messages about adoptions. Only the old state has the original settings or rules. The engine does not pass
 * that state to a resource with another name, or in an update with `--replace`.
 */
export function warnIfRenamed(what: string): string {
  return ` If this resource was only renamed, or is recreated by --replace, the original ${what} are lost, because only the old resource's state has them. To keep them, add aliases: [{ name: "the old name" }] to the options of a renamed resource, or set deleteBeforeReplace before a --replace.`;
}
