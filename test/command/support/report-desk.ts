import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditReport } from "../../../command/src/documents/audit/report-data";
import type { Simulator } from "../../../simulator/src";
import { useDesk, zoneId } from "./console";

export const now = Date.UTC(2026, 10, 23, 6, 0);
export const weekMs = 7 * 86_400_000;
export const otherZone = "b".repeat(32);
export const named = ["--name", `${zoneId}=shop`];
export const pull = "https://git.example/shop/pull/";
export const approved = `{ by: alex, reference: "${pull}7", on: 2026-01-05 }`;
export const withInventory = ["--inventory", "inventory"];
export const record = ["--runs", "runs", "--record"];
export const everyFormat = ["--format", "html,md,csv,json"];

/** Returns what starts a story: a seeded zone beside an inventory, and `run`, which reports on it into `out`. */
export function useReports() {
  const open = useDesk();

  return async function started(inventory?: string) {
    const desk = await open();
    const { sim, folder } = desk;
    seed(sim);
    for (const name of ["inventory", "reports", "runs"]) mkdirSync(join(folder, name));
    const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
    const textOf = (name: string) => readFileSync(join(folder, name), "utf8");
    if (inventory !== undefined) put("inventory/shop.yaml", inventory);
    const run = async (
      args: readonly string[] = [],
      { week = 0, out = "out", env = {}, of = zoneId } = {},
    ) => {
      const at = { now: () => now + week * weekMs, env };
      const ended = await desk.pageGuard(["report", "--zone", of, ...named, "--out", out, ...args], at);
      const read = (): AuditReport => JSON.parse(textOf(`${out}/report.json`));
      return { ...ended, report: read, zone: () => read().data.zones[0] ?? assert.fail() };
    };
    const edit = (change: Parameters<Simulator["edit"]>[1]) => sim.edit(zoneId, change);
    return { ...desk, put, textOf, run, edit };
  };
}

/** Gives both zones the same three scripts and two policies. */
export function seed(sim: Simulator): void {
  const script = (url: string, js_integrity_score: number) => ({
    url,
    js_integrity_score,
    status: "active",
    host: "shop.example.com",
    first_page_url: "https://shop.example.com/checkout",
  });
  const policy = {
    value: "script-src 'self' https://cdn.example.net; object-src 'none'; base-uri 'self'",
    expression: 'http.host eq "shop.example.com"',
  };
  const scripts = [
    script("https://cdn.example.net/a.js", 90),
    script("https://shop.example.com/own.js", 80),
    script("https://evil.example/x.js", 3),
  ];
  const policies = [
    { description: "checkout", action: "allow", ...policy },
    { description: "next", action: "log", ...policy },
  ];
  for (const id of [zoneId, otherZone])
    sim.zones.seed(id, { settings: { enabled: true }, scripts, connections: [], policies });
}
