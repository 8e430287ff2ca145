import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { enumerate, parseUrl, pluralize } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import type { ZoneFlags } from "../shared/options";
import { type ExitCode, exitCode, type Session, today } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import { distinct } from "../shared/values";
import { readZoneFlags } from "../shared/zones";
import { withEdits } from "./edit-text";
import { type InventoryEntry, referenceUrl } from "./inventory-file";
import { isMatch, urlKeys } from "./match";
import { findFile, findFolder, type PlaceFlags, readForEdit, replaceInventory } from "./place";

export interface ApproveFlags extends ZoneFlags, PlaceFlags {
  readonly by: string;
  readonly reference: string;
  readonly why: string;
  readonly hash?: readonly string[];
  readonly reviewBy?: string;
  readonly everywhere?: boolean;
}

/** `page-guard inventory approve`: writes an approval into one entry, or into the same entry of each zone. Sends no request. */
export async function approveEntry(
  session: Session,
  pattern: string,
  flags: ApproveFlags,
): Promise<ExitCode> {
  for (const name of ["by", "reference", "why"] as const)
    if (flags[name].trim() === "") throw new UsageError(`--${name} is empty.`);
  const url = parseUrl(referenceUrl(flags.reference, flags.references) ?? "");
  if (url === undefined) throw new UsageError("--reference takes a URL, or #123 with --references.");
  if (url.username !== "" || url.password !== "")
    throw new UsageError("--reference contains a user name or a password.");
  if (flags.reviewBy !== undefined && flags.reviewBy < today(session))
    throw new UsageError("--review-by is in the past.");
  // Prepare all edits before the first file is written, so that a refused edit leaves every file as it was.
  const edits = findEntries(session, pattern, flags).map(({ entry, place, ...inventory }) => {
    const { fields, note } = makeApproval(entry, flags, today(session), place);
    const result = withEdits(inventory.file, inventory.before ?? "", [], new Map([[entry.at, fields]]));
    return { inventory, result, text: `Approved ${forTerminal(entry.match.text)} (${place}).${note}\n` };
  });
  for (const { inventory, result, text } of edits) {
    replaceInventory(session, inventory, result);
    session.out(text);
  }
  return exitCode.fine;
}

/**
 * Returns the fields of an approval, and a note to print. The approval covers the hashes of --hash. Without --hash, it covers the
 * hashes that were seen when the entry was added, unless the entry has an integrity method. If the entry is already approved and
 * has a method, each new hash is added to `change`, with its own approval.
 */
function makeApproval(entry: InventoryEntry, flags: ApproveFlags, on: string, place: string) {
  const { integrity, hash, approved, change } = entry;
  const { by, reference, why, hash: given = [], reviewBy } = flags;
  const approval = { by, reference, on };
  const review = reviewBy !== undefined && { reviewBy };
  const { hashes: listed, sri: isSri } = integrity ?? {};
  if (given.length > 0 && integrity && !listed && !isSri)
    throw new UsageError(
      `The entry at ${place} has an integrity method other than hashes. Change the method by hand, or leave out --hash.`,
    );
  const many = (count: number) => ` ${pluralize(count, "hash is", "hashes are")} approved.`;
  if (approved && integrity && given.length > 0) {
    const known = [...(listed ?? hash), ...change.map((one) => one.hash)];
    const news = distinct(given).filter((one) => !known.includes(one));
    const changes = [...change, ...news.map((one) => ({ hash: one, approved: approval, why }))];
    return { fields: { change: changes, ...review }, note: many((listed ?? hash).length + changes.length) };
  }
  const seen = given.length > 0 || integrity ? given : hash;
  const hashes = seen.length === 0 || isSri ? [] : distinct([...(listed ?? []), ...seen]);
  const method = hashes.length > 0 && { integrity: { hashes } };
  const lacks = integrity ? "" : " It has no integrity method yet. Add `integrity`.";
  return {
    fields: { justification: why, ...method, approved: approval, ...review },
    note: method ? many(hashes.length) : lacks,
  };
}

/** Finds the entry whose `match` is `pattern`, or else the entry that matches `pattern` as a URL; with `everywhere`, in each file. */
function findEntries(session: Session, pattern: string, flags: ApproveFlags) {
  const files = findFiles(session, flags).map((file) => readForEdit(session, file));
  const all = files.flatMap((inventory) =>
    inventory.entries.map((entry) => ({
      ...inventory,
      entry,
      place: `${forTerminal(inventory.file)}:${entry.line}`,
    })),
  );
  const keys = urlKeys(pattern);
  const exact = all.filter(({ entry }) => entry.match.text === pattern);
  const candidates = exact.length > 0 ? exact : all.filter(({ entry }) => isMatch(entry.match, keys));
  const isOneEach = new Set(candidates.map(({ file }) => file)).size === candidates.length;
  if (candidates.length === 1 || (candidates.length > 1 && flags.everywhere && isOneEach)) return candidates;
  const selectListed = (texts: readonly string[]) => enumerate(texts, { most: 5, separator: ", " });
  if (candidates.length === 0) {
    const names = selectListed(files.map(({ file }) => forTerminal(file))) || forTerminal(flags.inventory);
    throw new CommandError(
      `Failed to approve ${forTerminal(pattern)}: no such entry in ${names}. Run \`page-guard inventory update\` first, or give the exact \`match\` of an entry.`,
    );
  }
  const places = selectListed(candidates.map(({ place }) => place));
  const orAll = isOneEach ? ", or approve all of them with --everywhere" : "";
  throw new CommandError(
    `Failed to approve ${forTerminal(pattern)}: several entries match it (${places}). Give the exact \`match\` of one entry, and select its zone with --zone${orAll}.`,
  );
}

/** Returns the inventory files of the named zones, or all files in the folder. */
function findFiles(session: Session, flags: ApproveFlags): readonly string[] {
  const zones = readZoneFlags(session, flags);
  if (zones.length > 0) return zones.map((zone) => findFile(session, flags, zone));
  const folder = findFolder(session, flags);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.filter((name) => name.endsWith(".yaml")).map((name) => join(flags.inventory, name));
}
