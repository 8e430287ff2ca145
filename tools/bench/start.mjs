import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../setup/workspace.mjs";
import { findOrMakeYamlHost } from "../setup/yaml-host.mjs";
import { openBackend } from "./stacks.mjs";
import { median, ratio, seconds, table } from "./table.mjs";

const bare = join(dirname(fileURLToPath(import.meta.url)), "bare-plugin/pulumi-resource-bare");
const ours = join(root, "provider/plugin/pulumi-resource-page-guard");

/**
 * Measures what programs in other languages wait for: the port of the plugin, and a preview of one policy. Compares with
 * plugins that do nothing, with a warm compile cache of Node and without one.
 */
export async function startBench({ engine, startSimulator, isQuick, progress }) {
  const rounds = isQuick ? 3 : 7;
  const sim = await startSimulator({ latencyMs: 20 });
  const cache = mkdtempSync(join(tmpdir(), "page-guard-bench-cache-"));
  const caches = { warm: { NODE_COMPILE_CACHE: cache }, none: { NODE_DISABLE_COMPILE_CACHE: "1" } };
  const backend = openBackend([await findOrMakeYamlHost(engine), engine]);
  const zoneId = "1".padStart(32, "0");
  sim.zones.seed(zoneId, { scripts: 0, connections: 0, cookies: 0 });
  try {
    const rows = [];
    for (const [name, env] of Object.entries(caches)) {
      const port = await inTurn(rounds, {
        bare: () => firstLineMs(bare, env),
        ours: () => firstLineMs(ours, env),
      });
      rows.push([`the plugin's port, cache: ${name}`, port]);
      const stacks = {};
      for (const subject of ["yaml-nothing", "yaml-ours"])
        stacks[subject] = await backend.openStack(subject, { n: 1, zoneId, sim, name, env });
      const preview = async (subject) => (await stacks[subject].run("create preview")).wallMs;
      const previews = await inTurn(rounds, {
        bare: () => preview("yaml-nothing"),
        ours: () => preview("yaml-ours"),
      });
      rows.push([`a preview of one policy from YAML, cache: ${name}`, previews]);
      progress(`start, cache: ${name}`);
    }
    return {
      title: "What a start costs",
      results: rows,
      text: table(
        [`seconds, ${process.version}`, "does nothing", "ours", "ours/does nothing"],
        rows.map(([title, { bare: floor, ours: own }]) => [
          title,
          seconds(floor),
          seconds(own),
          ratio(own, floor),
        ]),
      ),
    };
  } finally {
    rmSync(cache, { recursive: true, force: true });
    backend.close();
    await sim.stop();
  }
}

/** Returns the median of each subject. The subjects run in turn. The first round fills caches and does not count. */
async function inTurn(rounds, subjects) {
  const times = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(subjects)) {
      const ms = await measure();
      times[name] ??= [];
      if (round > 0) times[name].push(ms);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, median(ms)]));
}

/** Returns the milliseconds until a script of Node has written its first line. */
async function firstLineMs(script, env) {
  const started = performance.now();
  const child = spawn(process.execPath, [script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  await once(child.stdout, "data");
  const took = performance.now() - started;
  // Waits until the plugin has written its compile cache.
  setTimeout(() => child.kill("SIGKILL"), 300);
  await once(child, "close");
  return took;
}
