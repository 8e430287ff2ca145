import { readEntrypoint, readRule } from "../wire/entrypoint-body";
import { timestamp } from "../wire/operation";
import { saveEntrypoint } from "./entrypoint";
import { makeHexadecimal, type Random } from "./random";
import { type EntrypointSeed, type RuleSeed, seedPolicy, seedZone, type ZoneSeed } from "./seed";
import { asWished, seedConnection, seedCookie, seedScript } from "./seed-items";
import * as migration from "./waf-migration";
import type * as zone from "./zone";

/** The zones of a simulator. */
export class Zones {
  private readonly zones = new Map<string, zone.Zone>();

  constructor(
    private readonly defaultSeed: number,
    private readonly now: () => number,
  ) {}

  /** Creates a zone, or replaces it. `zoneId` has 32 hexadecimal characters. */
  seed(zoneId: string, wishes: ZoneSeed = {}): zone.ZoneSnapshot {
    if (!isZoneId(zoneId))
      throw new Error(`"${zoneId}" is not a zone id: a zone id has 32 hexadecimal characters.`);
    const id = zoneId.toLowerCase();
    this.zones.set(id, seedZone(id, structuredClone(wishes), this.defaultSeed));
    return this.snapshot(id);
  }

  /** Removes a zone. Returns false if there is no such zone. */
  remove(zoneId: string): boolean {
    return this.zones.delete(zoneId.toLowerCase());
  }

  ids(): string[] {
    return [...this.zones.keys()];
  }

  /** Returns the zone itself, brought up to date with the clock; undefined if there is none. */
  find(zoneId: string): zone.Zone | undefined {
    const zone = this.zones.get(zoneId.toLowerCase());
    if (zone !== undefined) migration.settle(zone.waf, this.now());
    return zone;
  }

  /** Returns the zone itself, for the caller to change. Throws if there is no such zone. */
  get(zoneId: string): zone.Zone {
    const zone = this.find(zoneId);
    if (zone === undefined) throw new Error(`There is no zone ${zoneId}: seed it first.`);
    // Replaces the arrays, so that the orders cached for the old arrays are not used again.
    zone.scripts = [...zone.scripts];
    zone.connections = [...zone.connections];
    zone.cookies = [...zone.cookies];
    return zone;
  }

  snapshot(zoneId: string): zone.ZoneSnapshot {
    const { waf, ...zone } = this.get(zoneId);
    const status = migration.wafStatus(waf, this.now());
    const shown = { newStatus: status.new, oldStatus: status.old, migrationState: migration.stateName(waf) };
    return structuredClone({ ...zone, waf: { ...waf, ...shown, compatible: migration.isCompatible(waf) } });
  }
}

export function isZoneId(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text);
}

/**
 * Changes zones as another person would, in the dashboard or with another tool. The changes bypass the APIs: the journal does not
 * list them, and faults and the rate limit do not apply. Each method throws if there is no such zone or object.
 */
export class Dashboard {
  constructor(
    private readonly zones: Zones,
    private readonly random: Random,
    private readonly now: () => number,
  ) {}

  setPlan(zoneId: string, plan: zone.Plan): void {
    this.zones.get(zoneId).plan = plan;
  }

  setSettings(zoneId: string, settings: Partial<zone.ZoneSettings>): void {
    const zone = this.zones.get(zoneId);
    zone.settings = { ...zone.settings, updated_at: timestamp(this.now()), ...settings };
  }

  /** Adds a policy, or changes the policy with this `id`. Returns it. */
  putPolicy(zoneId: string, policy: Partial<zone.ZonePolicy>): zone.ZonePolicy {
    const { policies } = this.zones.get(zoneId);
    const known = policies.find(({ id }) => id === policy.id);
    if (known !== undefined) return { ...Object.assign(known, policy) };
    const added = seedPolicy(this.random, policy);
    policies.push(added);
    return { ...added };
  }

  deletePolicy(zoneId: string, policyId: string): void {
    const zone = this.zones.get(zoneId);
    const deleted = found(zone.policies, (policy) => policy.id === policyId, `policy ${policyId}`);
    zone.policies = zone.policies.filter((policy) => policy !== deleted);
  }

  /** Replaces the whole list. `null` leaves the zone as if its entry point had never been configured. */
  putEntrypoint(zoneId: string, entrypoint: EntrypointSeed | null): void {
    const zone = this.zones.get(zoneId);
    const stamp = { now: this.now(), mint: () => makeHexadecimal(this.random, 32) };
    if (entrypoint === null) zone.entrypoint = null;
    else saveEntrypoint(zone, readEntrypoint(structuredClone(entrypoint)), stamp);
  }

