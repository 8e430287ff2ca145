import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inChild } from "./in-child.mjs";
import { megabytes, seconds, table } from "./table.mjs";

const readers = ["collected", "iterated", "plain sequential"];

/** All scripts of a large zone: by the package, as a list and one by one, and by a plain reader page after page. */
export async function listsBench({ startSimulator, progress, isQuick }) {
  const count = isQuick ? 2_000 : 10_000;
  const script = join(dirname(fileURLToPath(import.meta.url)), "list-reader.mjs");
  const zoneId = "1".padStart(32, "0");
  const smallZoneId = "2".padStart(32, "0");
  const results = [];
  for (const reader of readers) {
    const sim = await startSimulator({ latencyMs: 20 });
    try {
      sim.zones.seed(smallZoneId, { scripts: 1 });
      sim.zones.seed(zoneId, { scripts: count, statuses: ["active"], connections: 0, cookies: 0 });
      const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
      const { items, wallMs, cpuMs } = await inChild(script, [reader, zoneId, smallZoneId, "time"], env);
      const requests = sim.requests({ zoneId });
      const inFlight = Math.max(...requests.map((entry) => entry.inFlight));
      const memory = await inChild(script, [reader, zoneId, smallZoneId, "memory"], env, ["--expose-gc"]);
      progress(`lists, ${reader}: ${items} scripts in ${seconds(wallMs)} s`);
      results.push({
        reader,
        items,
        requests: requests.length,
        inFlight,
        wallMs,
        cpuMs,
        heapBytes: memory.heapBytes,
        firstHeapBytes: memory.firstHeapBytes,
      });
    } finally {
      await sim.stop();
    }
  }
  const text = table(
    [
      `${count} scripts`,
      "items",
      "requests",
      "in flight",
      "s",
      "CPU s of the reader",
      "heap after 1/10, MB",
      "heap at most, MB",
    ],
    results.map((row) => [
      row.reader,
      row.items,
      row.requests,
      row.inFlight,
      seconds(row.wallMs),
      seconds(row.cpuMs),
      megabytes(row.firstHeapBytes),
      megabytes(row.heapBytes),
    ]),
  );
  return { title: "Lists at 20 ms a request (heap: live objects beyond the start)", results, text };
}
