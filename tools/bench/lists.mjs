/** Reads all scripts of a large zone, as a list and one by one: measures requests, their concurrency, time and live objects. */
import { createRequire } from "node:module";
import { megabytes, seconds, table } from "./table.mjs";

const require = createRequire(import.meta.url);
const zoneId = "1".padStart(32, "0");

/** Ways to read. Each returns the number of items, and what stays in memory until the heap is measured. */
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

export async function listsBench({ startSimulator, progress, isQuick }) {
  const count = isQuick ? 2_000 : 10_000;
  const results = [];
  for (const [reader, read] of Object.entries(readers)) {
    const sim = await startSimulator({ latencyMs: 20 });
    try {
      sim.zones.seed(zoneId, { scripts: count, statuses: ["active"], connections: 0, cookies: 0 });
      Object.assign(process.env, { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token });
      const started = performance.now();
      const kept = await read(require("pulumi-page-guard"));
      const wallMs = performance.now() - started;
      const heapBytes = process.memoryUsage().heapUsed;
      const requests = sim.requests({ zoneId });
      const inFlight = Math.max(...requests.map((entry) => entry.inFlight));
      results.push({ reader, items: kept.items, requests: requests.length, inFlight, wallMs, heapBytes });
      progress(`lists, ${reader}: ${kept.items} scripts in ${seconds(wallMs)} s`);
    } finally {
      await sim.stop();
    }
  }
  const head = [`${count} scripts`, "items", "requests", "in flight", "s", "heap then, MB"];
  const rows = results.map(({ wallMs, heapBytes, ...counts }) => [
    ...Object.values(counts),
    seconds(wallMs),
    megabytes(heapBytes),
  ]);
  return { title: "Lists at 20 ms a request", results, text: table(head, rows) };
}
