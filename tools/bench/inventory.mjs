import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inChild } from "./in-child.mjs";
import { megabytes, seconds, table } from "./table.mjs";

/** The commands of the inventory on a large zone: all of it new, compared, without news, all of it gone. */
export async function inventoryBench({ startSimulator, progress, isQuick }) {
  const count = isQuick ? 2_000 : 10_000;
  const script = join(dirname(fileURLToPath(import.meta.url)), "inventory-runner.mjs");
  const zoneId = "1".padStart(32, "0");
  const folder = mkdtempSync(join(tmpdir(), "page-guard-bench-"));
  const sim = await startSimulator();
  const results = [];
  try {
    const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
    const seed = (scripts) => sim.zones.seed(zoneId, { scripts, connections: 0, cookies: 0 });
    const scripts = Array.from({ length: count }, (_, index) => ({
      url: `https://cdn${index % 50}.example/v3/part${index}-script.js`,
      hash: index.toString(16).padStart(64, "0"),
    }));
    for (const [what, command, zone] of [
      ["update, all new", "update", scripts],
      ["check", "check", scripts],
      ["update, no news", "update", scripts],
      ["update, all but one gone", "update", scripts.slice(0, 1)],
    ]) {
      seed(zone);
      const measured = await inChild(script, [folder, command, zoneId], env);
      progress(`inventory, ${what}: ${seconds(measured.cpuMs)} s of processor time`);
      results.push({ what, ...measured });
    }
  } finally {
    await sim.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const text = table(
    [`${count} scripts`, "exit", "CPU s", "memory at most, MB"],
    results.map(({ what, code, cpuMs, peakBytes }) => [what, code, seconds(cpuMs), megabytes(peakBytes)]),
  );
  return { title: "The inventory of a large zone", results, text };
}
