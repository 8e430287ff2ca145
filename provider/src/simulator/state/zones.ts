import { seedZone, type ZoneSeed } from "./seed-zone";
import { isCompatible, settle, stateName, wafStatus } from "./waf-migration";
import type { Zone, ZoneSnapshot } from "./zone";

/** The zones of a simulator. */
export class Zones {
  private readonly zones = new Map<string, Zone>();

  constructor(
    private readonly defaultSeed: number,
    private readonly now: () => number,
  ) {}

  /** Creates a zone, or replaces it. `zoneId` has 32 hexadecimal characters. */
  seed(zoneId: string, wishes: ZoneSeed = {}): ZoneSnapshot {
    if (!isZoneId(zoneId))
      throw new Error(`"${zoneId}" is not a zone id: a zone id has 32 hexadecimal characters.`);
    const id = zoneId.toLowerCase();
    this.zones.set(id, seedZone(id, structuredClone(wishes), this.defaultSeed));
    return this.snapshot(id);
  }

  /** Removes a zone; `false` when there was none. */
  remove(zoneId: string): boolean {
    return this.zones.delete(zoneId.toLowerCase());
  }

  ids(): string[] {
    return [...this.zones.keys()];
  }

  /** The zone itself, brought up to date with the clock; undefined when there is none. */
  find(zoneId: string): Zone | undefined {
    const zone = this.zones.get(zoneId.toLowerCase());
    if (zone !== undefined) settle(zone.waf, this.now());
    return zone;
  }

  /** As `find`, before a change; throws when there is none. */
  get(zoneId: string): Zone {
    const zone = this.existing(zoneId);
    // New arrays: what a list kept of the old ones is not used again.
    zone.scripts = [...zone.scripts];
    zone.connections = [...zone.connections];
    zone.cookies = [...zone.cookies];
    return zone;
  }

  snapshot(zoneId: string): ZoneSnapshot {
    const zone = this.existing(zoneId);
    const status = wafStatus(zone.waf, this.now());
    const waf = {
      ...zone.waf,
      newStatus: status.new,
      oldStatus: status.old,
      migrationState: stateName(zone.waf),
      compatible: isCompatible(zone.waf),
    };
    return structuredClone({ ...zone, waf });
  }

  private existing(zoneId: string): Zone {
    const zone = this.find(zoneId);
    if (zone === undefined) throw new Error(`There is no zone ${zoneId}: seed it first.`);
    return zone;
  }
}

export function isZoneId(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text);
}
