import { readdirSync, readFileSync } from "node:fs";

interface Process {
  readonly pid: number;
  readonly command: string;
}

/**
 * The processes that were started with this PULUMI_HOME. Each story has its own, so these are its CLI, language host,
 * program and provider, also after their parent was killed. Reads /proc: Linux only.
 */
export function processesOf(pulumiHome: string): Process[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      const environment = readOf(pid, "environ").split("\0");
      if (!environment.includes(`PULUMI_HOME=${pulumiHome}`)) return [];
      return [{ pid: Number(pid), command: readOf(pid, "cmdline").replaceAll("\0", " ") }];
    });
}

/** Kills at once, as a machine that loses power does. A process that is gone already is fine. */
export function killAll(processes: readonly Process[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

/** Empty for a process that has just ended or belongs to another user. */
function readOf(pid: string, file: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
