import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { listed, plural } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import type { ZoneFlags } from "../options";
import { forTerminal } from "../reports/escape";
import { type ExitCode, exitCode, type Session, today } from "../session";
import { UsageError } from "../usage-error";
import { distinct } from "../values";
import { zonesOf } from "../zones";
import { type Fields, withEdits } from "./edit-text";
import { type InventoryEntry, referenceUrl } from "./inventory-file";
import { isMatch, urlKeys } from "./match";
import { editable, fileOf, type PlaceFlags, readInventory, replaceInventory } from "./place";

export interface ApproveFlags extends ZoneFlags, PlaceFlags {
  readonly by: string;
  readonly reference: string;
  readonly why: string;
  readonly hash?: readonly string[];
  readonly reviewBy?: string;
  readonly everywhere?: boolean;
}

interface Found {
  readonly file: string;
  readonly text: string;
  readonly entry: InventoryEntry;
}

/** `page-guard inventory approve`: writes an approval into one entry, or into that of each zone. Makes no request. */
export async function approveEntry(
  session: Session,
  pattern: string,
  flags: ApproveFlags,
): Promise<ExitCode> {
  for (const name of ["by", "reference", "why"] as const)
    if (flags[name].trim() === "") throw new UsageError(`--${name} is empty.`);
  if (referenceUrl(flags.reference, flags.references) === undefined)
    throw new UsageError("--reference takes a URL, or #123 with --references.");
  // All of them before the first is written.
  const edits = found(session, pattern, flags).map((one) => {
    const { file, text, entry } = one;
    const { fields, said } = approvalOf(entry, flags, today(session), file);
    const result = withEdits(text, [], new Map([[entry.at, fields]]));
    if (result === undefined)
      throw new CommandError(
        `Failed to edit the entry at ${forTerminal(file)}:${entry.line}: it is written in a way that cannot be edited without changing others. Nothing was written: write the approval by hand.`,
      );
    return { ...one, result, said };
  });
  for (const { file, text, entry, result, said } of edits) {
    replaceInventory(session, file, text, result);
    session.out(`Approved ${forTerminal(entry.match.text)} (${forTerminal(file)}:${entry.line}).${said}\n`);
  }
  return exitCode.fine;
}

/**
 * The fields of an approval. What was seen when the entry was added is what is approved with it, unless it says otherwise;
 * other contents of what is approved are a change with an approval of its own.
 */
function approvalOf(
  { integrity, hash, approved, change, line }: InventoryEntry,
  { by, reference, why, hash: given = [], reviewBy }: ApproveFlags,
  on: string,
  file: string,
): { readonly fields: Fields; readonly said: string } {
  const approval = { by, reference, on };
  const review = reviewBy !== undefined && { reviewBy };
  if (given.length > 0 && integrity && !("hashes" in integrity || "sri" in integrity))
    throw new UsageError(
      `The entry at ${forTerminal(file)}:${line} has another integrity method than hashes. Change it by hand, or leave out --hash.`,
    );
  const many = (count: number) => ` ${plural(count, "hash is", "hashes are")} approved.`;
  if (approved && integrity && given.length > 0) {
    const known = new Set(change.map((one) => one.hash));
    const news = given.filter((one) => !known.has(one));
    const changes = [...change, ...news.map((one) => ({ hash: one, approved: approval, why }))];
    const listed = "hashes" in integrity ? integrity.hashes : hash;
    return { fields: { change: changes, ...review }, said: many(listed.length + changes.length) };
  }
  const seen = given.length > 0 ? given : integrity ? [] : hash;
  const before = integrity && "hashes" in integrity ? integrity.hashes : [];
  const hashes = distinct([...(seen.length > 0 ? before : []), ...seen]);
  const isListed = hashes.length > 0 && !(integrity && "sri" in integrity);
  const lacks = integrity ? "" : " It has no integrity method yet: add `integrity`.";
  return {
    fields: {
      justification: why,
      ...(isListed && { integrity: { hashes } }),
      approved: approval,
      ...review,
    },
    said: isListed ? many(hashes.length) : lacks,
  };
}

/** The entry whose `match` is the text, else the only one that matches it as a URL; `--everywhere`: that of each file. */
function found(session: Session, pattern: string, flags: ApproveFlags): readonly Found[] {
  const files = filesOf(session, flags).flatMap((file) => {
    const text = readInventory(session, file);
    return text === undefined ? [] : [{ file, text, entries: editable(file, text) }];
  });
  const keys = urlKeys(pattern);
  const among = (isIt: (entry: InventoryEntry) => boolean): Found[] =>
    files.flatMap(({ file, text, entries }) => entries.filter(isIt).map((entry) => ({ file, text, entry })));
  const exact = among(({ match }) => match.text === pattern);
  const candidates = exact.length > 0 ? exact : among(({ match }) => isMatch(match, keys));
  if (candidates.length === 0) {
    const [first, ...rest] = files.map(({ file }) => forTerminal(file));
    const some =
      rest.length === 0
        ? `${first} has no such entry`
        : `none of ${files.length} inventories has such an entry`;
    const where = first === undefined ? `there is no inventory in ${forTerminal(flags.inventory)}` : some;
    throw new CommandError(
      `Failed to approve ${forTerminal(pattern)}: ${where}. Run \`page-guard inventory update\` first, or give the text of its \`match\`.`,
    );
  }
  const isOneEach = new Set(candidates.map(({ file }) => file)).size === candidates.length;
  if (candidates.length === 1 || (flags.everywhere && isOneEach)) return candidates;
  const places = candidates.map(({ file, entry }) => `${forTerminal(file)}:${entry.line}`);
  throw new CommandError(
    `Failed to approve ${forTerminal(pattern)}: several entries match it (${listed(places, { most: 5, separator: ", " })}). Give the text of one \`match\`, and name the zone with --zone${isOneEach ? ", or all with --everywhere" : ""}.`,
  );
}

/** Those of the zones, or all in the folder. */
function filesOf(session: Session, flags: ApproveFlags): readonly string[] {
  const zones = zonesOf(session, flags);
  if (zones.length > 0) return zones.map((zone) => fileOf(session, flags, zone));
  const folder = resolve(session.cwd, flags.inventory);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .map((name) => join(flags.inventory, name));
}
