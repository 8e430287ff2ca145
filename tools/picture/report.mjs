import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";

const example = join(root, "examples/audit");
const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
/** Time of the report: the end of the example's year. */
const now = Date.UTC(2026, 10, 23, 6);

/** Writes the report of examples/audit and returns the path of its page. */
export async function writeReport({ sim, connection, scratch }) {
  const require = createRequire(import.meta.url);
  const { processSession, run } = require(join(root, "command/dist/run.js"));
  sim.zones.seed(zoneId, JSON.parse(readFileSync(join(example, "zone.json"), "utf8")));
  const out = join(scratch, "report");
  const args = ["report", "--zones", "zones.yaml", "--inventory", "inventory", "--runs", "runs"];
  const session = { ...processSession(), cwd: example, env: connection, now: () => now };
  const code = await run([...args, "--from", "2025-11-24", "--format", "html", "--out", out], session);
  if (code !== 0) throw new Error(`The report had to be written, but the command ended with ${code}.`);
  return join(out, "report.html");
}
