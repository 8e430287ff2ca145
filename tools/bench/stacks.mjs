import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { root } from "../setup/workspace.mjs";
import { medianBy, seconds } from "./table.mjs";
import { watchProcesses } from "./watch-processes.mjs";

const { policiesOf } = createRequire(import.meta.url)("./program/declared.js");
const folder = dirname(fileURLToPath(import.meta.url));
const quiet = ["--non-interactive", "--suppress-progress", "--suppress-outputs", "--color", "never"];
const yes = ["--yes", "--skip-preview"];
const limitMs = 1_800_000;

/** Operations of a case, in their order. `env` is for one operation only. */
export const operations = {
  "create preview": { args: ["preview"] },
  up: { args: ["up", ...yes] },
  "no-change preview": { args: ["preview"] },
  refresh: { args: ["refresh", ...yes] },
  "preview --refresh": { args: ["preview", "--refresh"] },
  "one edit a zone": { args: ["up", ...yes], env: { BENCH_EDITED: "1" } },
  destroy: { args: ["destroy", ...yes] },
};

const bare = { package: "bare", folder: join(folder, "bare-plugin") };
const ours = { package: "page-guard", folder: join(root, "provider/plugin") };

/** Subjects that are YAML programs: the plugin and the resources of each. The other subjects are in `program/index.js`. */
const yamlSubjects = {
  "yaml-nothing": { plugin: bare, declares: (n, zoneId) => each("bare:Nothing", n, zoneId) },
  "yaml-ours": { plugin: ours, declares: (n, zoneId) => each("page-guard:CspPolicy", n, zoneId) },
  "yaml-set": {
    plugin: ours,
    declares: (n, zoneId) => ({
      policies: { type: "page-guard:CspPolicySet", properties: { zoneId, policies: policiesOf(n) } },
    }),
  },
};

function each(type, n, zoneId) {
  return Object.fromEntries(
    Object.entries(policiesOf(n)).map(([name, policy]) => [
      name,
      { type, properties: { zoneId, ...policy } },
    ]),
  );
}

/**
 * Runs the named operations `rounds` times, from an empty stack to an empty stack. Each operation runs for all subjects in
 * turn, so that they share the load of the machine. The run with the median processor time counts, because two equal runs
 * may differ by a fifth.
 */
export async function runInTurn(stacks, names, rounds, progress) {
  const runs = {};
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      for (const [subject, stack] of Object.entries(stacks)) {
        const result = await stack.run(name);
        progress(`${name} (${round} of ${rounds}), ${subject}: ${seconds(result.wallMs)} s`);
        runs[name] ??= {};
        runs[name][subject] ??= [];
        runs[name][subject].push(result);
      }
    }
  }
  const middle = (all) => medianBy(all, ({ cpuMs }) => cpuMs);
  return mapValues(runs, (bySubject) => mapValues(bySubject, middle));
}

const mapValues = (of, map) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));

/** Opens a temporary backend for the stacks. `engines`: folders of the engine and of language hosts. */
export function openBackend(engines) {
  const scratch = mkdtempSync(join(tmpdir(), "page-guard-bench-"));
  const backend = join(scratch, "backend");
  mkdirSync(backend);
  const base = {
    ...process.env,
    // No limit, because speed is measured here. In the case `limit`, the service announces a limit.
    PAGE_GUARD_MAX_REQUESTS_PER_5M: "1000000",
    PULUMI_HOME: join(scratch, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(backend).href,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PATH: [...engines, process.env.PATH ?? ""].join(delimiter),
  };
  return {
    /** Opens a stack of `subject` with `n` policies in the zone, or with `n` zones. */
    async openStack(subject, { n, zoneId, sim, name, env: more = {} }) {
      const env = {
        ...base,
        ...more,
        BENCH_SUBJECT: subject,
        BENCH_N: String(n),
        BENCH_ZONE: zoneId,
        PAGE_GUARD_BASE_URL: sim.url,
        PAGE_GUARD_API_TOKEN: sim.token,
      };
      const project = writeProject(join(scratch, `${subject}-${name}`), subject, n, zoneId);
      const config = ["--stack", name, "--config-file", join(scratch, `${subject}-${name}.yaml`)];
      const made = await measured(["stack", "init", name, "--non-interactive"], { cwd: project, env });
      if (made.code !== 0) throw new Error(`The stack for ${subject} could not be made:\n${made.output}`);
      return {
        /** Runs one of `operations`. Returns wall and processor time, memory, bytes written, and requests. */
        async run(operation) {
          const { args, env: own } = operations[operation];
          const from = sim.journal.length;
          const ended = await measured([...args, ...quiet, ...config], {
            cwd: project,
            env: { ...env, ...own },
          });
          if (ended.code !== 0)
            throw new Error(
              `${subject}: ${operation} failed (exit ${ended.code}):\n${ended.output.slice(-2000)}`,
            );
          return { ...ended, requests: sim.journal.slice(from) };
        },
        /** Returns the size of the checkpoint of the stack, in bytes. */
        checkpointBytes() {
          const file = join(backend, ".pulumi", "stacks", projectName(subject), `${name}.json`);
          return readFileSync(file).length;
        },
      };
    },
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

const projectName = (subject) => `page-guard-bench-${subject}`;

/** Returns the folder to run in. A program for Node stays in this repository, so that it finds the packages. */
function writeProject(home, subject, n, zoneId) {
  mkdirSync(home);
  const yaml = yamlSubjects[subject];
  const name = projectName(subject);
  const program = yaml
    ? {
        name,
        runtime: "yaml",
        packages: { [yaml.plugin.package]: yaml.plugin.folder },
        resources: yaml.declares(n, zoneId),
      }
    : { name, runtime: { name: "nodejs", options: { typescript: false } }, main: join(folder, "program") };
  // YAML can be written as JSON.
  writeFileSync(join(home, "Pulumi.yaml"), JSON.stringify(program));
  return home;
}

/**
 * Shell script that runs the CLI and writes to file descriptor 3 the CPU time and the bytes written to disk, including all
 * child processes.
 */
const shell = `pulumi "$@" & cli=$!; trap 'kill -TERM $cli' TERM INT; wait $cli; code=$?; times >&3; cat /proc/$$/io >&3 2>/dev/null; exit $code`;

function measured(args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn("sh", ["-c", shell, "sh", ...args], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    const watched = watchProcesses(child.pid);
    const timer = setTimeout(() => child.kill("SIGTERM"), limitMs);
    let output = "";
    let times = "";
    for (const stream of child.stdio.slice(1)) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        if (stream === child.stdio[3]) times += text;
        else output += text;
      });
    }
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      const wallMs = performance.now() - started;
      const { peakBytes, cpuMs, engineCpuMs } = watched();
      resolve({
        code: code ?? 128,
        output,
        wallMs,
        cpuMs: Math.max(cpuMsOf(times), cpuMs),
        engineCpuMs,
        writtenBytes: writtenOf(times),
        peakBytes,
      });
    });
  });
}

/** Sums the output of `times`: user and system time of the shell and of its ended children, such as `0m1.25s`. */
function cpuMsOf(times) {
  const all = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => (Number(minutes) * 60 + Number(rest)) * 1000,
  );
  return all.reduce((sum, ms) => sum + ms, 0);
}

/** Returns the bytes written according to `/proc/PID/io`, or 0 without it. The shell includes its children that have ended. */
function writtenOf(text) {
  return Number(/^write_bytes: (\d+)$/m.exec(text)?.[1] ?? 0);
}
