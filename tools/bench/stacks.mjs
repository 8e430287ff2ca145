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

/** Operations of a case, in the order in which they follow each other; `env` goes to that operation alone. */
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

/** Programs in YAML, as their plugin and their resources. The other subjects are those of `program/index.js`. */
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
 * Runs the operations named from nothing to nothing, `rounds` times, each for the stack of each subject in turn, so that they
 * share whatever else the machine does. Of each operation the run with the middle processor time counts: two runs of the same
 * differ by a fifth at times.
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

/** A throw-away backend for stacks of the subjects. `engines`: folders of the engine and of language hosts. */
export function openBackend(engines) {
  const scratch = mkdtempSync(join(tmpdir(), "page-guard-bench-"));
  const backend = join(scratch, "backend");
  mkdirSync(backend);
  const base = {
    ...process.env,
    // Speed is measured here; the case of the limit has the service tell it.
    PAGE_GUARD_MAX_REQUESTS_PER_5M: "1000000",
    PULUMI_HOME: join(scratch, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(backend).href,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PATH: [...engines, process.env.PATH ?? ""].join(delimiter),
  };
  return {
    /** A stack of `subject` with `n` policies in the zone, or with `n` zones. */
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
        /** Runs one of `operations`: wall and processor time, memory, bytes written, and its requests. */
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
        /** The size of the stack's checkpoint, in bytes. */
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

/** Returns the folder to run in: a program on Node has its sources here, so that it finds the packages of this repository. */
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
 * Runs the CLI and tells on the third pipe what CPU time it took and what it wrote to disk, with all processes that it
 * started.
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

/** The output of `times`: user and system time, of the shell and then of all it has waited for, like `0m1.25s`. */
function cpuMsOf(times) {
  const all = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => (Number(minutes) * 60 + Number(rest)) * 1000,
  );
  return all.reduce((sum, ms) => sum + ms, 0);
}

/** Of `/proc/PID/io`, where there is such a thing: a shell's own has what its children wrote once they have ended. */
function writtenOf(text) {
  return Number(/^write_bytes: (\d+)$/m.exec(text)?.[1] ?? 0);
}
