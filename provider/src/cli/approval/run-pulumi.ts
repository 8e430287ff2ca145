import { spawn } from "node:child_process";
import { CommandError } from "../command-error";
import type { Session } from "../session";
import type { Shown } from "./until-plan-is-violated";

export interface PulumiEnded {
  /** 1 when a signal has ended it. */
  readonly code: number;
  readonly stdout: string;
  /** Both streams, as they came. */
  readonly output: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Gets what it says while it says it. */
  readonly shown?: Shown;
  /** Then it is ended. */
  readonly timeoutMs?: number;
}

/** What is kept of what it says: the end tells why it failed. */
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
      // The program reads whatever is there. Who has that key can approve.
      env: { ...session.env, PAGE_GUARD_APPROVAL_KEY: undefined, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
    });
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
    // An update that is cut off leaves a lock: who ends us, ends it first, in its own order. A terminal tells it itself.
    const stop = (signal: NodeJS.Signals): void => {
      if (signal === "SIGTERM" || !isAtTerminal()) child.kill(signal);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
    const over = (): void => void process.off("SIGINT", stop).off("SIGTERM", stop);
    child.on("error", (error) => {
      over();
      const isMissing = "code" in error && error.code === "ENOENT";
      reject(
        isMissing
          ? new CommandError("There is no `pulumi` on the PATH. Install it, or give its path after the `--`.")
          : error,
      );
    });
    child.on("close", (code) => {
      over();
      settle({ code: code ?? 1, stdout, output });
    });
  });
}

/** Then Ctrl-C reaches the child too, and a second one would cut its update off at once. */
function isAtTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
