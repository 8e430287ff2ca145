import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../api/clock";
import { tooLarge } from "../text/regular-file";
import { CommandError } from "./command-error";

/** How a command ends; the same for all of them, and documented in docs/commands/README.md. */
export const exitCode = {
  /** Done, and nothing to tell. */
  fine: 0,
  /** It could not do what it was asked for. */
  failed: 1,
  /** It found what it was asked to tell. */
  found: 2,
} as const;

/** One of these, or what the `pulumi` that a command ran has ended with. */
export type ExitCode = number;

/** What the action of a command gives back through commander, which knows no results. */
export type Conclude = (work: Promise<ExitCode>) => Promise<void>;

/** What a command sees of the process that runs it; tests give their own. */
export interface Session {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Standard output: the result, and nothing else. */
  out(text: string): void;
  /** Standard error: what goes on, and what went wrong. */
  err(text: string): void;
  /** @throws CommandError when it has more than `most` bytes. */
  readStdin(most: number): Promise<string>;
  /** Whether a person watches standard error: only then is there a line of progress. */
  readonly isWatched: boolean;
  /** Whether standard output may be coloured. */
  readonly hasColour: boolean;
  now(): number;
  /** What is waited by; the system's when absent. */
  readonly clock?: Clock;
}

/** The session of this process. */
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
        length += parts[parts.push(Buffer.from(part)) - 1]?.length ?? 0;
        if (length > most) throw new CommandError(`Standard input cannot be read: ${tooLarge(most)}.`);
      }
      return Buffer.concat(parts).toString("utf8");
    },
    isWatched: process.stderr.isTTY === true && !inCi && env["TERM"] !== "dumb",
    hasColour: process.stdout.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    now: Date.now,
  };
}

/** The version of this package, from its own package.json: the folder above `dist` as above `src`. */
export function packageVersion(): string {
  const text = readFileSync(join(__dirname, "..", "..", "package.json"), "utf8");
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
