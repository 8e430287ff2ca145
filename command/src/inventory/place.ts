import { existsSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pluralize } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { makeFolder, replaceFile, whileWriting } from "../shared/output";
import { readBytes } from "../shared/read-text";
import { type Session, today } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import type { ZoneRef } from "../shared/zones";
import { parseInventory } from "./inventory-file";

/** Flags about the inventories: a folder with one file per zone. */
export interface PlaceFlags {
  readonly inventory: string;
  /** URL to which the number of a reference such as `#123` is appended. */
  readonly references?: string;
}

/** Returns the absolute path of the folder of inventories, which may not exist yet. @throws UsageError if it is a file */
export function findFolder({ cwd }: Session, { inventory }: PlaceFlags): string {
  const folder = resolve(cwd, inventory);
  if (!existsSync(folder) || statSync(folder).isDirectory()) return folder;
  throw new UsageError(
    `--inventory takes a folder, but ${forTerminal(inventory)} is a file. Name its folder instead.`,
  );
}

/** Returns the path of a zone's inventory, relative to the working directory: NAME.yaml, or ID.yaml if only that file exists. */
export function findFile(session: Session, flags: PlaceFlags, { name, id }: ZoneRef): string {
  const folder = findFolder(session, flags);
  const [byName, byId] = [`${name}.yaml`, `${id}.yaml`];
  const isById = !existsSync(join(folder, byName)) && existsSync(join(folder, byId));
  return join(flags.inventory, isById ? byId : byName);
}

function readIfAny(session: Session, file: string): Buffer | undefined {
  return existsSync(resolve(session.cwd, file)) ? readBytes(session, file) : undefined;
}

/** Reads the inventory of a zone, and also checks its approvals. */
export function readInventory(session: Session, flags: PlaceFlags, zone: ZoneRef) {
  const file = findFile(session, flags, zone);
  const content = readIfAny(session, file);
  const rules = { today: today(session), references: flags.references };
  return { file, isMissing: content === undefined, ...parseInventory(content ?? "", rules) };
}

/** Reads an inventory for an edit. `before` is its text, if there is a file. @throws CommandError if the file has faults. */
export function readForEdit(session: Session, file: string) {
  const content = readIfAny(session, file);
  const { entries, faults } = parseInventory(content ?? "");
  const [fault] = faults;
  if (fault === undefined) return { file, before: content?.toString(), entries };
  const more = faults.length === 1 ? "" : ` The file has ${pluralize(faults.length - 1, "more fault")}.`;
  throw new CommandError(
    `${forTerminal(file)}:${fault.line}: ${fault.message}${more} Nothing was written. Correct the file first.`,
  );
}

/**
 * Replaces the text `before` of an inventory in one step. A symbolic link is kept, and the file that it points to is replaced.
 *
 * @throws CommandError if another process has changed the file since it was read, or is writing it now
 */
export function replaceInventory(
  session: Session,
  { file, before }: Pick<ReturnType<typeof readForEdit>, "file" | "before">,
  text: string,
): void {
  const given = resolve(session.cwd, file);
  const path = existsSync(given) ? realpathSync(given) : given;
  const lock = `${path}.lock`;
  const refuse = (why: string): CommandError =>
    new CommandError(`Failed to write ${forTerminal(file)}: ${why}. Run the command again.`);
  whileWriting(file, () => {
    makeFolder(dirname(path));
    try {
      writeFileSync(lock, "", { flag: "wx" });
    } catch (error) {
      if (!existsSync(lock)) throw error;
      throw refuse(
        `another process is writing it. If no other process is running, delete ${forTerminal(lock, 400)}`,
      );
    }
    try {
      if (readIfAny(session, file)?.toString() !== before)
        throw refuse("another process has changed it since this command read it");
      replaceFile(session, path, text);
    } finally {
      rmSync(lock);
    }
  });
}
