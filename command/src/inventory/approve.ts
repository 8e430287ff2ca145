import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { listed, plural } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import type { ZoneFlags } from "../options";
import { forTerminal } from "../reports/escape";
import { type ExitCode, exitCode, type Session, today } from "../session";
import { UsageError } from "../usage-error";
import { reasonOf, zonesOf } from "../zones";
import { withEdits } from "./edit-text";
import type { InventoryEntry } from "./inventory-file";
import { isMatch, urlKeys } from "./match";
import { editable, fileOf, type PlaceFlags, readInventory, replaceInventory } from "./place";

export interface ApproveFlags extends ZoneFlags, PlaceFlags {
  readonly by: string;
  readonly reference: string;
  readonly why: string;
  readonly hash?: readonly string[];
  readonly reviewBy?: string;
}

interface Found {
  readonly file: string;
  readonly text: string;
  readonly entries: readonly InventoryEntry[];
  readonly entry: InventoryEntry;
}

/** `page-guard inventory approve`: writes an approval into one entry. Makes no request. */
export async function approveEntry(
  session: Session,
  pattern: string,
  flags: ApproveFlags,
): Promise<ExitCode> {
  for (const name of ["by", "reference", "why"] as const)
    if (flags[name].trim() === "") throw new UsageError(`--${name} is empty.`);
  const { file, text, entries, entry } = found(session, pattern, flags);
  const hashes = approvedHashes(entry, flags.hash ?? [], file);
  const fields = {
    justification: flags.why,
    ...(hashes && { integrity: { hashes } }),
    approved: { by: flags.by, reference: flags.reference, on: today(session) },
    ...(flags.reviewBy !== undefined && { reviewBy: flags.reviewBy }),
  };
  const result = withEdits(text, [], new Map([[entries.indexOf(entry), fields]]));
  if (result === undefined)
    throw new CommandError(
      `Failed to edit the entry at ${forTerminal(file)}:${entry.line}: it is written in a way that cannot be edited without changing others. Nothing was written: write the approval by hand.`,
    );
  replaceInventory(session, file, text, result);
  const many = hashes && ` ${plural(hashes.length, "hash is", "hashes are")} approved.`;
  const lacks = entry.integrity ? "" : " It has no integrity method yet: add `integrity`.";
  const place = `${forTerminal(file)}:${entry.line}`;
  session.out(`Approved ${forTerminal(entry.match.text)} (${place}).${many ?? lacks}\n`);
  return exitCode.fine;
}

/** What was seen when the entry was added is what is approved with it, unless it says otherwise. */
function approvedHashes(
  { integrity, hash, line }: InventoryEntry,
  more: readonly string[],
  file: string,
): readonly string[] | undefined {
  if (integrity === undefined) {
    const hashes = [...new Set([...(more.length > 0 ? [] : hash), ...more])];
    return hashes.length === 0 ? undefined : hashes;
  }
  if (more.length === 0) return undefined;
  if ("hashes" in integrity) return [...new Set([...integrity.hashes, ...more])];
  throw new UsageError(
    `The entry at ${forTerminal(file)}:${line} has another integrity method than hashes. Change it by hand, or leave out --hash.`,
  );
}

/** The entry whose `match` is the text, else the only one that matches it as a URL. */
function found(session: Session, pattern: string, flags: ApproveFlags): Found {
  const files = filesOf(session, flags).flatMap((file) => {
    const text = readInventory(session, file);
    return text === undefined ? [] : [{ file, text, entries: editable(file, text) }];
  });
  const among = (chosen: (entries: readonly InventoryEntry[]) => readonly InventoryEntry[]): Found[] =>
    files.flatMap((one) => chosen(one.entries).map((entry) => ({ ...one, entry })));
  const exact = among((entries) => entries.filter(({ match }) => match.text === pattern));
  const candidates = exact.length > 0 ? exact : among((entries) => matching(entries, pattern));
  const [only, ...others] = candidates;
  if (only === undefined) {
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
  if (others.length > 0) {
    const places = candidates.map(({ file, entry }) => `${forTerminal(file)}:${entry.line}`);
    throw new CommandError(
      `Failed to approve ${forTerminal(pattern)}: several entries match it (${listed(places, { most: 5, separator: ", " })}). Give the text of one \`match\`, and name the zone with --zone.`,
    );
  }
  return only;
}

function matching(entries: readonly InventoryEntry[], url: string): readonly InventoryEntry[] {
  const keys = urlKeys(url);
  return entries.filter(({ match }) => isMatch(match, keys));
}

/** Those of the zones, or all in the folder. */
function filesOf(session: Session, flags: ApproveFlags): readonly string[] {
  const zones = zonesOf(session, flags);
  if (zones.length > 0) return zones.map((zone) => fileOf(flags, zone));
  const folder = resolve(session.cwd, flags.inventory);
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".yaml"))
      .sort()
      .map((name) => join(flags.inventory, name));
  } catch (error) {
    throw new CommandError(`Failed to read the folder ${forTerminal(flags.inventory)}: ${reasonOf(error)}`);
  }
}
