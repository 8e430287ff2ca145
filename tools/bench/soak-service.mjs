/**
 * A slow service that fails, in a process of its own, so that its memory is not the client's. Prints its URL when it
 * listens, and what it has done when it is asked.
 */
import { createRequire } from "node:module";

const { startSimulator } = createRequire(import.meta.url)("page-guard-simulator");
const [largeZone = "", smallZone = "", items = "0"] = process.argv.slice(2);

// In each answer, as a service does: otherwise the client respects the documented limit.
const rateLimit = { limit: 1_000_000, windowMs: 300_000 };
const sim = await startSimulator({ latencyMs: 20, rateLimit });
const quiet = { statuses: ["active"], connections: 0, cookies: 0 };
sim.zones.seed(largeZone, { ...quiet, scripts: Number(items) });
sim.zones.seed(smallZone, { ...quiet, scripts: 1_000 });

const faults = [
  { kind: "latency", ms: 300, probability: 0.05 },
  { kind: "503", probability: 0.01 },
  { kind: "500", probability: 0.005 },
  { kind: "reset-before", probability: 0.005 },
  { kind: "reset-after", probability: 0.005 },
  { kind: "truncate", probability: 0.005 },
  { kind: "html", status: 502, probability: 0.002 },
  { kind: "hang", probability: 0.0005 },
];
for (const fault of faults) sim.faults.add(fault);

let requests = 0;
let failures = 0;
let inFlight = 0;

/** The journal is emptied again and again: half an hour of it would be the largest thing in this process. */
function count() {
  for (const entry of sim.journal) {
    requests += 1;
    if (entry.fault !== undefined && entry.fault !== "latency") failures += 1;
    inFlight = Math.max(inFlight, entry.inFlight);
  }
  sim.journal.clear();
}

setInterval(count, 500).unref();
process.on("message", () => {
  count();
  process.send?.({ requests, failures, inFlight });
});
// The process that started it has ended.
process.on("disconnect", () => process.exit());
process.send?.({ url: sim.url, token: sim.token });
