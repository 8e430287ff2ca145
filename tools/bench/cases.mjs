import { createRequire } from "node:module";
import { join } from "node:path";
import { findOrMakeEngine } from "../setup/engine.mjs";
import { root } from "../setup/workspace.mjs";
import { openBackend, runInTurn } from "./stacks.mjs";
import { megabytes, ratio, seconds, table } from "./table.mjs";

const { zoneOf } = createRequire(import.meta.url)("./program/declared.js");

const everything = ["create preview", "up", "no-change preview", "refresh", "destroy"];
const compileCache = join(root, "node_modules/.cache/page-guard-bench");
const announced = { headers: ["ratelimit"] };
const usual = { "20 ms": { latencyMs: 20 } };

/**
 * Cases that are measured on the engine. Each pair in `beside` becomes a column with the ratio of the processor times of the
 * two subjects, or of another figure that `by` names. `n`: number of policies in one zone, or of zones in a fleet.
 */
const cases = {
  engine: {
    title: "One resource for each policy, compared with a provider that does nothing",
    subjects: ["nothing", "ours", "yaml-nothing", "yaml-ours"],
    beside: [
      ["ours", "nothing"],
      ["yaml-ours", "yaml-nothing"],
    ],
    services: usual,
    operations: everything,
    n: 300,
    rounds: 3,
  },
  set: {
    title:
      "A set of policies, compared with two resources that do nothing: with one input, and with the same inputs",
    subjects: ["one", "same", "set", "yaml-set"],
    beside: [
      ["set", "one"],
      ["yaml-set", "set"],
    ],
    by: "wallMs",
    services: { ...usual, "200 ms": { latencyMs: 200 } },
    operations: everything,
    n: 300,
    rounds: 3,
  },
  fleet: {
    title: "Zones with settings, a set of three policies and an entry point of four rules, in one stack",
    subjects: ["fleet-nothing", "fleet"],
    beside: [["fleet", "fleet-nothing"]],
    services: usual,
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
    title: "Start of programs in other languages, with a warm Node compile cache and without one",
    subjects: ["yaml-nothing", "yaml-ours"],
    beside: [["yaml-ours", "yaml-nothing"]],
    by: "wallMs",
    services: {
      "cache: warm": { latencyMs: 20, env: { NODE_COMPILE_CACHE: compileCache } },
      "cache: none": { latencyMs: 20, env: { NODE_DISABLE_COMPILE_CACHE: "1" } },
    },
    operations: ["the plugin's port", "create preview"],
    n: 1,
    rounds: 7,
  },
  limit: {
    title: "Policies under a rate limit that the client learns from response headers",
    subjects: ["ours"],
    beside: [],
    services: {
      "20 ms, 60 in 10 s": {
        latencyMs: 20,
        rateLimit: { ...announced, limit: 60, windowMs: 10_000, blockMs: 10_000 },
      },
      "20 ms, 20 in 2 s": {
        latencyMs: 20,
        rateLimit: { ...announced, limit: 20, windowMs: 2_000, blockMs: 2_000 },
      },
    },
    operations: ["up", "refresh", "destroy"],
    n: 100,
    rounds: 1,
  },
};

export const caseNames = Object.keys(cases);

/** Measures one of `cases`. If `n` is given, it replaces the number in the case. */
export async function measureCase(name, { startSimulator, n = cases[name].n }) {
  const { title, subjects, services, operations, rounds, by = "cpuMs" } = cases[name];
  const engine = await findOrMakeEngine();
  const texts = [];
  for (const [service, { env, ...options }] of Object.entries(services)) {
    const sim = await startSimulator(options);
    const backend = await openBackend(engine);
    try {
      const stacks = {};
      for (const [index, subject] of subjects.entries()) {
        // High numbers, because the zones of a fleet are numbered from 1.
        const zoneId = zoneOf(10_000 + index);
        sim.zones.seed(zoneId, { policyQuota: 100_000, scripts: 0, connections: 0, cookies: 0 });
        stacks[subject] = await backend.openStack(subject, { n, zoneId, sim, env });
      }
      if (name === "fleet")
        for (let index = 0; index < n; index += 1)
          sim.zones.seed(zoneOf(index), { scripts: 0, connections: 0, cookies: 0, policies: [] });
      // The first round fills caches and does not count.
      if (name === "start") await runInTurn(stacks, operations, { by, rounds: 1 });
      const measured = await runInTurn(stacks, operations, { by, rounds });
      texts.push(report(cases[name], by, `N = ${n}, ${service}`, measured));
    } finally {
      backend.close();
      await sim.stop();
    }
  }
  return { title, text: texts.join("\n\n") };
}

function report({ subjects, beside }, compared, head, measured) {
  const columns = [
    ...subjects.flatMap((subject) => [
      [`${subject} s`, (by) => seconds(by[subject].wallMs)],
      ["CPU s", (by) => seconds(by[subject].cpuMs)],
      ["engine CPU s", (by) => seconds(by[subject].engineCpuMs)],
      ["requests", (by) => by[subject].requests.length],
      ["429", (by) => by[subject].requests.filter(({ status }) => status === 429).length],
      ["written MB", (by) => megabytes(by[subject].writtenBytes)],
      ["memory MB", (by) => megabytes(by[subject].peakBytes)],
    ]),
    ...beside.map(([of, to]) => [`${of}/${to}`, (by) => ratio(by[of][compared], by[to][compared])]),
  ];
  return table(
    [head, ...columns.map(([name]) => name)],
    Object.entries(measured).map(([operation, by]) => [operation, ...columns.map(([, cell]) => cell(by))]),
  );
}
