/** Reads all scripts of a large zone, as a list and one by one: measures requests, their concurrency, time and live objects. */
import { createRequire } from "node:module";
import { megabytes, seconds, table } from "./table.mjs";

const require = createRequire(import.meta.url);
const zoneId = "1".padStart(32, "0");

const readers = {
  "as a list": async ({ getScripts }, see) => {
    const list = await getScripts({ zoneId });
    for (const _ of list) see();
    return list;
  },
  iterated: async ({ iterateScripts }, see) => {
    for await (const _ of iterateScripts({ zoneId })) see();
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
      let items = 0;
      // The variable keeps the list in memory until the heap is measured.
      const kept = await read(require("pulumi-page-guard"), () => {
        items += 1;
      });
      const wallMs = performance.now() - started;
      const heapBytes = process.memoryUsage().heapUsed;
      const requests = sim.requests({ zoneId });
      const inFlight = Math.max(...requests.map((entry) => entry.inFlight));
      results.push({
        reader,
        items: kept?.length ?? items,
        requests: requests.length,
        inFlight,
        wallMs,
        heapBytes,
      });
      progress(`lists, ${reader}: ${items} scripts in ${seconds(wallMs)} s`);
    } finally {
      await sim.stop();
    }
  }
  const rows = results.map(({ reader, items, requests, inFlight, wallMs, heapBytes }) => [
    reader,
    items,
    requests,
    inFlight,
    seconds(wallMs),
    megabytes(heapBytes),
  ]);
  const head = [`${count} scripts`, "items", "requests", "in flight", "s", "heap then, MB"];
  return { title: "Lists at 20 ms a request", results, text: table(head, rows) };
}
