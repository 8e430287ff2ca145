import { spawn } from "node:child_process";
import { delimiter, dirname, sep } from "node:path";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import type { Session } from "../shared/session";

interface PulumiRunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Streams that receive the output as it arrives. */
  readonly shown?: Pick<Session, "out" | "err">;
  readonly timeoutMs?: number;
}

/** Maximum length of the output that is kept, in characters. */
const mostKept = 1 << 28;

/**
 * Runs `pulumi` to its end. `code` is its exit code, or 1 after a signal. `output` contains both streams in order of arrival.
 * `isCanceled` is true if this process received a signal while `pulumi` was running.
 */
export function runPulumi(
  session: Session,
  [executable = "pulumi", ...args]: readonly string[],
  { env = {}, shown, timeoutMs }: PulumiRunOptions = {},
): Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
  readonly isCanceled: boolean;
}> {
  return new Promise((settle, reject) => {
    const child = spawn(executable, args, {
      cwd: session.cwd,
      // Leaves out the approval key: a program can read its environment, and everyone who has the key can approve updates.
      env: {
        ...session.env,
        PAGE_GUARD_APPROVAL_KEY: undefined,
        NODE_PATH: userNodePath(session.env),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // If `pulumi` cannot be started, the `timeout` option of `spawn` would still keep this process alive until the timeout ends.
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill(), timeoutMs);
    const kept = { stdout: "", output: "" };
    const take = (part: string, ...names: (keyof typeof kept)[]): void => {
      for (const name of names) if (kept[name].length < mostKept) kept[name] += part;
      shown?.[names.includes("stdout") ? "out" : "err"](part);
    };
    child.stdout.setEncoding("utf8").on("data", (part: string) => take(part, "stdout", "output"));
    child.stderr.setEncoding("utf8").on("data", (part: string) => take(part, "output"));
    // Passes our signals on, so that the update ends in an orderly way; a killed update leaves a lock behind. But a terminal
    // sends Ctrl-C to both processes, and a second Ctrl-C, from here, would kill the update at once.
    const isAtTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
    let isCanceled = false;
    const stop = (signal: NodeJS.Signals): void => {
      isCanceled = true;
      if (signal === "SIGTERM" || !isAtTerminal) child.kill(signal);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    const over = (): void => {
      clearTimeout(timer);
      process.off("SIGINT", stop).off("SIGTERM", stop);
    };
    child.on("error", (error) => {
      over();
      const missing =
        "Failed to run `pulumi`: it is not on the PATH. Install it, or give its path after the `--`.";
      reject("code" in error && error.code === "ENOENT" ? new CommandError(missing) : error);
    });
    child.on("close", (code) => {
      over();
      settle({ code: code ?? 1, ...kept, isCanceled });
    });
  });
}

/**
 * Returns NODE_PATH without the folders above this package. The shim that pnpm makes for this command adds these folders, and
 * with them a program would find packages that it does not depend on.
 */
function userNodePath({ NODE_PATH: given }: NodeJS.ProcessEnv): string | undefined {
  const isAbove = (folder: string): boolean => __dirname.startsWith(`${dirname(folder)}${sep}`);
  return given
    ?.split(delimiter)
    .filter((folder) => !isAbove(folder))
    .join(delimiter);
}

/** Matches the lock messages of self-managed backends (files, buckets, databases) and of Pulumi Cloud. */
const locked =
  /the stack is currently locked by \d+ lock|\[409\] (Conflict: )?Another update is currently in progress/;
/** Matches a line that names the owner of a lock: `…: created by deploy@ci-7 (pid 123) at 2026-01-01T12:00:00Z`. */
const created = /created by (\S+) \(pid (\d+)\) at (\S+)/;

/** Returns the owner of the lock that made an update fail; undefined if the update failed for another reason. Safe to show. */
export function lockOwner(output: string): string | undefined {
  if (!locked.test(output)) return undefined;
  const [, who, pid, at] = created.exec(output) ?? [];
  return who ? forTerminal(`${who} (process ${pid}) since ${at}`, 200) : "another update";
}
