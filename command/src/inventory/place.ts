import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CommandError } from "../command-error";
import { makeFolder } from "../make-folder";
import { writing } from "../output";
import { readBytes } from "../read-text";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import type { ZoneRef } from "../zones";
import { parseInventory } from "./inventory-file";

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

/** In place of what was read: all of it or nothing. Where someone else has written the file since, theirs stays. */
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
  const draft = `${path}.${process.pid}.tmp`;
  writing(file, () => {
    try {
      makeFolder(dirname(path));
      // In containers an earlier process often had the same number.
      rmSync(draft, { force: true });
      writeFileSync(draft, text, { flag: "wx", ...(before !== undefined && { mode: statSync(path).mode }) });
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
