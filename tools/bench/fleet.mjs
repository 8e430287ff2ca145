import { openBackend } from "./bench-stack.mjs";
import { measureFleetCommand } from "./fleet-command.mjs";
import { megabytes, seconds, table } from "./table.mjs";

const latencyMs = 20;
const lifted = { PAGE_GUARD_MAX_REQUESTS_PER_5M: "1000000" };
const atATime = 4;
const yes = ["--yes", "--skip-preview"];

const steps = [
  { name: "create", args: ["up", ...yes] },
  { name: "no-change preview", args: ["preview"] },
  { name: "preview --refresh", args: ["preview", "--refresh"] },
  { name: "one edit a zone", args: ["up", ...yes], env: { BENCH_EDITED: "1" } },
  { name: "destroy", args: ["destroy", ...yes] },
];

/** What `--fleet` chooses from: one stack, what the engine alone takes for it, a stack for each zone, the documented limit, and `page-guard fleet`, with as many at a time as `--parallel` says. */
export const fleetCases = ["one", "floor", "many", "limit", "command"];

/** Zones with settings, a set of three policies and an entry point of four rules: in one stack, and a stack each. */
export async function fleetBench({
  engine,
  startSimulator,
  counts,
  fleet,
  atOnce,
  isQuick,
  progress,
  isLate,
}) {
  const zones = isQuick ? Math.max(...counts) : 200;
  const cases = [
    { id: "one", name: "one stack", stacks: 1, extraEnv: lifted },
    {
      id: "floor",
      name: "one stack, a provider that does nothing",
      stacks: 1,
      extraEnv: {},
      subject: "fleet-floor",
    },
    { id: "many", name: `a stack a zone, ${atATime} at a time`, stacks: zones, extraEnv: lifted },
    { id: "limit", name: "one stack, 1,200 requests in 5 minutes", stacks: 1, extraEnv: {}, isLimited: true },
    ...atOnce.map((parallel) => ({
      ...{ id: "command", name: `page-guard fleet, ${parallel} at a time, 1,200 requests in 5 minutes` },
      ...{ stacks: 0, extraEnv: {}, isLimited: true, parallel },
    })),
  ].filter(({ id }) => fleet.includes(id));
  const results = [];
  for (const one of cases) {
    if (one.id !== "command" && isLate()) progress(`fleet: ${one.name} left out, the time is up`);
    else results.push(await measure(one));
  }
  return {
    title: `A fleet of ${zones} zones, ${latencyMs} ms a request`,
    results,
    text: results.map(report).join("\n\n"),
  };

  async function measure({ name, stacks: count, extraEnv, subject = "fleet", isLimited = false, parallel }) {
    const rateLimit = isLimited ? { rateLimit: { limit: 1200, windowMs: 300_000, blockMs: 300_000 } } : {};
    const sim = await startSimulator({ latencyMs, ...rateLimit });
    const backend = openBackend(engine);
    for (let index = 0; index < zones; index += 1) {
      const zoneId = (index + 1).toString(16).padStart(32, "0");
      sim.zones.seed(zoneId, { scripts: 0, connections: 0, cookies: 0, policies: [], entrypoint: undefined });
    }
    try {
      if (parallel) {
        const command = { name, steps: await measureFleetCommand({ engine, sim, zones, parallel }) };
        for (const [step, { wallMs }] of Object.entries(command.steps))
          progress(`${name}, ${step}: ${seconds(wallMs)} s`);
        return command;
      }
      const stacks = [];
      for (let index = 0; index < count; index += 1) {
        const env = { ...extraEnv, BENCH_FIRST: String(index) };
        stacks.push(
          await backend.openStack(subject, {
            n: zones / count,
            zoneId: "",
            sim,
            name: `s${index}`,
            extraEnv: env,
          }),
        );
      }
      const result = { name, steps: {} };
      for (const { name: step, args, env } of isLimited ? steps.slice(0, 2) : steps) {
        const from = sim.journal.length;
        const started = performance.now();
        const ended = await someAtATime(stacks, (stack) =>
          stack.run(step, { args, env, limitMs: 1_800_000 }),
        );
        const wallMs = performance.now() - started;
        const failed = ended.find(({ code }) => code !== 0);
        if (failed) throw new Error(`fleet, ${name}: ${step} failed:\n${failed.output.slice(-2000)}`);
        const requests = sim.journal.slice(from);
        result.steps[step] = {
          wallMs,
          cpuMs: ended.reduce((sum, one) => sum + one.cpuMs, 0),
          requests: requests.length,
          refused: requests.filter(({ status }) => status === 429).length,
          writtenBytes: ended.reduce((sum, one) => sum + one.writtenBytes, 0),
          peakBytes: Math.max(...ended.map(({ peakBytes }) => peakBytes)),
        };
        progress(`fleet, ${name}, ${step}: ${seconds(wallMs)} s, ${requests.length} requests`);
      }
      return result;
    } finally {
      backend.close();
      await sim.stop();
    }
  }
}

async function someAtATime(stacks, work) {
  const ended = [];
  const waiting = stacks.entries();
  const worker = async () => {
    for (const [index, stack] of waiting) ended[index] = await work(stack);
  };
  await Promise.all(Array.from({ length: Math.min(atATime, stacks.length) }, worker));
  return ended;
}

function report({ name, steps: measured }) {
  const rows = Object.entries(measured).map(
    ([step, { wallMs, cpuMs, requests, refused, writtenBytes, peakBytes }]) => [
      step,
      seconds(wallMs),
      seconds(cpuMs),
      requests,
      refused,
      megabytes(writtenBytes),
      megabytes(peakBytes),
    ],
  );
  return table([name, "s", "s CPU", "requests", "429", "MB written", "MB memory"], rows);
}
