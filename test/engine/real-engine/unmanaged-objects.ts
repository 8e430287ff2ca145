import assert from "node:assert/strict";
import type { Simulator } from "../../../simulator/src";

/** Unmanaged policies and rules: remembered byte for byte, and compared at the end of a story. */
export class UnmanagedObjects {
  private readonly remembered = new Map<string, { readonly zoneId: string; readonly bytes: string }>();

  constructor(private readonly sim: Pick<Simulator, "zone">) {}

  /** Remembers all policies and rules that the zone has now, or just the one with this id. */
  watch(zoneId: string, id?: string): void {
    for (const [found, bytes] of this.objectsOf(zoneId)) {
      if (id === undefined || id === found) this.remembered.set(found, { zoneId, bytes });
    }
  }

  /** Forgets these objects, because the story may change them from now on. */
  release(...ids: readonly string[]): void {
    for (const id of ids) this.remembered.delete(id);
  }

  expectUntouched(): void {
    for (const [id, { zoneId, bytes }] of this.remembered) {
      assert.equal(
        this.objectsOf(zoneId).get(id),
        bytes,
        `unmanaged object ${id} of zone ${zoneId} was changed`,
      );
    }
  }

  private objectsOf(zoneId: string): Map<string, string> {
    const { policies, entrypoint } = this.sim.zone(zoneId);
    return new Map(
      [...policies, ...(entrypoint?.rules ?? [])].map((object) => [object.id, JSON.stringify(object)]),
    );
  }
}
