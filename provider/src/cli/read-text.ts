import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { forTerminal } from "../reports/escape";
import { CommandError } from "./command-error";
import type { Session } from "./session";
import { reasonOf } from "./zones";

/** What a file that is named on the command line is called in a message. */
export function nameOfFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

/** A file that is named on the command line, or standard input for `-`. */
export async function readText(session: Session, file: string): Promise<string> {
  if (file === "-") return session.readStdin();
  try {
    return readFileSync(resolve(session.cwd, file), "utf8");
  } catch (error) {
    throw new CommandError(`${forTerminal(file)} cannot be read: ${reasonOf(error)}`);
  }
}
