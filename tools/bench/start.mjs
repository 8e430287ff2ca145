import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";
import { openBackend, runInTurn } from "./stacks.mjs";
import { ratio, seconds, table } from "./table.mjs";

const bare = join(root, "tools/bench/bare-plugin/pulumi-resource-bare");
const ours = join(root, "provider/plugin/pulumi-resource-page-guard");

/**
 * Measures what programs in other languages wait for: the port of the plugin, and a preview of one policy. Compares with
 * plugins that do nothing, with a warm compile cache of Node and without one.
 */
export async function startBench({ engine, startSimulator, isQuick, progress }) {
  const sim = await startSimulator({ latencyMs: 20 });
  const backend = await openBackend(engine);
  const caches = {
    warm: { NODE_COMPILE_CACHE: join(backend.scratch, "cache") },
    none: { NODE_DISABLE_COMPILE_CACHE: "1" },
  };
  const zoneId = "1".padStart(32, "0");
  sim.zones.seed(zoneId, { scripts: 0, connections: 0, cookies: 0 });
  try {
    const results = [];
    for (const [name, env] of Object.entries(caches)) {
      const stackOf = (subject) => backend.openStack(subject, { n: 1, zoneId, sim, name, env });
      const works = {
        "the plugin's port": {
          nothing: { run: () => firstLine(bare, env) },
          ours: { run: () => firstLine(ours, env) },
        },
        "a preview of one policy from YAML": {
          nothing: await stackOf("yaml-nothing"),
          ours: await stackOf("yaml-ours"),
        },
      };
      for (const [work, subjects] of Object.entries(works)) {
        const turns = { by: "wallMs", progress: (text) => progress(`start, cache: ${name}, ${text}`) };
        // The first round fills caches and does not count.
        await runInTurn(subjects, ["create preview"], { ...turns, rounds: 1 });
        const found = await runInTurn(subjects, ["create preview"], { ...turns, rounds: isQuick ? 3 : 7 });
        const { nothing, ours: own } = found["create preview"];
        results.push([`${work}, cache: ${name}`, nothing.wallMs, own.wallMs]);
      }
    }
    const head = [`seconds, ${process.version}`, "does nothing", "ours", "ours/does nothing"];
    const rows = results.map(([work, floor, own]) => [work, seconds(floor), seconds(own), ratio(own, floor)]);
    return { title: "What a start costs", results, text: table(head, rows) };
  } finally {
    backend.close();
    await sim.stop();
  }
}

/** Returns the milliseconds until a script of Node has written its first line. */
async function firstLine(script, env) {
  const started = performance.now();
  const child = spawn(process.execPath, [script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  await once(child.stdout, "data");
  const wallMs = performance.now() - started;
  // Waits until the plugin has written its compile cache.
  setTimeout(() => child.kill("SIGKILL"), 300);
  await once(child, "close");
  return { wallMs };
}
