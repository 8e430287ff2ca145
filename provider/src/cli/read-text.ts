import { resolve } from "node:path";
import { forTerminal } from "../reports/escape";
import { readRegularFile } from "../text/regular-file";
import { CommandError } from "./command-error";
import type { Session } from "./session";

/** A policy, a list of zones, a comment: more than any of these has. */
const usual = 16_000_000;

/** Events of a preview, or a state: 5,000 policies have 10 MB. A text of more than twice that much cannot be in memory. */
export const ofStack = 256_000_000;

/** What a file that is named on the command line is called in a message. */
export function nameOfFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** A file that is named on the command line, or standard input for `-`. */
export async function readText(session: Session, file: string, most = usual): Promise<string> {
  return file === "-" ? session.readStdin(most) : readBytes(session, file, most).toString("utf8");
}

/** @throws CommandError for what is no regular file, and for one with more than `most` bytes. */
export function readBytes({ cwd }: Pick<Session, "cwd">, file: string, most = usual): Buffer {
  try {
    return readRegularFile(resolve(cwd, file), most);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${forTerminal(file)} cannot be read: ${forTerminal(reason)}`);
  }
}
