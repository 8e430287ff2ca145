import { loadavg } from "node:os";
import { openBackend } from "./bench-stack.mjs";
import { megabytes, seconds, table } from "./table.mjs";

const lifted = { PAGE_GUARD_MAX_REQUESTS_PER_5M: "1000000" };
const zoneId = "1".padStart(32, "0");

const kinds = [
  ["as it is", {}],
  ["ZSTD", { PULUMI_DIY_BACKEND_ZSTD: "true" }],
  ["GZIP", { PULUMI_DIY_BACKEND_GZIP: "true" }],
  ["SKIP_CHECKPOINTS", { PULUMI_SKIP_CHECKPOINTS: "true" }],
];

/** What it costs to create N policies of ours, by how the engine keeps the state. */
export async function checkpointsBench({ engine, startSimulator, counts, progress, isLate }) {
  const results = [];
  for (const n of counts) {
    for (const [name, env] of kinds) {
      if (isLate()) progress(`checkpoints: N = ${n}, ${name} left out, the time is up`);
      else results.push(await measure(n, name, env));
    }
  }
  return { title: "What checkpoints cost: creation of N policies", results, text: report(results) };

  async function measure(n, name, env) {
    const sim = await startSimulator({});
    const backend = openBackend(engine);
    sim.zones.seed(zoneId, { policyQuota: 100_000, scripts: 0, connections: 0, cookies: 0 });
    try {
      const extraEnv = { ...lifted, ...env };
      const stack = await backend.openStack("ours", { n, zoneId, sim, name: "s", extraEnv });
      const { code, output, ...spent } = await stack.run("up", { limitMs: 1_800_000 });
      if (code !== 0) throw new Error(`checkpoints, N = ${n}, ${name}: up failed:\n${output.slice(-2000)}`);
      progress(`checkpoints, N = ${n}, ${name}: ${seconds(spent.cpuMs)} s of CPU`);
      const { wallMs, cpuMs, engineCpuMs, writtenBytes } = spent;
      return { n, name, wallMs, cpuMs, engineCpuMs, writtenBytes, load: loadavg()[0] };
    } finally {
      backend.close();
      await sim.stop();
    }
  }
}

function report(results) {
  const rows = results.map(({ n, name, wallMs, cpuMs, engineCpuMs, writtenBytes, load }) => [
    `${n}, ${name}`,
    seconds(cpuMs),
    seconds(engineCpuMs),
    megabytes(writtenBytes),
    seconds(wallMs),
    load.toFixed(1),
  ]);
  return table(["N, checkpoints", "s CPU", "of the engine", "MB written", "s", "load"], rows);
}
