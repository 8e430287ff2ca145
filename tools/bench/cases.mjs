import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";
import { openBackend, runInTurn } from "./stacks.mjs";
import { megabytes, ratio, seconds, table } from "./table.mjs";

const { zoneOf } = createRequire(import.meta.url)("./program/declared.js");

const all = ["create preview", "up", "no-change preview", "refresh", "destroy"];
const compileCache = join(root, "node_modules/.cache/page-guard-bench");
const told = { headers: ["ratelimit"] };
const quick = { "20 ms": { latencyMs: 20 } };

/**
 * Cases that are measured on the engine. Each pair in `beside` becomes a column with the ratio of their processor times, or
 * with `isWall` of their wall-clock times. `n`: number of policies in one zone, or of zones in a fleet.
 */
const cases = {
  engine: {
    title: "Policies, one resource each, beside a provider that does nothing",
    subjects: ["nothing", "ours", "yaml-nothing", "yaml-ours"],
    beside: [
      ["ours", "nothing"],
      ["yaml-ours", "yaml-nothing"],
    ],
    services: quick,
    operations: all,
    n: 300,
    rounds: 3,
  },
  set: {
    title: "A set of policies, beside one resource that does nothing, with and without the same inputs",
    subjects: ["one", "same", "set", "yaml-set"],
    beside: [
      ["set", "one"],
      ["yaml-set", "set"],
    ],
    isWall: true,
    services: { ...quick, "200 ms": { latencyMs: 200 } },
    operations: all,
    n: 300,
    rounds: 3,
  },
  fleet: {
    title: "Zones with settings, a set of three policies and an entry point of four rules, in one stack",
    subjects: ["fleet-nothing", "fleet"],
    beside: [["fleet", "fleet-nothing"]],
    services: quick,
    operations: [
      "create preview",
      "up",
      "no-change preview",
      "preview --refresh",
      "one edit a zone",
      "destroy",
    ],
    n: 200,
    rounds: 1,
  },
  start: {
    title: "What programs in other languages wait for, with a warm compile cache of Node and without one",
    subjects: ["yaml-nothing", "yaml-ours"],
    beside: [["yaml-ours", "yaml-nothing"]],
    isWall: true,
    services: {
      "cache: warm": { latencyMs: 20, env: { NODE_COMPILE_CACHE: compileCache } },
      "cache: none": { latencyMs: 20, env: { NODE_DISABLE_COMPILE_CACHE: "1" } },
    },
    operations: ["the plugin's port", "create preview"],
    n: 1,
    rounds: 7,
  },
  limit: {
    title: "Policies under a limit that the client learns from the headers of the answers",
    subjects: ["ours"],
    beside: [],
    services: {
      "20 ms, 60 in 10 s": {
        latencyMs: 20,
        rateLimit: { ...told, limit: 60, windowMs: 10_000, blockMs: 10_000 },
      },
      "20 ms, 20 in 2 s": {
        latencyMs: 20,
        rateLimit: { ...told, limit: 20, windowMs: 2_000, blockMs: 2_000 },
      },
    },
    operations: ["up", "refresh", "destroy"],
    n: 100,
    rounds: 1,
  },
};

export const caseNames = Object.keys(cases);

/** Measures one of `cases`. A given `n` replaces the number in the case. */
export async function measureCase(name, { engine, startSimulator, n: given, isQuick, progress }) {
  const { title, subjects, services, operations, n: usual, rounds, isWall } = cases[name];
  const n = given ?? (isQuick ? Math.min(usual, 10) : usual);
  const turns = { by: isWall ? "wallMs" : "cpuMs", progress: (text) => progress(`${name}, ${text}`) };
  const results = [];
  for (const [service, { env, ...options }] of Object.entries(services)) {
    const sim = await startSimulator(options);
    const backend = await openBackend(engine);
    try {
      const stacks = {};
      for (const [index, subject] of subjects.entries()) {
        // High numbers, because the zones of a fleet count from 1.
        const zoneId = zoneOf(10_000 + index);
        sim.zones.seed(zoneId, { policyQuota: 100_000, scripts: 0, connections: 0, cookies: 0 });
        stacks[subject] = await backend.openStack(subject, { n, zoneId, sim, env });
      }
      if (name === "fleet")
        for (let index = 0; index < n; index += 1)
          sim.zones.seed(zoneOf(index), { scripts: 0, connections: 0, cookies: 0, policies: [] });
      // A round that does not count fills caches.
      if (name === "start") await runInTurn(stacks, operations, { ...turns, rounds: 1 });
      const measured = await runInTurn(stacks, operations, { ...turns, rounds: isQuick ? 1 : rounds });
      results.push({ service, n, measured });
    } finally {
      backend.close();
      await sim.stop();
    }
  }
  return { title, results, text: results.map((result) => report(cases[name], result)).join("\n\n") };
}

function report({ subjects, beside, isWall }, { service, n, measured }) {
  const compared = isWall ? "wallMs" : "cpuMs";
  const columns = [
    ...subjects.flatMap((subject) => [
      [`${subject} s`, (by) => seconds(by[subject].wallMs)],
      ["CPU s", (by) => seconds(by[subject].cpuMs)],
      ["requests", (by) => by[subject].requests.length],
      ["429", (by) => by[subject].requests.filter(({ status }) => status === 429).length],
      ["written MB", (by) => megabytes(by[subject].writtenBytes)],
      ["memory MB", (by) => megabytes(by[subject].peakBytes)],
    ]),
    ...beside.map(([of, to]) => [`${of}/${to}`, (by) => ratio(by[of][compared], by[to][compared])]),
  ];
  return table(
    [`N = ${n}, ${service}`, ...columns.map(([head]) => head)],
    Object.entries(measured).map(([operation, by]) => [operation, ...columns.map(([, cell]) => cell(by))]),
  );
}
