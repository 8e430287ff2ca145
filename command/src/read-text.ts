import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "pulumi-page-guard/tools";
import { CommandError } from "./command-error";
import { forTerminal } from "./reports/escape";
import type { Session } from "./session";

/** More than a policy, a list of zones or a comment has. */
const usual = 16_000_000;

/** For events of a preview, or a state: 5,000 policies have 10 MB. Node cannot hold a text of twice this limit. */
export const ofStack = 256_000_000;

export function nameOfFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** A file, or standard input for `-`. */
export async function readText(session: Session, file: string, most = usual): Promise<string> {
  return file === "-" ? session.readStdin(most) : readBytes(session, file, most).toString("utf8");
}

/** @throws CommandError for anything but a regular file of at most `most` bytes. */
export function readBytes({ cwd }: Pick<Session, "cwd">, file: string, most = usual): Buffer {
  try {
    return readRegularFile(resolve(cwd, file), most);
  } catch (error) {
    throw new CommandError(`Failed to read ${forTerminal(file)}: ${forTerminal(messageOf(error))}`);
  }
}

/**
 * The content of a regular file of at most `most` bytes. Never reads an endless device, and never waits for a pipe
 * without a writer.
 *
 * @throws Error with the reason in words
 */
export function readRegularFile(path: string, most: number): Buffer {
  // Otherwise opening a named pipe waits for a writer. Windows has neither.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error("it is not a regular file");
    if (stat.size > most) throw new Error(`it has more than ${Math.floor(most / 1_000_000)} MB`);
    const bytes = Buffer.alloc(stat.size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > stat.size) throw new Error("it has grown while it was read");
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
