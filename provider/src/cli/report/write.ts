import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { forTerminal } from "../../reports/escape";
import { CommandError } from "../command-error";
import { makeFolder } from "../make-folder";
import type { Session } from "../session";
import { reasonOf } from "../zones";

/** Puts a whole file in place of what is there: whoever reads it, or writes it at the same time, never has half of one. */
export function replaceFile({ cwd }: Session, file: string, text: string): void {
  const path = resolve(cwd, file);
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}`);
  try {
    makeFolder(dirname(path));
    writeFileSync(draft, text, { flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CommandError(`${forTerminal(file)} cannot be written: ${reasonOf(error)}`);
  }
}
