import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readMessage } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { CommandError } from "./command-error";
import type { Session } from "./session";

/** Default maximum size of a file in bytes. No policy, list of zones or comment needs more. */
const usual = 16_000_000;

/**
 * Maximum size in bytes of a state, of the events of a preview, of a report, or of the recorded runs of a month. 5,000 policies need
 * 10 MB, and a report on 200 zones needs 16 MB. Node's longest string has 512 MB.
 */
export const mostStackBytes = 256_000_000;

export function nameFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** Returns the text of a file, or of standard input for `-`, without the byte order mark that some editors write. */
export async function readText(session: Session, file: string, most = usual): Promise<string> {
  const text = file === "-" ? await session.readStdin(most) : readBytes(session, file, most).toString("utf8");
  return text.replace(/^\ufeff/, "");
}

/** Returns the bytes of a file. @throws CommandError if it is not a regular file of at most `most` bytes. */
export function readBytes({ cwd }: Pick<Session, "cwd">, file: string, most = usual): Buffer {
  try {
    return readRegularFile(resolve(cwd, file), most);
  } catch (error) {
    throw new CommandError(`Failed to read ${forTerminal(file)}: ${forTerminal(readMessage(error))}`);
  }
}

/**
 * Returns the content of a regular file of at most `most` bytes. Never waits, because it refuses pipes and devices.
 *
 * @throws Error with the reason in words
 */
export function readRegularFile(path: string, most: number): Buffer {
  const stat = statSync(path);
  if (!stat.isFile()) throw new Error("it is not a regular file");
  if (stat.size > most) throw new Error(`it has more than ${Math.floor(most / 1_000_000)} MB`);
  return readFileSync(path);
}
