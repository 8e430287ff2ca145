import { readEntrypoint, readRule } from "../wire/entrypoint-body";
import { timestamp } from "../wire/operation";
import { saveEntrypoint } from "./entrypoint";
import { hexadecimal, type Random } from "./random";
import { asWished, seedConnection, seedCookie, seedScript } from "./seed-items";
import { type EntrypointSeed, type RuleSeed, seedPolicy, seedZone, type ZoneSeed } from "./seed-zone";
import { deriveConfiguration } from "./waf-configuration";
import { beginFinish, enterValidation, isCompatible, settle, stateName, wafStatus } from "./waf-migration";
import type {
  Plan,
  Zone,
  ZoneConnection,
  ZoneCookie,
  ZonePolicy,
  ZoneRule,
  ZoneScript,
  ZoneSettings,
  ZoneSnapshot,
  ZoneWaf,
} from "./zone";

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
    const zone = this.find(zoneId);
    if (zone === undefined) throw new Error(`There is no zone ${zoneId}: seed it first.`);
    // New arrays: what a list kept of the old ones is not used again.
    zone.scripts = [...zone.scripts];
    zone.connections = [...zone.connections];
    zone.cookies = [...zone.cookies];
    return zone;
  }

  snapshot(zoneId: string): ZoneSnapshot {
    const { waf, ...zone } = this.get(zoneId);
    const status = { newStatus: wafStatus(waf, this.now()).new, oldStatus: wafStatus(waf, this.now()).old };
    const migration = { migrationState: stateName(waf), compatible: isCompatible(waf) };
    return structuredClone({ ...zone, waf: { ...waf, ...status, ...migration } });
  }
}

export function isZoneId(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text);
}

/**
 * Acts on zones as another person would, in the dashboard or with another tool: not through the APIs, so neither journal, faults
 * nor rate limit see it. Each method throws when there is no such zone or object.
 */
export class Dashboard {
  constructor(
    private readonly zones: Zones,
    private readonly random: Random,
    private readonly now: () => number,
  ) {}

  setPlan(zoneId: string, plan: Plan): void {
    this.zones.get(zoneId).plan = plan;
  }

  setSettings(zoneId: string, settings: Partial<ZoneSettings>): void {
    const zone = this.zones.get(zoneId);
    zone.settings = { ...zone.settings, updated_at: timestamp(this.now()), ...settings };
  }

  /** Adds a policy, or changes the one with this `id`. Gives the policy. */
  putPolicy(zoneId: string, policy: Partial<ZonePolicy>): ZonePolicy {
    const { policies } = this.zones.get(zoneId);
    const known = policies.find(({ id }) => id === policy.id);
    if (known !== undefined) return { ...Object.assign(known, policy) };
    const added = seedPolicy(this.random, policy);
    policies.push(added);
    return { ...added };
  }

  deletePolicy(zoneId: string, policyId: string): void {
    const zone = this.zones.get(zoneId);
    zone.policies = without(zone.policies, (policy) => policy.id === policyId, `policy ${policyId}`);
  }

  /** Replaces the whole list; `null`: as if it had never been configured. */
  putEntrypoint(zoneId: string, entrypoint: EntrypointSeed | null): void {
    const zone = this.zones.get(zoneId);
    if (entrypoint === null) zone.entrypoint = null;
    else {
      const stamp = { now: this.now(), mint: () => hexadecimal(this.random, 32) };
      saveEntrypoint(zone, readEntrypoint(structuredClone(entrypoint)), stamp);
    }
  }

  /** Adds a rule at `position` (0: first), at the end by default. Gives the rule. */
  addRule(zoneId: string, rule: RuleSeed, position?: number): ZoneRule {
    const zone = this.zones.get(zoneId);
    const before = zone.entrypoint?.rules ?? [];
    const rules: RuleSeed[] = [...before];
    rules.splice(position ?? rules.length, 0, rule);
    this.putEntrypoint(zoneId, { rules });
    const isNew = ({ id }: ZoneRule) => !before.some((rule) => rule.id === id);
    return found(zone.entrypoint?.rules ?? [], isNew, "the added rule");
  }

