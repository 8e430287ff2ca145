import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBackend } from "./bench-stack.mjs";
import { inChild } from "./in-child.mjs";
import { ratio, seconds, table } from "./table.mjs";

const mostTries = 4;
const zoneId = "1".padStart(32, "0");

/** How services report their limit; the last two only when it was exceeded, or not even then. */
const forms = [
  ["RateLimit-Policy", { headers: ["ratelimit"] }],
  ["x-ratelimit, seconds", {}],
  ["x-ratelimit, since 1970", { reset: "epoch", counting: "fixed" }],
  ["x-ratelimit, a date", { reset: "date" }],
  ["retry-after alone", { headers: [] }],
  ["nothing", { headers: [], retryAfter: "none" }],
];

/**
 * The same work against rate limits with a block as long as the window. No client knows the limit: neither a
 * variable nor a setting, only the service's own answers. An operation of the engine is tried until it succeeds, at
 * most 4 times; a person would do the same.
 */
export async function limitBench({ engine, startSimulator, subjects, progress, isQuick, isLate }) {
  const limits = isQuick
    ? [{ limit: 20, windowMs: 2_000, n: 45 }]
    : [
        { limit: 60, windowMs: 10_000, n: 100 },
        { limit: 20, windowMs: 2_000, n: 100 },
      ];
  const rows = [];
  const direct = [];
  for (const { limit, windowMs, n } of limits) {
    const rateLimit = { limit, windowMs, blockMs: windowMs };
    for (const subject of subjects.filter((name) => name !== "floor")) {
      if (isLate()) break;
      rows.push(...(await operate({ engine, startSimulator, progress, subject, rateLimit, n })));
    }
    for (const [form, told] of forms) {
      if (isLate()) break;
      direct.push(
        await read({
          startSimulator,
          progress,
          reader: "ours",
          form,
          rateLimit: { ...rateLimit, ...told },
          n,
        }),
      );
    }
    direct.push(await read({ startSimulator, progress, reader: "plain", form: forms[1][0], rateLimit, n }));
  }
  const text = [
    "Policies, with a block as long as the window (x-ratelimit; at best: what the window allows)",
    table(
      ["", "limit", "", "done", "tries", "s", "at best", "requests", "of them 429", "policies then"],
      rows.map((row) => [
        row.subject,
        row.limit,
        row.operation,
        row.isDone ? "yes" : "no",
        row.tries,
        seconds(row.wallMs),
        seconds(row.bestMs),
        row.requests,
        row.refused,
        row.policies,
      ]),
    ),
    "",
    "Parallel reads, by how the service reports its limit (plain: fetch, two quick retries)",
    table(
      ["", "limit", "reported by", "answered", "failed", "s", "at best", "", "longest pause", "of them 429"],
      direct.map((row) => [
        row.reader,
        row.limit,
        row.form,
        row.answered,
        row.failed,
        seconds(row.spanMs),
        seconds(row.bestMs),
        ratio(row.spanMs, row.bestMs),
        seconds(row.pauseMs),
        row.refused,
      ]),
    ),
  ].join("\n");
  return {
    title: "Under rate limits that the client does not know",
    results: { engine: rows, direct },
    text,
  };
}

async function operate({ engine, startSimulator, progress, subject, rateLimit, n }) {
  const sim = await startSimulator({ latencyMs: 20, rateLimit });
  const backend = openBackend(engine);
  const rows = [];
  try {
    sim.zones.seed(zoneId, { policyQuota: 10_000, scripts: 0, connections: 0, cookies: 0 });
    const stack = await backend.openStack(subject, { n, zoneId, sim, name: "limit" });
    for (const operation of ["up", "refresh", "destroy"]) {
      const result = { subject, operation, limit: named(rateLimit), tries: 0, isDone: false, wallMs: 0 };
      const seen = [];
      while (!result.isDone && result.tries < mostTries) {
        const { code, wallMs, requests } = await stack.run(operation);
        result.tries += 1;
        result.isDone = code === 0;
        result.wallMs += wallMs;
        seen.push(...requests);
      }
      const policies = sim.zone(zoneId).policies.length;
      rows.push({ ...result, ...figures(seen, rateLimit), policies });
      progress(
        `limit, ${operation}, ${subject}: ${result.isDone ? "done" : "not done"}, ${result.tries} tries`,
      );
    }
  } finally {
    backend.close();
    await sim.stop();
  }
  return rows;
}

async function read({ startSimulator, progress, reader, form, rateLimit, n }) {
  const sim = await startSimulator({ latencyMs: 20, rateLimit });
  try {
    sim.zones.seed(zoneId);
    const script = join(dirname(fileURLToPath(import.meta.url)), "many-reads.mjs");
    const done = await inChild(script, [reader, String(n + 1), zoneId], {
      PAGE_GUARD_BASE_URL: sim.url,
      PAGE_GUARD_API_TOKEN: sim.token,
    });
    const row = { reader, form, limit: named(rateLimit), ...done, ...figures(sim.requests(), rateLimit) };
    progress(`limit, reads, ${reader}, reported by ${form}: ${row.refused} answers of 429`);
    return row;
  } finally {
    await sim.stop();
  }
}

/** On the simulator's clock. */
function figures(requests, { limit, windowMs }) {
  const times = requests.map(({ at }) => at);
  const refused = requests.filter(({ status }) => status === 429).length;
  return {
    requests: requests.length,
    refused,
    spanMs: Math.max(...times) - Math.min(...times),
    bestMs: Math.floor((requests.length - refused - 1) / limit) * windowMs,
    pauseMs: Math.max(...times.map((time, index) => time - (times[index - 1] ?? time))),
  };
}

function named({ limit, windowMs }) {
  return `${limit} in ${windowMs / 1000} s`;
}
