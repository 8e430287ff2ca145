import { appendFileSync, closeSync, constants, existsSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { readBytes } from "../read-text";
import type { RunLine } from "../reports/audit/report-data";
import type { Session } from "../session";
import { chained } from "./chain";

/** Chains a line onto the ends, and appends it to the file of its month. */
export function recordLine(
  session: Session,
  folder: string,
  line: RunLine,
  { ends, key }: { readonly ends: readonly string[]; readonly key: string | undefined },
): void {
  const file = join(resolve(session.cwd, folder), `${line.when.slice(0, 7)}.jsonl`);
  // Someone may have written the last line by hand, without its end.
  const isOpen = existsSync(file) && !/(^|\n)$/.test(readBytes(session, file).toString("utf8"));
  // One short write to the end of the file: lines of jobs that run at the same time do not mix. No link of a branch is followed.
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
  const opened = openSync(file, flags, 0o600);
  try {
    appendFileSync(opened, `${isOpen ? "\n" : ""}${JSON.stringify(chained(line, ends, key))}\n`);
  } finally {
    closeSync(opened);
  }
}
