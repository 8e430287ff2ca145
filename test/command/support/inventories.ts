import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Simulator, ZoneScript, ZoneSeed } from "../../../simulator/src";
import { hashOf } from "../inventory/items";
import type { Desk, Ended } from "./console";

export const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
export const zone = ["--zone", zoneId, "--name", `${zoneId}=shop`];
export const file = "inventory/shop.yaml";
export const day = (text: string) => ({ now: () => Date.parse(`${text}T12:00:00Z`) });
export const payments = "https://js.payments.example/v3/pay.js";

export interface Told {
  readonly code: string;
  readonly severity: string;
  readonly line?: number;
  readonly text: string;
  readonly isNew?: boolean;
  readonly scripts: readonly string[];
}

export function findingsOf({ out, err }: Ended): readonly Told[] {
  assert.equal(err, "");
  const { zones }: { zones: { findings: Told[] }[] } = JSON.parse(out);
  return zones.flatMap(({ findings }) => findings);
}

export function codes(ended: Ended): readonly string[] {
  return findingsOf(ended).map(({ code }) => code);
}

export function textOf({ folder }: Desk): string {
  return readFileSync(join(folder, file), "utf8");
}

export function put({ folder }: Desk, text: string | Buffer): void {
  mkdirSync(join(folder, "inventory"), { recursive: true });
  writeFileSync(join(folder, file), text);
}

export function script(url: string, more: Partial<ZoneScript> = {}): Partial<ZoneScript> {
  return {
    url,
    host: "shop.example.com",
    status: "active",
    first_page_url: "https://shop.example.com/checkout",
    page_urls: [],
    js_integrity_score: 90,
    domain_reported_malicious: false,
    url_reported_malicious: false,
    ...more,
  };
}

export const policy = {
  description: "checkout",
  action: "allow",
  enabled: true,
  expression: 'http.host eq "shop.example.com"',
  value: "script-src 'self' https://js.payments.example",
};

export function idOf(sim: Simulator, url: string): string {
  return sim.zone(zoneId).scripts.find((one) => one.url === url)?.id ?? assert.fail(url);
}

/** Creates a zone with Page Guard switched on and these scripts. */
export function watch(
  sim: Simulator,
  scripts: NonNullable<ZoneSeed["scripts"]>,
  policies: NonNullable<ZoneSeed["policies"]> = [policy],
  id = zoneId,
): void {
  sim.zones.seed(id, { settings: { enabled: true }, scripts, policies });
}

export function seed(sim: Simulator): void {
  watch(sim, [
    script("https://shop.example.com/app.9c1d22ee.js", { hash: hashOf(3), js_integrity_score: 80 }),
    script(payments, { hash: hashOf(1) }),
    script("https://shop.example.com/app.3f2a91bc.js", { hash: hashOf(2), status: "inactive" }),
    script("https://tags.example/t.js", { hash: null, js_integrity_score: null }),
  ]);
}

export const appJs = "https://shop.example.com/app.js";
export const twoScripts = [script(payments, { hash: hashOf(1) }), script(appJs, { hash: hashOf(2) })];

/** Creates a zone with two scripts and an inventory that approves both. */
export async function approved(desk: Desk): Promise<Desk> {
  watch(desk.sim, twoScripts);
  const entry = (match: string, number: number) =>
    `- match: ${match}\n  justification: needed for ${match}\n  integrity: { hashes: ["${hashOf(number)}"] }\n  approved: { by: Ada, reference: https://git.example/pull/7, on: 2025-12-01 }\n  firstSeen: 2025-11-01\n`;
  put(desk, `${entry(payments, 1)}${entry(appJs, 2)}`);
  return desk;
}
