import { readEntrypoint, readRule } from "../wire/entrypoint-body";
import { timestamp } from "../wire/request";
import { saveEntrypoint } from "./entrypoint";
import { hexadecimal, type Random } from "./random";
import { asWished, seedConnection, seedCookie, seedScript } from "./seed-items";
import { type EntrypointSeed, type RuleSeed, seedPolicy } from "./seed-zone";
import { deriveConfiguration } from "./waf-configuration";
import { beginFinish, enterValidation } from "./waf-migration";
import type {
  Plan,
  ZoneConnection,
  ZoneCookie,
  ZonePolicy,
  ZoneRule,
  ZoneScript,
  ZoneSettings,
  ZoneWaf,
} from "./zone";
import type { Zones } from "./zones";

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
    else saveEntrypoint(zone, readEntrypoint(structuredClone(entrypoint)), this.stamp());
  }

  /** Adds a rule at `position` (0: first), at the end by default. Gives the rule. */
  addRule(zoneId: string, rule: RuleSeed, position?: number): ZoneRule {
    const zone = this.zones.get(zoneId);
    const before = zone.entrypoint?.rules ?? [];
    const known = new Set(before.map(({ id }) => id));
    const rules: unknown[] = structuredClone(before);
    rules.splice(position ?? rules.length, 0, structuredClone(rule));
    saveEntrypoint(zone, readEntrypoint({ rules }), this.stamp());
    return found(zone.entrypoint?.rules ?? [], ({ id }) => !known.has(id), "the added rule");
  }

  /** Changes a rule, named by `id` or `ref`; its version increases. */
  changeRule(zoneId: string, idOrRef: string, change: Partial<RuleSeed>): ZoneRule {
    const zone = this.zones.get(zoneId);
    const before = zone.entrypoint?.rules ?? [];
    const target = found(before, named(idOrRef), `rule ${idOrRef}`);
    const rules = before.map((rule) => (rule === target ? { ...rule, ...change, id: rule.id } : rule));
    readRule(rules[before.indexOf(target)], "/rule");
    saveEntrypoint(zone, readEntrypoint(structuredClone({ rules })), this.stamp());
    return found(zone.entrypoint?.rules ?? [], ({ id }) => id === target.id, `rule ${idOrRef}`);
  }

  deleteRule(zoneId: string, idOrRef: string): void {
    const zone = this.zones.get(zoneId);
    const rules = without(zone.entrypoint?.rules ?? [], named(idOrRef), `rule ${idOrRef}`);
    saveEntrypoint(zone, readEntrypoint(structuredClone({ rules })), this.stamp());
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
    const reviewed = entrypoint === undefined ? deriveConfiguration(zone.waf) : structuredClone(entrypoint);
    saveEntrypoint(zone, readEntrypoint(reviewed), this.stamp());
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
    const is = ({ id }: { id: string }) => id === itemId;
    const all = [...zone.scripts, ...zone.connections, ...zone.cookies];
    found(all, is, `script, connection or cookie ${itemId}`);
    zone.scripts = zone.scripts.filter((item) => !is(item));
    zone.connections = zone.connections.filter((item) => !is(item));
    zone.cookies = zone.cookies.filter((item) => !is(item));
  }

  private stamp() {
    return { now: this.now(), mint: () => hexadecimal(this.random, 32) };
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
