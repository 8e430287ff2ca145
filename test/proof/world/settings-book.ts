import assert from "node:assert/strict";
import type { ZoneSettings } from "../../../simulator/src";
import type { Declarations, SettingsDeclaration, Zone } from "./declarations";

/** Names of the switches in the service. */
export const names = {
  enabled: "enabled",
  useVendorReportingEndpoint: "use_vendor_reporting_endpoint",
  useConnectionUrlPath: "use_connection_url_path",
} as const;
export type Switch = keyof typeof names;
export const switches = ["enabled", "useVendorReportingEndpoint", "useConnectionUrlPath"] as const;
export type Switches = Readonly<Record<Switch, boolean>>;

export function switchesOf(settings: ZoneSettings): Switches {
  return Object.fromEntries(switches.map((name) => [name, settings[names[name]]])) as Switches;
}

/** Book about the switches of a zone, from the acts of people and programs. */
export class SettingsBook {
  /** Values that people set last. A switch that was ever declared belongs to the stack from then on. */
  private people: Switches;
  private readonly everDeclared = new Set<Switch>();

  constructor(
    private readonly zone: Zone,
    found: ZoneSettings,
  ) {
    this.people = switchesOf(found);
  }

  declares(program: Declarations): void {
    for (const name of switches)
      if (declaredIn(program, this.zone)?.switches[name] !== undefined) this.everDeclared.add(name);
  }

  switched(which: Switch, value: boolean): void {
    this.people = { ...this.people, [which]: value };
  }

  judge(live: ZoneSettings): void {
    const now = switchesOf(live);
    for (const name of switches) {
      if (!this.everDeclared.has(name))
        assert.equal(now[name], this.people[name], `${name} was never declared, and was changed`);
    }
  }

  expectDeclared(live: ZoneSettings, program: Declarations): void {
    this.judge(live);
    const now = switchesOf(live);
    for (const [name, value] of Object.entries(declaredIn(program, this.zone)?.switches ?? {}))
      if (value !== undefined) assert.equal(now[name as Switch], value, `${name} is not as declared`);
  }

  /** Checks the settings after the stack has released the zone, by the `onDestroy` in the state. */
  expectReleased(
    live: ZoneSettings,
    record: Readonly<Record<string, unknown>>,
    before: Switches,
    initial: Partial<Switches>,
  ): void {
    this.judge(live);
    const now = switchesOf(live);
    const { onDestroy = "restore" } = record;
    for (const name of switches) {
      const isOurs = onDestroy === "restore" && record[name] !== undefined;
      const wanted = isOurs
        ? initial[name]
        : onDestroy === "disable" && name === "enabled"
          ? false
          : before[name];
      assert.equal(now[name], wanted, `${name} is wrong after the destroy`);
    }
  }
}

/** Checks that switches that are no longer declared have the values that the stack found first. */
export function expectLetGo(
  live: ZoneSettings,
  record: Readonly<Record<string, unknown>>,
  declared: SettingsDeclaration | undefined,
  initial: Partial<Switches>,
): void {
  if (!declared || declared.onDestroy === "keep") return;
  const now = switchesOf(live);
  for (const name of switches) {
    if (record[name] === undefined || declared.switches[name] !== undefined) continue;
    if (initial[name] !== undefined)
      assert.equal(now[name], initial[name], `${name} is not declared any more, and keeps its value`);
  }
}

export function declaredIn(program: Declarations, zone: Zone): SettingsDeclaration | undefined {
  for (const one of program.values()) if (one.kind === "settings" && one.zone === zone) return one;
  return undefined;
}
