import { spawn } from "node:child_process";
import { CommandError } from "../command-error";
import type { Session } from "../session";

interface PulumiEnded {
  /** 1 after a signal. */
  readonly code: number;
  readonly stdout: string;
  /** Both streams, in the order in which they came. */
  readonly output: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Gets the output as it comes. */
  readonly shown?: Pick<Session, "out" | "err">;
  readonly timeoutMs?: number;
}

/** Characters of output that are kept. */
const mostKept = 1 << 28;

/** Runs `pulumi` to its end. */
export function runPulumi(
  session: Session,
  [executable = "pulumi", ...args]: readonly string[],
  { env = {}, shown, timeoutMs }: RunOptions = {},
): Promise<PulumiEnded> {
  return new Promise((settle, reject) => {
    const child = spawn(executable, args, {
      cwd: session.cwd,
      // The program can read its environment, and whoever has this key can approve.
      env: { ...session.env, PAGE_GUARD_APPROVAL_KEY: undefined, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Node's own `timeout` keeps a process alive until then if there was nothing to start.
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill(), timeoutMs);
    let stdout = "";
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      if (stdout.length < mostKept) stdout += part;
      if (output.length < mostKept) output += part;
      shown?.out(part);
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      if (output.length < mostKept) output += part;
      shown?.err(part);
    });
    // An update that is killed leaves a lock, so it gets our signals and ends in its own order. A terminal sends them itself.
    const stop = (signal: NodeJS.Signals): void => {
      if (signal === "SIGTERM" || !isAtTerminal()) child.kill(signal);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    const over = (): void => {
      clearTimeout(timer);
      process.off("SIGINT", stop).off("SIGTERM", stop);
    };
    child.on("error", (error) => {
      over();
      const isMissing = "code" in error && error.code === "ENOENT";
      reject(
        isMissing
          ? new CommandError(
              "Failed to run `pulumi`: it is not on the PATH. Install it, or give its path after the `--`.",
            )
          : error,
      );
    });
    child.on("close", (code) => {
      over();
      settle({ code: code ?? 1, stdout, output });
    });
  });
}

/** Then Ctrl-C reaches the child too, and a second one would kill its update at once. */
function isAtTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