  /** Changes a rule, named by `id` or `ref`; its version increases. */
  changeRule(zoneId: string, idOrRef: string, change: Partial<RuleSeed>): ZoneRule {
    const zone = this.zones.get(zoneId);
    const before = zone.entrypoint?.rules ?? [];
    const target = found(before, named(idOrRef), `rule ${idOrRef}`);
    const rules = before.map((rule) => (rule === target ? { ...rule, ...change, id: rule.id } : rule));
    readRule(rules[before.indexOf(target)], "/rule");
    this.putEntrypoint(zoneId, { rules });
    return found(zone.entrypoint?.rules ?? [], ({ id }) => id === target.id, `rule ${idOrRef}`);
  }

  deleteRule(zoneId: string, idOrRef: string): void {
    const zone = this.zones.get(zoneId);
    const rules = without(zone.entrypoint?.rules ?? [], named(idOrRef), `rule ${idOrRef}`);
    this.putEntrypoint(zoneId, { rules });
  }

  /** Changes anything of the migration's state: durations, eligibility, URI overrides, the previous configuration. */
  setWaf(zoneId: string, waf: Partial<ZoneWaf>): void {
    Object.assign(this.zones.get(zoneId).waf, structuredClone(waf));
  }

  /**
   * "Review configuration", then "Deploy": starts the finish on Pro and Business, validation mode on Enterprise. Without
   * an entry point: the configuration that the service derives.
   */
  deployNewWaf(zoneId: string, entrypoint?: EntrypointSeed): void {
    const zone = this.zones.get(zoneId);
    if (zone.waf.stage !== "old") throw new Error(`Zone ${zoneId} has already left the previous WAF.`);
    this.putEntrypoint(zoneId, entrypoint ?? deriveConfiguration(zone.waf));
    if (zone.plan === "enterprise") enterValidation(zone.waf, this.now(), "dashboard");
    else beginFinish(zone.waf, this.now(), "dashboard");
  }

  /** "Ready to update", then "Turn off previous version": ends validation mode. */
  turnOffPreviousVersion(zoneId: string): void {
    const { waf } = this.zones.get(zoneId);
    if (waf.stage !== "validation") throw new Error(`Zone ${zoneId} is not in validation mode.`);
    beginFinish(waf, this.now(), "dashboard");
  }

  /** A script is seen: what is left out is invented. */
  addScript(zoneId: string, script: Partial<ZoneScript> = {}): ZoneScript {
    const added = asWished(this.seenNow(seedScript(this.random, 0)), script);
    this.zones.get(zoneId).scripts.push(added);
    return added;
  }

  addConnection(zoneId: string, connection: Partial<ZoneConnection> = {}): ZoneConnection {
    const added = asWished(this.seenNow(seedConnection(this.random, 0)), connection);
    this.zones.get(zoneId).connections.push(added);
    return added;
  }

  addCookie(zoneId: string, cookie: Partial<ZoneCookie> = {}): ZoneCookie {
    const added = { ...this.seenNow(seedCookie(this.random, 0)), ...cookie };
    this.zones.get(zoneId).cookies.push(added);
    return added;
  }

  /** A script, connection or cookie was not seen for too long and is no longer listed. */
  forgetItem(zoneId: string, itemId: string): void {
    const zone = this.zones.get(zoneId);
    const isOther = ({ id }: { id: string }) => id !== itemId;
    if ([...zone.scripts, ...zone.connections, ...zone.cookies].every(isOther))
      throw new Error(`There is no script, connection or cookie ${itemId}.`);
    zone.scripts = zone.scripts.filter(isOther);
    zone.connections = zone.connections.filter(isOther);
    zone.cookies = zone.cookies.filter(isOther);
  }

  private seenNow<T extends { first_seen_at: string; last_seen_at: string }>(item: T): T {
    const seenAt = timestamp(this.now());
    return { ...item, first_seen_at: seenAt, last_seen_at: seenAt };
  }
}

function named(idOrRef: string): (rule: ZoneRule) => boolean {
  return ({ id, ref }) => id === idOrRef || ref === idOrRef;
}

function without<T>(items: readonly T[], isIt: (item: T) => boolean, name: string): T[] {
  found(items, isIt, name);
  return items.filter((item) => !isIt(item));
}

function found<T>(items: readonly T[], isIt: (item: T) => boolean, name: string): T {
  const item = items.find(isIt);
  if (item === undefined) throw new Error(`There is no ${name}.`);
  return item;
}
