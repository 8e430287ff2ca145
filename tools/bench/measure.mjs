import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../setup/run.mjs";

const everyMs = 100;
/** Milliseconds per tick, the unit of the times in /proc. The same on all machines that run this tool. */
const msPerTick = 10;
/** Runs the CLI and writes what the kernel knows about the shell and its ended children: processor time, and bytes written. */
const shell = 'pulumi "$@"; code=$?; cat /proc/$$/stat /proc/$$/io >"$BENCH_COST" 2>/dev/null; exit $code';
const provider = /cmd\/(?:dynamic-provider|run-plugin)\b|pulumi-resource-page-guard/;

/**
 * Runs the Pulumi CLI and returns its exit code and output, wall-clock time, processor time of all processes and of the
 * engine, bytes written, and the peak memory of the provider. Costs need /proc; without it, they are undefined.
 */
export async function measure(args, { cwd, env, scratch }) {
  const file = join(scratch, "cost");
  rmSync(file, { force: true });
  const watched = watchProcesses();
  const started = performance.now();
  const { code, output } = await run("sh", ["-c", shell, "sh", ...args], {
    cwd,
    env: { ...env, BENCH_COST: file },
  });
  const wallMs = performance.now() - started;
  const { cpuMs, ...memoryAndEngine } = watched();
  const cost = read(file);
  // The shell misses plugins, because the engine does not wait for them. The watcher misses the end of each process.
  const shellCpuMs = cost && ticks(cost, "children") * msPerTick;
  const writtenBytes = cost && Number(/^write_bytes: (\d+)$/m.exec(cost)[1]);
  return {
    code,
    output,
    wallMs,
    cpuMs: cost && Math.max(shellCpuMs, cpuMs),
    writtenBytes,
    ...memoryAndEngine,
  };
}

/** Returns the wall-clock time until a script of Node has written its first line. */
export async function measureFirstLine(script, env) {
  const started = performance.now();
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"], env });
  await once(child.stdout, "data");
  const wallMs = performance.now() - started;
  // Waits until the plugin has written its compile cache.
  setTimeout(() => child.kill("SIGKILL"), 300);
  await once(child, "close");
  return { wallMs };
}

/**
 * Watches all processes below this one. Reports the peak memory of the provider, from the high-water mark of the kernel, so
 * the moment of reading does not matter. Reports the last processor times of all processes together and of the engine. The
 * times leave out at most the last tenth of a second of each process.
 */
function watchProcesses() {
  let providerPid;
  let enginePid;
  let peakBytes;
  const cpuMs = new Map();
  const timer = setInterval(() => {
    for (const pid of descendants(process.pid)) {
      const stat = read(`/proc/${pid}/stat`);
      if (stat !== undefined) cpuMs.set(pid, ticks(stat, "own") * msPerTick);
      if (read(`/proc/${pid}/comm`) === "pulumi\n") enginePid ??= pid;
      if (provider.test(commandOf(pid))) providerPid ??= pid;
    }
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(read(`/proc/${providerPid}/status`) ?? "") ?? [];
    if (kilobytes !== undefined) peakBytes = Math.max(peakBytes ?? 0, Number(kilobytes) * 1024);
  }, everyMs);
  return () => {
    clearInterval(timer);
    const sum = [...cpuMs.values()].reduce((before, ms) => before + ms, 0);
    return { peakBytes, cpuMs: sum, engineCpuMs: cpuMs.get(enginePid) };
  };
}

/** Returns user and system time of a process or of its ended children. The name of a process is in parentheses and may contain spaces. */
function ticks(stat, whose) {
  const fields = stat.replace(/^.*\) /, "").split(" ");
  const at = whose === "own" ? 11 : 13;
  return Number(fields[at]) + Number(fields[at + 1]);
}

function descendants(pid) {
  const tasks = read(`/proc/${pid}/task`, readdirSync) ?? [];
  const children = tasks.flatMap((task) => read(`/proc/${pid}/task/${task}/children`)?.match(/\d+/g) ?? []);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** Returns the command line of a Node process; empty for other processes, such as the shell that started it. */
function commandOf(pid) {
  const words = (read(`/proc/${pid}/cmdline`) ?? "").split("\0");
  return words[0].endsWith("node") && words[1] !== "-e" ? words.join(" ") : "";
}

function read(path, how = (file) => readFileSync(file, "utf8")) {
  try {
    return how(path);
  } catch {
    return undefined;
  }
}
