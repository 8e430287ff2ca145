import type { systemClock } from "pulumi-page-guard/tools";
import type { Review } from "../documents/review/review";
import { CommandError } from "./command-error";

/** The exit codes of all commands; docs/commands/README.md lists them. */
export const exitCode = {
  fine: 0,
  failed: 1,
  /** The command found something that it looks for, such as drift. */
  found: 2,
} as const;

/** One of the exit codes above, or the exit code of `pulumi` if a command ran it. */
export type ExitCode = number;

/** Receives the exit code of a command. Actions of commander cannot return it. */
export type Conclude = (work: Promise<ExitCode>) => Promise<void>;

/** Results that a command reports to `fleet` when `fleet` runs the command for a stack. All strings are safe to show. */
export interface Told {
  readonly review?: Review;
  /** Ids of the zones in which the plan changes, deletes or restores something. */
  readonly changedZones?: readonly string[];
  /** Names of the resources that change in a zone that is secret or not known yet. */
  readonly unplaced?: readonly string[];
  /** Ids of the zones that were read, a line for each difference, and the number of values that could not be compared. */
  readonly drift?: {
    readonly zones: readonly string[];
    readonly differences: readonly string[];
    readonly notCompared: number;
  };
  /** Reason why the command failed, or refused to do its work. */
  readonly reason?: string;
  /** Set if the update ran, but did something other than what was approved. */
  readonly isOtherwise?: true;
  /** Set if there is no such stack, or its state has no resource of this package. */
  readonly isEmpty?: true;
  readonly waits?: string;
}

/** The parts of the process that a command uses. Tests pass their own. */
export interface Session {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Writes to standard output: the result, and nothing else. */
  out(text: string): void;
  /** Writes to standard error: progress and failures. */
  err(text: string): void;
  /** Reads standard input. @throws CommandError for more than `most` bytes. */
  readStdin(most: number): Promise<string>;
  /** Whether standard error is a terminal outside of CI. Only then is progress shown. */
  readonly isWatched: boolean;
  readonly hasColour: boolean;
  now(): number;
  /** Only `fleet` sets this. */
  tell?(told: Told): void;
  /** Clock to use instead of the system's. */
  readonly clock?: typeof systemClock;
}

export function processSession(): Session {
  const { env } = process;
  const inCi = env["CI"] !== undefined && env["CI"] !== "" && env["CI"] !== "false";
  return {
    env,
    cwd: process.cwd(),
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    readStdin: async (most) => {
      const parts: Buffer[] = [];
      let length = 0;
      for await (const part of process.stdin) {
        parts.push(part);
        length += part.length;
        if (length > most)
          throw new CommandError(
            `Failed to read standard input: it has more than ${Math.floor(most / 1_000_000)} MB.`,
          );
      }
      return Buffer.concat(parts).toString("utf8");
    },
    isWatched: process.stderr.isTTY === true && !inCi && env["TERM"] !== "dumb",
    hasColour: process.stdout.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    now: Date.now,
  };
}

/** Returns today's date in UTC: `2026-11-23`. */
export function today({ now }: Pick<Session, "now">): string {
  return new Date(now()).toISOString().slice(0, 10);
}
