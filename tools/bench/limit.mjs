import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBackend } from "./bench-stack.mjs";
import { inChild } from "./in-child.mjs";
import { seconds, table } from "./table.mjs";

const mostTries = 4;

/**
 * The same work against a rate limit with block, as the public service has it, scaled down. An operation is tried until
 * it succeeds, at most 4 times; a person would do the same.
 */
export async function limitBench({ engine, startSimulator, subjects, progress, isQuick, isLate }) {
  const n = isQuick ? 30 : 100;
  const limit = isQuick ? 20 : 60;
  const windowMs = isQuick ? 4_000 : 10_000;
  const work = isQuick ? 400 : 2_000;
  const workLimit = isQuick ? 240 : 1_200;
  const workWindowMs = 3_000;
  const rows = [];
  for (const subject of subjects.filter((name) => name !== "floor")) {
    if (isLate()) break;
    const sim = await startSimulator({ latencyMs: 20, rateLimit: { limit, windowMs, blockMs: windowMs } });
    const backend = openBackend(engine);
    try {
      const zoneId = "1".padStart(32, "0");
      sim.zones.seed(zoneId, { policyQuota: 10_000, scripts: 0, connections: 0, cookies: 0 });
      const extraEnv = {
        PAGE_GUARD_MAX_REQUESTS_PER_5M: String(limit),
        PAGE_GUARD_RATE_WINDOW_MS: String(windowMs),
      };
      const stack = await backend.openStack(subject, { n, zoneId, sim, name: "limit", extraEnv });
      for (const operation of ["up", "refresh", "destroy"]) {
        const result = { subject, operation, tries: 0, isDone: false, wallMs: 0, requests: 0, refused: 0 };
        while (!result.isDone && result.tries < mostTries) {
          const { code, wallMs, requests } = await stack.run(operation);
          result.tries += 1;
          result.isDone = code === 0;
          result.wallMs += wallMs;
          result.requests += requests.length;
          result.refused += requests.filter(({ status }) => status === 429).length;
        }
        result.policies = sim.zone(zoneId).policies.length;
        progress(
          `limit, ${operation}, ${subject}: ${result.isDone ? "done" : "not done"}, ${result.tries} tries`,
        );
        rows.push(result);
      }
    } finally {
      backend.close();
      await sim.stop();
    }
  }
  const direct = [];
  for (const reader of ["ours", "plain"]) {
    const sim = await startSimulator({
      latencyMs: 20,
      rateLimit: { limit: workLimit, windowMs: workWindowMs, blockMs: workWindowMs },
    });
    try {
      const zoneId = "1".padStart(32, "0");
      sim.zones.seed(zoneId);
      const done = await workload(reader, work, zoneId, sim, workLimit, workWindowMs);
      const refused = sim.requests().filter(({ status }) => status === 429).length;
      progress(`limit, ${work} reads, ${reader}: ${refused} answers of 429`);
      direct.push({ reader, work, ...done, requests: sim.journal.length, refused });
    } finally {
      await sim.stop();
    }
  }
  const text = [
    `${n} policies, ${limit} requests in ${windowMs / 1000} s, then as long a block`,
    table(
      ["", "", "done", "tries", "s", "requests", "of them 429", "policies then"],
      rows.map((row) => [
        row.subject,
        row.operation,
        row.isDone ? "yes" : "no",
        row.tries,
        seconds(row.wallMs),
        row.requests,
        row.refused,
        row.policies,
      ]),
    ),
    "",
    `${work} reads at once, ${workLimit} requests in ${workWindowMs / 1000} s (plain: fetch, two quick retries)`,
    table(
      ["", "answered", "failed", "s", "requests", "of them 429"],
      direct.map((row) => [
        row.reader,
        row.answered,
        row.failed,
        seconds(row.wallMs),
        row.requests,
        row.refused,
      ]),
    ),
  ].join("\n");
  return { title: "Under a rate limit with block", results: { engine: rows, direct }, text };
}

function workload(reader, work, zoneId, sim, limit, windowMs) {
  const script = join(dirname(fileURLToPath(import.meta.url)), "many-reads.mjs");
  return inChild(script, [reader, String(work), zoneId], {
    PAGE_GUARD_BASE_URL: sim.url,
    PAGE_GUARD_API_TOKEN: sim.token,
    PAGE_GUARD_MAX_REQUESTS_PER_5M: String(limit),
    PAGE_GUARD_RATE_WINDOW_MS: String(windowMs),
  });
}
