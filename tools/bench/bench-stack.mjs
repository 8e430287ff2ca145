import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { watchEngineTime, watchProviderMemory } from "./peak-memory.mjs";
import { medianBy, seconds } from "./table.mjs";

const subjects = join(dirname(fileURLToPath(import.meta.url)), "subjects");
const quiet = ["--non-interactive", "--suppress-progress", "--suppress-outputs", "--color", "never"];
const usualLimitMs = 180_000;

/** The operations that are measured, in the order in which they follow each other. */
export const operations = {
  "create preview": ["preview"],
  up: ["up", "--yes", "--skip-preview"],
  "no-change preview": ["preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

/**
 * Runs all `operations` from nothing to nothing so many times, each for the stack of each subject in turn, so that they share
 * whatever else the machine does. Of each operation the run in the middle of `middleOf` counts: two runs of the same differ by a fifth at times.
 */
export async function runInTurn(
  stacks,
  { progress, afterUp, rounds = 3, middleOf = ({ wallMs }) => wallMs },
) {
  const runs = {};
  for (let round = 1; round <= rounds; round += 1) {
    for (const operation of Object.keys(operations)) {
      for (const [subject, stack] of Object.entries(stacks)) {
        const { code, output, ...result } = await stack.run(operation);
        if (code !== 0)
          throw new Error(`${subject}: ${operation} failed (exit ${code}):\n${output.slice(-2000)}`);
        const took = `${seconds(result.wallMs)} s, ${seconds(result.cpuMs)} s of CPU, ${result.requests.length} requests`;
        progress(`${operation} (${round} of ${rounds}), ${subject}: ${took}`);
        runs[operation] ??= {};
        runs[operation][subject] ??= [];
        runs[operation][subject].push(result);
        if (operation === "up") afterUp(subject);
      }
    }
  }
  return mapValues(runs, (bySubject) => mapValues(bySubject, (all) => medianBy(all, middleOf)));
}

const mapValues = (of, map) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));

/** A throw-away backend for stacks of the subjects. */
export function openBackend(engine) {
  const scratch = mkdtempSync(join(tmpdir(), "page-guard-bench-"));
  const backend = join(scratch, "backend");
  mkdirSync(backend);
  const base = {
    ...process.env,
    PULUMI_HOME: join(scratch, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(backend).href,
    PULUMI_CONFIG_PASSPHRASE: "bench",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PATH: `${engine}${delimiter}${process.env.PATH ?? ""}`,
  };

  return {
    /** A stack of `subject`, or of the project given, with `n` policies in the zone. */
    async openStack(subject, { n, zoneId, sim, name, extraEnv = {}, project = join(subjects, subject) }) {
      const settings = join(scratch, `${subject}-${name}`);
      mkdirSync(settings);
      copyFileSync(join(project, "Pulumi.yaml"), join(settings, "Pulumi.yaml"));
      const env = {
        ...base,
        ...extraEnv,
        BENCH_N: String(n),
        BENCH_ZONE: zoneId,
        PAGE_GUARD_BASE_URL: sim.url,
        PAGE_GUARD_API_TOKEN: sim.token,
      };
      const made = await measured(["-C", settings, "stack", "init", name, "--non-interactive"], {
        cwd: project,
        env,
      });
      if (made.code !== 0) throw new Error(`The stack for ${subject} could not be made:\n${made.output}`);
      const configFile = join(settings, `Pulumi.${name}.yaml`);
      return {
        /** Runs one of `operations`, or `args`: exit code, output, wall time, memory, and the requests that it made. */
        async run(operation, { args: given = operations[operation], env: more = {}, limitMs } = {}) {
          const from = sim.journal.length;
          const args = [...given, ...quiet, "--stack", name, "--config-file", configFile];
          const result = await measured(args, { cwd: project, env: { ...env, ...more }, limitMs });
          return { ...result, requests: sim.journal.slice(from) };
        },
        checkpoint() {
          const file = join(backend, ".pulumi", "stacks", `page-guard-bench-${subject}`, `${name}.json`);
          return readFileSync(file, "utf8");
        },
      };
    },
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

/**
 * Runs the CLI and tells on the third pipe what CPU time it took and what it wrote to disk, with all processes that it
 * started.
 */
const shell = `pulumi "$@" & cli=$!; trap 'kill -TERM $cli' TERM INT; wait $cli; code=$?; times >&3; cat /proc/$$/io >&3 2>/dev/null; exit $code`;

function measured(args, { cwd, env, limitMs = usualLimitMs }) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn("sh", ["-c", shell, "sh", ...args], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    const memory = watchProviderMemory(child.pid);
    const engineTime = watchEngineTime(child.pid);
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
      resolve({
        code: code ?? 128,
        output,
        wallMs,
        cpuMs: cpuMsOf(times),
        engineCpuMs: engineTime(),
        writtenBytes: writtenOf(times),
        peakBytes: memory(),
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
