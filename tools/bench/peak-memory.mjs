import { readdirSync, readFileSync } from "node:fs";

/**
 * Watches the provider process below `pid` and reports its peak memory, in bytes: the kernel's own high
 * mark, so that the time of the read does not matter. Undefined where there is no /proc.
 */
export function watchProviderMemory(pid) {
  let provider;
  let peak;
  const timer = setInterval(() => {
    provider ??= descendants(pid).find((child) =>
      /cmd\/(?:dynamic-provider|run-plugin)\b/.test(commandOf(child)),
    );
    const mark = provider === undefined ? undefined : highMark(provider);
    if (mark !== undefined) peak = Math.max(peak ?? 0, mark);
  }, 100);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Watches the engine below `pid`, and reports its own processor time in ms, to a tenth of a second. */
export function watchEngineTime(pid) {
  let engine;
  let ms;
  const timer = setInterval(() => {
    engine ??= descendants(pid).find((child) => read(`/proc/${child}/comm`)?.trim() === "pulumi");
    // After the name in brackets: the 12th and 13th are ticks in the program and in the system, of 10 ms each.
    const fields =
      engine &&
      read(`/proc/${engine}/stat`)
        ?.replace(/^.*\) /, "")
        .split(" ");
    if (fields) ms = (Number(fields[11]) + Number(fields[12])) * 10;
  }, 100);
  return () => {
    clearInterval(timer);
    return ms;
  };
}

function descendants(pid) {
  const children = read(`/proc/${pid}/task`, (path) => readdirSync(path))?.flatMap((task) =>
    (read(`/proc/${pid}/task/${task}/children`) ?? "").split(" ").filter(Boolean),
  );
  return (children ?? []).flatMap((child) => [child, ...descendants(child)]);
}

/** Of the process itself, not of the shell that has started it: the first word is Node. */
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
