import { readdirSync, readFileSync } from "node:fs";

const everyMs = 100;
/** Milliseconds per tick of the kernel's clock, in which /proc counts; the same on all machines that run this. */
const msPerTick = 10;

/**
 * Watches all processes below `pid`. Reports the peak memory of the provider, from the high-water mark of the kernel, so the
 * moment of reading does not matter. Reports the last processor times of all processes together and of the engine, which
 * miss at most the last tenth of a second of each. The count of the shell misses plugins, for which the engine does not
 * wait. Without /proc, reports undefined and 0.
 */
export function watchProcesses(pid) {
  let provider;
  let engine;
  let peakBytes;
  const cpuMs = new Map();
  const timer = setInterval(() => {
    const all = descendants(pid);
    for (const one of all) cpuMs.set(one, cpuOf(one) ?? cpuMs.get(one) ?? 0);
    engine ??= all.find((child) => read(`/proc/${child}/comm`)?.trim() === "pulumi");
    provider ??= all.find((child) =>
      /cmd\/(?:dynamic-provider|run-plugin)\b|pulumi-resource-page-guard/.test(commandOf(child)),
    );
    const mark = provider === undefined ? undefined : highMark(provider);
    if (mark !== undefined) peakBytes = Math.max(peakBytes ?? 0, mark);
  }, everyMs);
  return () => {
    clearInterval(timer);
    const sum = [...cpuMs.values()].reduce((before, ms) => before + ms, 0);
    return { peakBytes, cpuMs: sum, engineCpuMs: cpuMs.get(engine) };
  };
}

/** Returns user and system time. The name of a process, in parentheses, may contain spaces. */
function cpuOf(pid) {
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ");
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

function descendants(pid) {
  const children = read(`/proc/${pid}/task`, (path) => readdirSync(path))?.flatMap((task) =>
    (read(`/proc/${pid}/task/${task}/children`) ?? "").split(" ").filter(Boolean),
  );
  return (children ?? []).flatMap((child) => [child, ...descendants(child)]);
}

/** Returns the command line of a Node process; empty for other processes, such as the shell that started it. */
function commandOf(pid) {
  const words = (read(`/proc/${pid}/cmdline`) ?? "").split("\0");
  return words[0]?.endsWith("node") && words[1] !== "-e" ? words.join(" ") : "";
}

function highMark(pid) {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`) ?? "")?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function read(path, how = (file) => readFileSync(file, "utf8")) {
  try {
    return how(path);
  } catch {
    return undefined;
  }
}
