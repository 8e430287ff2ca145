import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { CommandError } from "../command-error";
import { replaceFile } from "../output";
import { readBytes } from "../read-text";
import { forTerminal } from "../reports/escape";
import { type Session, today } from "../session";
import type { ZoneRef } from "../zones";
import { type InventoryFile, parseInventory } from "./inventory-file";

/** The folder in which the command runs. */
type Place = Pick<Session, "cwd">;

/** Where the inventories are, one file a zone. */
export interface PlaceFlags {
  readonly inventory: string;
  /** What a reference such as `#123` continues: a URL. */
  readonly references?: string;
}

/** File of a zone by its name, else by its id: relative to the folder in which the command runs. */
export function fileOf({ cwd }: Place, { inventory }: PlaceFlags, { name, id }: ZoneRef): string {
  const [byName, byId] = [name, id].map((one) => join(inventory, `${one}.yaml`)) as [string, string];
  return !existsSync(resolve(cwd, byName)) && existsSync(resolve(cwd, byId)) ? byId : byName;
}

/** The text of a file; undefined where there is none yet. */
export function readInventory(session: Place, file: string): string | undefined {
  return existsSync(resolve(session.cwd, file)) ? readBytes(session, file).toString("utf8") : undefined;
}

/** What the file of a zone says, with faults in its approvals. */
export function inventoryOf(session: Session, flags: PlaceFlags, zone: ZoneRef) {
  const file = fileOf(session, flags, zone);
  const text = readInventory(session, file);
  const rules = { today: today(session), references: flags.references };
  return { file, isMissing: text === undefined, ...parseInventory(text ?? "", rules) };
}

/** Entries of a file that can be edited. */
export function editable(file: string, text: string): InventoryFile["entries"] {
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
  if (readInventory(session, file) !== before)
    throw new CommandError(
      `Failed to write ${forTerminal(file)}: someone else changed it. Nothing was written: run this again.`,
    );
  const path = resolve(session.cwd, file);
  // A link stays one.
  replaceFile(session, before === undefined ? file : realpathSync(path), text);
}
