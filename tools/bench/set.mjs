import { openBackend, runInTurn } from "./bench-stack.mjs";
import { ratio, seconds, table } from "./table.mjs";

const inFlight = 16;
/** Lifts the client's limit: speed is measured here. The limit has cases of its own. */
const extraEnv = { PAGE_GUARD_MAX_REQUESTS_PER_5M: "1000000" };

/** That does nothing and is nothing; that does nothing and declares the same as the set; the set. */
const subjects = ["one", "same", "set"];

/** A set of N policies beside one resource that does nothing, all from nothing to nothing. */
export async function setBench({ engine, startSimulator, counts, isQuick, progress, isLate }) {
  const most = Math.max(...counts);
  const cases = [20, 200].map((latencyMs) => ({ n: most, latencyMs }));
  if (!isQuick) cases.push({ n: 300, latencyMs: 0 }, { n: 5000, latencyMs: 0 });
  const results = [];
  for (const one of cases) {
    if (isLate()) progress(`set: N = ${one.n} at ${one.latencyMs} ms left out, the time is up`);
    else results.push(await measure(one));
  }
  return {
    title: `A set of policies beside one resource that does nothing (${Object.keys(extraEnv)} lifted)`,
    results,
    text: results.map(report).join("\n\n"),
  };

  async function measure({ n, latencyMs }) {
    const sim = await startSimulator({ latencyMs });
    const backend = openBackend(engine);
    const zoneId = "1".padStart(32, "0");
    sim.zones.seed(zoneId, { policyQuota: 100_000, scripts: 0, connections: 0, cookies: 0 });
    try {
      const stacks = {};
      for (const subject of subjects)
        stacks[subject] = await backend.openStack(subject, {
          n,
          zoneId,
          sim,
          name: `l${latencyMs}n${n}`,
          extraEnv,
        });
      const result = { n, latencyMs, operations: {}, bytes: 0 };
      const measured = await runInTurn(stacks, {
        progress: (text) => progress(`set N = ${n} at ${latencyMs} ms, ${text}`),
        afterUp(subject) {
          if (subject === "set") result.bytes = bytesBeyondText(stacks.set.checkpoint(), n);
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
}

/** Bytes a policy in the checkpoint, beyond what the program declares of it (which inputs and outputs both hold). */
function bytesBeyondText(text, n) {
  const resources = JSON.parse(text).checkpoint.latest.resources;
  const set = resources.find(({ type }) => type.endsWith(":CspPolicySet"));
  const declared = Buffer.byteLength(JSON.stringify(set.inputs.policies));
  return Math.round((Buffer.byteLength(JSON.stringify(set)) - 2 * declared) / n);
}

function report({ n, latencyMs, operations: measured, bytes }) {
  const rows = Object.entries(measured).map(([operation, { one, same, set }]) => {
    const bound = 1.15 * one.wallMs + Math.ceil(set.requests / inFlight) * latencyMs;
    return [
      operation,
      seconds(one.wallMs),
      seconds(same.wallMs),
      seconds(set.wallMs),
      set.requests,
      seconds(bound),
      ratio(set.wallMs, bound),
      ...[one, same, set].map(({ cpuMs }) => seconds(cpuMs)),
    ];
  });
  const head = [
    `N = ${n}, ${latencyMs} ms`,
    "one s",
    "same s",
    "set s",
    "requests",
    "1.15 one + requests s",
    "of it",
    "one CPU s",
    "same CPU s",
    "set CPU s",
  ];
  return `${table(head, rows)}\nbytes a policy in the checkpoint beyond its own text: ${bytes}`;
}
