import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { pluralize } from "pulumi-page-guard/tools";
import { forTerminal } from "../reports/escape";
import { CommandError } from "../shared/command-error";
import { replaceFile } from "../shared/output";
import { readBytes } from "../shared/read-text";
import { type Session, today } from "../shared/session";
import type { ZoneRef } from "../shared/zones";
import { parseInventory } from "./inventory-file";

/** Flags about the inventories: a folder with one file per zone. */
export interface PlaceFlags {
  readonly inventory: string;
  /** URL to which the number of a reference such as `#123` is appended. */
  readonly references?: string;
}

/** Returns the path of a zone's inventory, relative to the working directory: NAME.yaml, or ID.yaml if only that file exists. */
export function findFile({ cwd }: Session, { inventory }: PlaceFlags, { name, id }: ZoneRef): string {
  const [byName = "", byId = ""] = [name, id].map((one) => join(inventory, `${one}.yaml`));
  return !existsSync(resolve(cwd, byName)) && existsSync(resolve(cwd, byId)) ? byId : byName;
}

function readTextIfAny(session: Session, file: string): string | undefined {
  return existsSync(resolve(session.cwd, file)) ? readBytes(session, file).toString("utf8") : undefined;
}

/** Reads the inventory of a zone, and also checks its approvals. */
export function readInventory(session: Session, flags: PlaceFlags, zone: ZoneRef) {
  const file = findFile(session, flags, zone);
  const text = readTextIfAny(session, file);
  const rules = { today: today(session), references: flags.references };
  return { file, isMissing: text === undefined, ...parseInventory(text ?? "", rules) };
}

/** Reads an inventory for an edit. `before` is its text, if there is a file. @throws CommandError if the file has faults. */
export function readForEdit(session: Session, file: string) {
  const before = readTextIfAny(session, file);
  const { entries, faults } = parseInventory(before ?? "");
  const [fault] = faults;
  if (fault === undefined) return { file, before, entries };
  const more = faults.length === 1 ? "" : ` The file has ${pluralize(faults.length - 1, "more fault")}.`;
  throw new CommandError(
    `${forTerminal(file)}:${fault.line}: ${fault.message}${more} Nothing was written. Correct the file first.`,
  );
}

/** Replaces a file in one step. A symbolic link is kept, and the file that it points to is replaced. */
export function replaceInventory(session: Session, file: string, text: string): void {
  const path = resolve(session.cwd, file);
  replaceFile(session, existsSync(path) ? realpathSync(path) : file, text);
}