  /** Adds a rule at `position` (0 is first), by default at the end. Returns the rule. */
  addRule(zoneId: string, rule: RuleSeed, position?: number): zone.ZoneRule {
    const before = this.rulesOf(zoneId);
    const rules: RuleSeed[] = [...before];
    rules.splice(position ?? rules.length, 0, rule);
    this.putEntrypoint(zoneId, { rules });
    return found(this.rulesOf(zoneId), ({ id }) => !before.some((old) => old.id === id), "the added rule");
  }

  /** Changes the rule with this `id` or `ref`, and increases the version of the rule. */
  changeRule(zoneId: string, idOrRef: string, change: Partial<RuleSeed>): zone.ZoneRule {
    const target = this.rule(zoneId, idOrRef);
    const changed = { ...target, ...change, id: target.id };
    readRule(changed, "/rule");
    const rules = this.rulesOf(zoneId).map((rule) => (rule === target ? changed : rule));
    this.putEntrypoint(zoneId, { rules });
    return this.rule(zoneId, target.id);
  }

  deleteRule(zoneId: string, idOrRef: string): void {
    const target = this.rule(zoneId, idOrRef);
    this.putEntrypoint(zoneId, { rules: this.rulesOf(zoneId).filter((rule) => rule !== target) });
  }

  /** Changes any part of the migration's state: durations, eligibility, URI overrides, the previous configuration. */
  setWaf(zoneId: string, waf: Partial<zone.ZoneWaf>): void {
    Object.assign(this.zones.get(zoneId).waf, structuredClone(waf));
  }

  /**
   * Does what "Review configuration" and then "Deploy" do in the dashboard: begins the finish on Pro and Business, or validation
   * mode on Enterprise. Without `entrypoint`, deploys the configuration that the service derives.
   */
  deployNewWaf(zoneId: string, entrypoint?: EntrypointSeed): void {
    const { waf, plan } = this.zones.get(zoneId);
    if (waf.stage !== "old") throw new Error(`Zone ${zoneId} has already left the previous WAF.`);
    this.putEntrypoint(zoneId, entrypoint ?? migration.deriveConfiguration(waf));
    (plan === "enterprise" ? migration.enterValidation : migration.beginFinish)(waf, this.now(), "dashboard");
  }

  /** Does what "Ready to update" and then "Turn off previous version" do in the dashboard: ends validation mode. */
  turnOffPreviousVersion(zoneId: string): void {
    const { waf } = this.zones.get(zoneId);
    if (waf.stage !== "validation") throw new Error(`Zone ${zoneId} is not in validation mode.`);
    migration.beginFinish(waf, this.now(), "dashboard");
  }

  /** Adds a script that is seen now. Invents the fields that are left out. */
  addScript(zoneId: string, script: Partial<zone.ZoneScript> = {}): zone.ZoneScript {
    return addSeen(this.zones.get(zoneId).scripts, asWished(this.seenNow(seedScript), script));
  }

  addConnection(zoneId: string, connection: Partial<zone.ZoneConnection> = {}): zone.ZoneConnection {
    return addSeen(this.zones.get(zoneId).connections, asWished(this.seenNow(seedConnection), connection));
  }

  addCookie(zoneId: string, cookie: Partial<zone.ZoneCookie> = {}): zone.ZoneCookie {
    return addSeen(this.zones.get(zoneId).cookies, { ...this.seenNow(seedCookie), ...cookie });
  }

  /** Removes a script, connection or cookie, as the service does with items that it has not seen for a long time. */
  forgetItem(zoneId: string, itemId: string): void {
    const { scripts, connections, cookies } = this.zones.get(zoneId);
    for (const items of [scripts, connections, cookies]) {
      const index = items.findIndex(({ id }) => id === itemId);
      if (index >= 0) return void items.splice(index, 1);
    }
    throw new Error(`There is no script, connection or cookie ${itemId}.`);
  }

  private seenNow<T extends object>(seed: (random: Random, index: number) => T): T {
    const seenAt = timestamp(this.now());
    return { ...seed(this.random, 0), first_seen_at: seenAt, last_seen_at: seenAt };
  }

  private rulesOf(zoneId: string): readonly zone.ZoneRule[] {
    return this.zones.get(zoneId).entrypoint?.rules ?? [];
  }

  private rule(zoneId: string, idOrRef: string): zone.ZoneRule {
    const isNamed = ({ id, ref }: zone.ZoneRule) => id === idOrRef || ref === idOrRef;
    return found(this.rulesOf(zoneId), isNamed, `rule ${idOrRef}`);
  }
}

function addSeen<T>(items: T[], item: T): T {
  items.push(item);
  return item;
}

function found<T>(items: readonly T[], isIt: (item: T) => boolean, name: string): T {
  const item = items.find(isIt);
  if (item === undefined) throw new Error(`There is no ${name}.`);
  return item;
}
