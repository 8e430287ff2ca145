import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";
import { CommandError } from "./command-error";
import type { Session } from "./session";

/** More than a policy, a list of zones or a comment has. */
const usual = 16_000_000;

/** For events of a preview, or a state: 5,000 policies have 10 MB. Node cannot hold a text of twice this limit. */
export const ofStack = 256_000_000;

export function nameOfFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** A file, or standard input for `-`, without the byte order mark that some editors and shells write. */
export async function readText(session: Session, file: string, most = usual): Promise<string> {
  const text = file === "-" ? await session.readStdin(most) : readBytes(session, file, most).toString("utf8");
  return text.replace(/^\ufeff/, "");
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
 * The content of a regular file of at most `most` bytes: an endless device is not read, and a pipe is not waited for.
 *
 * @throws Error with the reason in words
 */
export function readRegularFile(path: string, most: number): Buffer {
  const stat = statSync(path);
  if (!stat.isFile()) throw new Error("it is not a regular file");
  if (stat.size > most) throw new Error(`it has more than ${Math.floor(most / 1_000_000)} MB`);
  return readFileSync(path);
}
