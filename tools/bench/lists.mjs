/** Reads all scripts of a large zone, as a list and one by one: measures requests, their concurrency, time and live objects. */
import { createRequire } from "node:module";
import { megabytes, seconds, table } from "./table.mjs";

const require = createRequire(import.meta.url);
const zoneId = "1".padStart(32, "0");
const count = 10_000;

/** Ways to read. Each returns the number of items, with the data that stays in memory until the heap is measured. */
const readers = {
  "as a list": async ({ getScripts }) => {
    const list = await getScripts({ zoneId });
    return { items: list.length, list };
  },
  iterated: async ({ iterateScripts }) => {
    let items = 0;
    for await (const _ of iterateScripts({ zoneId })) items += 1;
    return { items };
  },
};

export async function listsBench({ startSimulator }) {
  const rows = [];
  for (const [reader, read] of Object.entries(readers)) {
    const sim = await startSimulator({ latencyMs: 20 });
    try {
      sim.zones.seed(zoneId, { scripts: count, statuses: ["active"], connections: 0, cookies: 0 });
      Object.assign(process.env, { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token });
      const started = performance.now();
      const kept = await read(require("pulumi-page-guard"));
      const passed = seconds(performance.now() - started);
      const heap = megabytes(process.memoryUsage().heapUsed);
      const requests = sim.requests({ zoneId });
      const inFlight = Math.max(...requests.map((entry) => entry.inFlight));
      rows.push([reader, kept.items, requests.length, inFlight, passed, heap]);
    } finally {
      await sim.stop();
    }
  }
  const head = [`${count} scripts`, "items", "requests", "in flight", "s", "heap at end, MB"];
  return { title: "Lists at 20 ms a request", text: table(head, rows) };
}
