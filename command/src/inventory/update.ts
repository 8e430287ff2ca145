import { findCompany, hostOf } from "page-guard-csp";
import { parseUrl } from "pulumi-page-guard/tools";
import { forJson, forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import type { OutputFlags } from "../shared/options";
import { Progress } from "../shared/progress";
import { type ExitCode, exitCode, type Session, today } from "../shared/session";
import { distinct } from "../shared/values";
import { type EntryFields, withEdits } from "./edit-text";
import { type InventoryEntry, isHash } from "./inventory-file";
import { matchEntries } from "./match";
import { findFile, type PlaceFlags, readForEdit, replaceInventory } from "./place";
import {
  describeMalice,
  groupScripts,
  mergeFacts,
  type ScriptGroup,
  sortDistinct,
  versionPattern,
} from "./seen-script";
import { type ScriptFlags, type ZoneScripts, zoneScripts } from "./zone-scripts";

export type UpdateFlags = ScriptFlags & PlaceFlags & Pick<OutputFlags, "json">;

export async function updateInventory(session: Session, flags: UpdateFlags): Promise<ExitCode> {
  const progress = new Progress(session);
  const zones = (await zoneScripts(session, flags, progress)).map((read) => {
    const { zone, lacks, isUnread } = read;
    if (isUnread) return { zone, failure: lacks.join(" ") };
    try {
      return { zone, ...updateOne(read, session, flags) };
    } catch (error) {
      // If one file has faults, the others are still updated.
      if (!(error instanceof CommandError)) throw error;
      return { zone, failure: `${error.message} [${error.code}]` };
    }
  });
  const json = { zones: zones.map(({ zone, ...one }) => ({ ...zone, ...one })), requests: progress.requests };
  const lines = zones.map((one) => {
    const outcome = "failure" in one ? one.failure : renderText(one);
    return `${one.zone.name}: ${outcome}\n`;
  });
  session.out(flags.json ? forJson(json) : lines.join(""));
  return zones.some((one) => "failure" in one) ? exitCode.failed : exitCode.fine;
}

/** Updates one file. Returns its path, the `match` of each entry added or marked as gone, and notes that are safe to show. */
function updateOne({ zone, scripts, lacks }: ZoneScripts, session: Session, flags: UpdateFlags) {
  const { file, before, entries } = readForEdit(session, findFile(session, flags, zone));
  const matched = matchEntries(entries, scripts);
  const groups = groupScripts(matched.unlisted, scripts);
  const added = groups.filter(({ match }) => match !== undefined);
  // If parts of the zone could not be read, mark no entry as gone, because a missing script may still exist.
  const gone = matched.entries.flatMap(({ entry, scripts: seen }) =>
    lacks.length + seen.length === 0 && entry.firstSeen !== undefined && entry.gone === undefined
      ? [entry]
      : [],
  );
  const marks = new Map(gone.map(({ at }) => [at, { gone: today(session) }]));
  const result = withEdits(file, before ?? header, added.map(makeFields), marks);
  if (result !== before) replaceInventory(session, { file, before }, result);
  return {
    file,
    added: added.map(({ match = "" }) => match),
    gone: gone.map(({ match }) => match.text),
    notes: [...lacks, ...groups.flatMap((group) => makeNotes(group, entries))],
  };
}

const header = `# The scripts of this zone: why the pages need each one, who approved it, and how its integrity is assured.
# page-guard inventory update adds entries and marks entries whose script is gone. The rest is for you to write.
# The documentation of page-guard, docs/commands/inventory.md, lists all fields.

`;

/** Returns the fields of a new entry. A field that is undefined is not written. Leaves out a hash that is not a SHA-256. */
function makeFields({ match, scripts }: ScriptGroup): EntryFields {
  const facts = mergeFacts(scripts);
  const oneOrAll = (texts: readonly string[]) => (texts.length > 1 ? texts : texts[0]);
  return {
    match,
    purpose: "",
    justification: "",
    owner: guessOwner(scripts),
    pages: facts.pages.slice(0, mostPages).map(visible),
    approved: null,
    firstSeen: facts.firstSeen,
    lastSeen: facts.lastSeen,
    host: oneOrAll(sortDistinct(scripts.flatMap(({ host }) => host).map(visible))),
    hash: oneOrAll(facts.hashes.filter(isHash)),
    score: facts.score,
    allowedBy: scripts.some(({ allowedBy }) => allowedBy === undefined)
      ? undefined
      : facts.allowedBy.map(visible),
  };
}

/** Returns the company behind the scripts; empty if it is unknown, not the same for all, or hosts its customers' scripts. */
function guessOwner(scripts: ScriptGroup["scripts"]): string {
  const companies = distinct(scripts.map(({ url }) => findCompany(hostOf(url))?.name));
  const isHosted = scripts.some(({ url }) => findCompany(hostOf(url))?.isHosting);
  return isHosted || companies.length > 1 ? "" : (companies[0] ?? "");
}

/** Removes invisible characters, because the names of pages and policies come from outside. */
const visible = (text: string): string => forTerminal(text, 2000);

/** Maximum number of pages in a new entry. For a script on every page of a shop, a longer list would be of no use. */
const mostPages = 50;

/**
 * Returns notes about malicious scripts, about scripts for which no pattern can be written, and about scripts that look like new
 * versions of a script that an entry matches.
 */
function makeNotes({ match, scripts }: ScriptGroup, entries: readonly InventoryEntry[]): string[] {
  const [{ url, family }] = scripts;
  const malicious = scripts.filter(({ malice }) => malice !== undefined);
  if (malicious.length > 0)
    return malicious.map((one) => `${describeMalice(one)} Do not approve it. Remove it from the pages.`);
  if (match === undefined) return [`No pattern can be written for ${forTerminal(url)}, so it was not added.`];
  if (family === undefined || family === match) return [];
  const alike = entries.find((entry) => versionPattern(parseUrl(entry.match.text)) === family);
  if (alike === undefined) return [];
  return [
    `${forTerminal(match)} looks like a new version of ${forTerminal(alike.match.text)} (line ${alike.line}). To have one entry for all versions, set \`match\` in that line to ${forTerminal(family)} and remove the new entry.`,
  ];
}

function renderText({ file, added, gone, notes }: ReturnType<typeof updateOne>): string {
  const counts = [`${added.length} added`, `${gone.length} marked as gone`];
  const did = counts.filter((text) => !text.startsWith("0 ")).join(", ") || "nothing new";
  return [`${did} (${forTerminal(file)}).`, ...notes.map((note) => `  ${note}`)].join("\n");
}
