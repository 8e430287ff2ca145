import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createBackend } from "../setup/backend.mjs";
import { say } from "../setup/say.mjs";
import { root } from "../setup/workspace.mjs";
import { findOrMakeYamlHost } from "../setup/yaml-host.mjs";
import { measure, measureFirstLine } from "./measure.mjs";
import { seconds } from "./table.mjs";

const { policiesOf } = createRequire(import.meta.url)("./program/declared.js");
const folder = join(root, "tools/bench");
const quiet = ["--non-interactive", "--suppress-progress", "--suppress-outputs", "--color", "never"];
const yes = ["--yes", "--skip-preview"];

/** Operations, by the names that the cases use. The variables in `env` are set for that operation only. */
const operations = {
  "create preview": { args: ["preview"] },
  up: { args: ["up", ...yes] },
  "no-change preview": { args: ["preview"] },
  refresh: { args: ["refresh", ...yes] },
  "preview --refresh": { args: ["preview", "--refresh"] },
  "one edit a zone": { args: ["up", ...yes], env: { BENCH_EDITED: "1" } },
  destroy: { args: ["destroy", ...yes] },
};
/** Operation that only starts the plugin of a YAML program, until the plugin prints its port. */
const portOfPlugin = "the plugin's port";

/** Folders of the plugins, by package name. */
const plugins = {
  bare: join(folder, "bare-plugin"),
  "page-guard": join(root, "provider/plugin"),
};

/** Type of the resources in the subjects that are YAML programs. The other subjects are in `program/index.js`. */
const yamlTypes = {
  "yaml-nothing": "bare:Nothing",
  "yaml-ours": "page-guard:CspPolicy",
  "yaml-set": "page-guard:CspPolicySet",
};

/**
 * Runs the named operations `rounds` times, from an empty stack to an empty stack. Each operation runs for all subjects in
 * turn, so that the load of the machine affects all of them. Returns, for each operation and subject, the run with the median
 * of the figure `by`, because two equal runs may differ by a fifth.
 */
export async function runInTurn(subjects, names, { rounds, by }) {
  const runs = {};
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      for (const [subject, { run }] of Object.entries(subjects)) {
        const result = await run(name);
        say(`${name} (${round} of ${rounds}), ${subject}: ${seconds(result.wallMs)} s`);
        runs[name] ??= {};
        runs[name][subject] ??= [];
        runs[name][subject].push(result);
      }
    }
  }
  const median = (all) => all.sort((a, b) => a[by] - b[by])[Math.floor(all.length / 2)];
  return mapValues(runs, (bySubject) => mapValues(bySubject, median));
}

const mapValues = (of, map) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));

/** Opens a temporary backend for the stacks, with an engine that also runs YAML. */
export async function openBackend(engine) {
  const scratch = mkdtempSync(join(tmpdir(), "page-guard-bench-"));
  const base = {
    ...process.env,
    ...createBackend(scratch),
    // No limit, because speed is measured here. In the case `limit`, the service announces a limit.
    PAGE_GUARD_MAX_REQUESTS_PER_5M: "1000000",
    PATH: [await findOrMakeYamlHost(engine), engine, process.env.PATH ?? ""].join(delimiter),
  };
  return {
    /** Opens a stack of `subject` with `n` policies in the zone, or with `n` zones. */
    async openStack(subject, { n, zoneId, sim, env: more }) {
      const env = {
        ...base,
        ...more,
        BENCH_SUBJECT: subject,
        BENCH_N: String(n),
        BENCH_ZONE: zoneId,
        PAGE_GUARD_BASE_URL: sim.url,
        PAGE_GUARD_API_TOKEN: sim.token,
      };
      const project = join(scratch, subject);
      mkdirSync(project);
      // YAML can be written as JSON.
      writeFileSync(join(project, "Pulumi.yaml"), JSON.stringify(projectOf(subject, n, zoneId)));

      async function pulumi(what, args, own) {
        const ended = await measure(args, { cwd: project, env: { ...env, ...own }, scratch });
        if (ended.code === 0) return ended;
        throw new Error(`${subject}: ${what} failed (exit ${ended.code}):\n${ended.output.slice(-2000)}`);
      }

      await pulumi("stack init", ["stack", "init", "bench", "--non-interactive"]);
      return {
        /** Runs one of `operations`. Returns its costs and requests. */
        async run(operation) {
          const from = sim.journal.length;
          if (operation === portOfPlugin)
            return { ...(await measureFirstLine(executableOf(subject), env)), requests: [] };
          const { args, env: own } = operations[operation];
          const ended = await pulumi(operation, [...args, ...quiet, "--stack", "bench"], own);
          return { ...ended, requests: sim.journal.slice(from) };
        },
      };
    },
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

function executableOf(subject) {
  const [plugin] = yamlTypes[subject].split(":");
  return join(plugins[plugin], `pulumi-resource-${plugin}`);
}

/** Returns the project of a subject. A program for Node stays in this repository, so that it finds the packages. */
function projectOf(subject, n, zoneId) {
  const name = `page-guard-bench-${subject}`;
  const type = yamlTypes[subject];
  if (type === undefined)
    return {
      name,
      runtime: { name: "nodejs", options: { typescript: false } },
      main: join(folder, "program"),
    };
  const [plugin] = type.split(":");
  const policies = policiesOf(n);
  const inputs = subject === "yaml-set" ? { policies: { policies } } : policies;
  return {
    name,
    runtime: "yaml",
    packages: { [plugin]: plugins[plugin] },
    resources: mapValues(inputs, (properties) => ({ type, properties: { zoneId, ...properties } })),
  };
}
