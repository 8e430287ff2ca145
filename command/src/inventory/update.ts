import { CommandError } from "../command-error";
import type { OutputFlags } from "../options";
import { Progress } from "../progress";
import { forJson, forTerminal } from "../reports/escape";
import { type ExitCode, exitCode, type Session, today } from "../session";
import { distinct } from "../values";
import { type Fields, withEdits } from "./edit-text";
import type { InventoryEntry } from "./inventory-file";
import { matchEntries } from "./judge";
import { editable, fileOf, type PlaceFlags, readInventory, replaceInventory } from "./place";
import { familyOf, groupsOf, type ScriptGroup, type SeenScript } from "./seen-script";
import { type FailedZone, type ScriptFlags, type ZoneScripts, zoneScripts } from "./zone-scripts";

export type UpdateFlags = ScriptFlags & PlaceFlags & Pick<OutputFlags, "json">;

/** What was done to one file. */
interface Updated {
  readonly file: string;
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Safe to show. */
  readonly notes: readonly string[];
}

/** `page-guard inventory update`: adds what is new and marks what is gone. What people wrote stays. */
export async function updateInventory(session: Session, flags: UpdateFlags): Promise<ExitCode> {
  const progress = new Progress(session);
  const zones = (await zoneScripts(session, flags, progress)).map((read) => ({
    zone: read.zone,
    ...("failure" in read ? read : attempt(read, session, flags)),
  }));
  const json = { zones: zones.map(({ zone, ...one }) => ({ ...zone, ...one })), requests: progress.requests };
  const lines = zones.map((one) => `${one.zone.name}: ${"failure" in one ? one.failure : textOf(one)}\n`);
  session.out(flags.json ? forJson(json) : lines.join(""));
  return zones.some((one) => "failure" in one) ? exitCode.failed : exitCode.fine;
}

/** One file at fault does not keep the others from being updated. */
function attempt(
  read: ZoneScripts,
  session: Session,
  flags: UpdateFlags,
): Updated | Omit<FailedZone, "zone"> {
  try {
    return updateOne(read, session, flags);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { failure: `${error.message} [${error.code}]` };
  }
}

function updateOne({ zone, scripts, lacks }: ZoneScripts, session: Session, flags: UpdateFlags): Updated {
  const file = fileOf(session, flags, zone);
  const before = readInventory(session, file);
  const text = before ?? header;
  const entries = editable(file, text);
  const matched = matchEntries(entries, scripts);
  const groups = groupsOf(matched.unlisted, scripts);
  const added = groups.filter((group) => group.match !== undefined);
  const unwritten = groups.filter((group) => group.match === undefined);
  // Where not all was seen, what is missing is not gone.
  const gone =
    lacks.length > 0
      ? []
      : matched.entries.flatMap(({ entry, scripts: seen }) =>
          seen.length === 0 && entry.firstSeen !== undefined && entry.gone === undefined ? [entry] : [],
        );
  const marks = new Map(gone.map(({ at }) => [at, { gone: today(session) }]));
  const result = withEdits(text, added.map(fieldsOf), marks);
  if (result === undefined)
    throw new CommandError(
      `Failed to edit ${forTerminal(file)}: it is written in a way that cannot be edited without changing the rest. Nothing was written: write it as a list of entries, each field on a line of its own.`,
    );
  if (result !== text || before === undefined) replaceInventory(session, file, before, result);
  return {
    file,
    added: added.map(({ match = "" }) => match),
    gone: gone.map(({ match }) => match.text),
    notes: [
      ...lacks,
      ...unwritten.map(
        ({ scripts: [script] }) =>
          `No pattern can be written for ${forTerminal(script?.url ?? "")}, so it was not added.`,
      ),
      ...newVersions(added, entries),
    ],
  };
}

const header = `# The scripts of this zone: why the pages need each, who approved it, and how its integrity is assured.
# page-guard inventory update adds entries and marks what is gone; the rest is yours. docs/inventory.md has the fields.
`;

function fieldsOf(group: ScriptGroup): Fields {
  const { match, scripts } = group;
  const all = (of: (script: SeenScript) => string | readonly string[] | undefined): readonly string[] =>
    distinct(scripts.flatMap((script) => of(script) ?? [])).sort();
  const oneOrAll = (texts: readonly string[]) => (texts.length > 1 ? texts : texts[0]);
  const isKnown = scripts.every(({ allowedBy }) => allowedBy !== undefined);
  const fields = {
    match,
    purpose: "",
    justification: "",
    owner: "",
    pages: all(({ pages }) => pages)
      .slice(0, mostPages)
      .map(visible),
    approved: null,
    firstSeen: all(({ firstSeen }) => firstSeen)[0],
    lastSeen: all(({ lastSeen }) => lastSeen).at(-1),
    host: oneOrAll(all(({ host }) => host).map(visible)),
    hash: oneOrAll(all(({ hash }) => hash)),
    score: scripts.flatMap(({ score }) => score ?? []).sort((a, b) => a - b)[0],
    allowedBy: isKnown ? all(({ allowedBy }) => allowedBy).map(visible) : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** What pages and policies are called is text of others: nothing in the file is invisible. */
const visible = (text: string): string => forTerminal(text, 2000);

/** A script on every page of a shop is not described by a list of them. */
const mostPages = 50;

/** A person may widen the entry that is there: the machine does not, for a number may also be a customer's id. */
function newVersions(added: readonly ScriptGroup[], entries: readonly InventoryEntry[]): readonly string[] {
  const versions = added.filter(({ match, scripts: [script] }) => script?.family !== match);
  if (versions.length === 0) return [];
  const families = new Map(entries.map((entry) => [familyOf(entry.match.text), entry]));
  return versions.flatMap(({ match = "", scripts: [script] }) => {
    const { family } = script ?? {};
    const alike = family === undefined ? undefined : families.get(family);
    if (family === undefined || alike === undefined) return [];
    return [
      `${forTerminal(match)} looks like a new version of ${forTerminal(alike.match.text)} (line ${alike.line}). For one entry of all versions, set its match to ${forTerminal(family)} and remove the new entry.`,
    ];
  });
}

function textOf({ file, added, gone, notes }: Updated): string {
  const counts = [`${added.length} added`, `${gone.length} marked as gone`];
  const did = counts.filter((text) => !text.startsWith("0 ")).join(", ") || "nothing new";
  return [`${did} (${forTerminal(file)}).`, ...notes.map((note) => `  ${note}`)].join("\n");
}
