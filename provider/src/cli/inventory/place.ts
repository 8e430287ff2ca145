import { existsSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseInventory } from "../../inventory/inventory-file";
import { forTerminal } from "../../reports/escape";
import { CommandError } from "../command-error";
import { makeFolder } from "../make-folder";
import { writing } from "../output";
import { isRunning } from "../process";
import { readBytes } from "../read-text";
import type { Session } from "../session";
import type { ZoneRef } from "../zones";

/** The folder in which the command runs. */
type Place = Pick<Session, "cwd">;

/** Where the inventories are, one file a zone. */
export interface PlaceFlags {
  readonly inventory: string;
}

/** Of a zone, by its name: relative to the folder in which the command runs. */
export function fileOf({ inventory }: PlaceFlags, { name }: ZoneRef): string {
  return join(inventory, `${name}.yaml`);
}

/** The text of a file; undefined where there is none yet. */
export function readInventory(session: Place, file: string): string | undefined {
  return existsSync(resolve(session.cwd, file)) ? readBytes(session, file).toString("utf8") : undefined;
}

/** The text of a file that can be edited. */
export function editable(file: string, text: string): ReturnType<typeof parseInventory>["entries"] {
  const { entries, faults } = parseInventory(text);
  const [fault] = faults;
  if (fault === undefined) return entries;
  const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
  throw new CommandError(
    `${forTerminal(file)}:${fault.line}: ${fault.message}${more} Nothing was written: correct the file first.`,
  );
}

/**
 * In place of what was read: all of it or nothing, also where it is cut off. Where someone else has written the file since,
 * theirs stays.
 */
export function replaceInventory(
  session: Place,
  file: string,
  before: string | undefined,
  text: string,
): void {
  const named = resolve(session.cwd, file);
  // A link stays one.
  const path = existsSync(named) ? realpathSync(named) : named;
  // Beside it: a rename is whole only within one file system.
  const draft = draftOf(path, process.pid);
  writing(file, () => {
    try {
      makeFolder(dirname(path));
      // In containers an earlier process often had the same number.
      rmSync(draft, { force: true });
      writeFileSync(draft, text, { flag: "wx", ...(before !== undefined && { mode: statSync(path).mode }) });
      awaitTurn(path, file);
      if (readInventory(session, file) !== before)
        throw new CommandError(
          `Failed to write ${forTerminal(file)}: someone else changed it. Nothing was written: run this again.`,
        );
      renameSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

function draftOf(path: string, pid: number): string {
  return `${path}.${pid}.tmp`;
}

const waitMs = 10;
const mostWaits = 200;

/**
 * Lets one process at a time compare and replace the file: each has its draft in place before it looks for others. Of two
 * that see each other, the one with the lower number waits and the other one fails, so that not both do. The drafts of
 * processes that have ended are removed.
 */
function awaitTurn(path: string, file: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waits = 0; ; waits += 1) {
    const others = draftsOf(path).filter((pid) => pid !== process.pid);
    for (const pid of others) if (!isRunning(pid)) rmSync(draftOf(path, pid), { force: true });
    const [first] = others.filter(isRunning).sort((a, b) => a - b);
    if (first === undefined) return;
    if (first < process.pid || waits === mostWaits)
      throw new CommandError(
        `Failed to write ${forTerminal(file)}: process ${first} is writing it. Nothing was written: run this again. If that process does something else, delete ${forTerminal(draftOf(file, first))}.`,
      );
    Atomics.wait(pause, 0, 0, waitMs);
  }
}

/** The numbers of the processes that have a draft of the file. */
function draftsOf(path: string): readonly number[] {
  const start = `${basename(path)}.`;
  return readdirSync(dirname(path)).flatMap((name) => {
    const [, pid] = name.startsWith(start)
      ? (/^([1-9]\d{0,9})\.tmp$/.exec(name.slice(start.length)) ?? [])
      : [];
    return pid === undefined ? [] : [Number(pid)];
  });
}
