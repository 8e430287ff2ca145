import { availableParallelism } from "node:os";
import { openBackend, runInTurn } from "./bench-stack.mjs";
import { checkpointBytes } from "./checkpoint-bytes.mjs";
import { megabytes, ratio, seconds, table } from "./table.mjs";

const latencyMs = 20;
/** What the engine runs at once by default. */
const parallel = 4 * availableParallelism();

/**
 * N policies in one zone, from nothing to nothing, each operation by all subjects in turn. `floor` does nothing; `waits` has
 * the inputs, outputs and ids of ours and waits as long as a request takes; `asks` sends the same requests besides, with
 * nothing but Node; `plain` is as the engine's documentation teaches it.
 */
export async function engineBench({ engine, startSimulator, subjects, counts, progress, isLate }) {
  const results = [];
  for (const n of counts) {
    if (isLate()) {
      progress(`engine: N = ${n} left out, the time is up`);
      continue;
    }
    results.push(await measureCount(n));
  }
  return {
    title: `On the engine, simulator at ${latencyMs} ms a request`,
    results,
    text: results.map(report).join("\n\n"),
  };

  async function measureCount(n) {
    const sim = await startSimulator({ latencyMs });
    const backend = openBackend(engine);
    try {
      const stacks = {};
      for (const [index, subject] of subjects.entries()) {
        const zoneId = String(index + 1).padStart(32, "0");
        sim.zones.seed(zoneId, { policyQuota: 10_000, scripts: 0, connections: 0, cookies: 0 });
        stacks[subject] = await backend.openStack(subject, {
          n,
          zoneId,
          sim,
          name: `n${n}`,
          extraEnv: { BENCH_LATENCY_MS: String(latencyMs) },
        });
      }
      const result = { n, operations: {}, checkpoint: {} };
      const measured = await runInTurn(stacks, {
        progress: (text) => progress(`engine N = ${n}, ${text}`),
        afterUp(subject) {
          result.checkpoint[subject] = checkpointBytes(stacks[subject].checkpoint());
        },
      });
      for (const [operation, runs] of Object.entries(measured)) {
        result.operations[operation] = {};
        for (const [subject, { wallMs, cpuMs, peakBytes, requests }] of Object.entries(runs))
          result.operations[operation][subject] = { wallMs, cpuMs, peakBytes, requests: requests.length };
      }
      return result;
    } finally {
      backend.close();
      await sim.stop();
    }
  }

  function report({ n, operations: measured, checkpoint }) {
    const both = (left, right) => subjects.includes(left) && subjects.includes(right);
    const times = [
      ...subjects.map((subject) => [`${subject} s`, (by) => seconds(by[subject].wallMs)]),
      ...(both("floor", "ours")
        ? [
            ["ours/floor", (by) => ratio(by.ours.wallMs, by.floor.wallMs)],
            [
              "/(floor+requests)",
              (by) => ratio(by.ours.wallMs, by.floor.wallMs + bareRequestMs(by.ours.requests)),
            ],
            ["CPU ours/floor", (by) => ratio(by.ours.cpuMs, by.floor.cpuMs)],
          ]
        : []),
      ...["waits", "asks"]
        .filter((subject) => both(subject, "ours"))
        .flatMap((subject) => [
          [`ours/${subject}`, (by) => ratio(by.ours.wallMs, by[subject].wallMs)],
          [`CPU ours/${subject}`, (by) => ratio(by.ours.cpuMs, by[subject].cpuMs)],
        ]),
      ...(both("floor", "plain")
        ? [
            ["plain/floor", (by) => ratio(by.plain.wallMs, by.floor.wallMs)],
            ["CPU plain/floor", (by) => ratio(by.plain.cpuMs, by.floor.cpuMs)],
          ]
        : []),
    ];
    const costs = [
      ...subjects.map((subject) => [`${subject} requests`, (by) => by[subject].requests]),
      ...subjects.map((subject) => [`${subject} CPU s`, (by) => seconds(by[subject].cpuMs)]),
      ...subjects.map((subject) => [`${subject} MB`, (by) => megabytes(by[subject].peakBytes)]),
    ];
    const byOperation = (columns) =>
      table(
        [`N = ${n}`, ...columns.map(([head]) => head)],
        Object.entries(measured).map(([operation, by]) => [
          operation,
          ...columns.map(([, cell]) => cell(by)),
        ]),
      );
    const sizes = subjects.map((subject) => {
      const { file, entry, engine: engineOwn, beyond } = checkpoint[subject];
      return [subject, file, Math.round(file / n), entry, engineOwn, beyond];
    });
    const sizeHead = [
      "checkpoint bytes",
      "file",
      "file / N",
      "a policy's entry",
      "of it the engine's",
      "beyond own values",
    ];
    return [byOperation(times), byOperation(costs), table(sizeHead, sizes)].join("\n\n");
  }
}

/** The least time that so many requests take at the engine's parallelism. */
function bareRequestMs(requests) {
  return Math.ceil(requests / parallel) * latencyMs;
}
