import { findingTable, grouped, listed, type NamedFinding, shown } from "pulumi-page-guard/tools";
import { distinct } from "../values";
import type { InventoryEntry } from "./inventory-file";
import { isMatch, urlKeys, withAsciiHost } from "./match";
import { groupsOf, type ScriptGroup, type SeenScript } from "./seen-script";

/** What an inventory and a zone disagree about. */
export interface InventoryFinding {
  readonly code: InventoryCode;
  /** `info` asks for nothing. */
  readonly severity: "error" | "warning" | "info";
  /** One or two sentences, safe to show. */
  readonly text: string;
  /** Which script it is about: the `match` of its entry, else what it would be. */
  readonly subject: string;
  /** Of the entry. Absent: no entry is to blame. */
  readonly line?: number | undefined;
  readonly entry?: InventoryEntry | undefined;
  /** The scripts that it is about; none where nothing matches an entry. */
  readonly scripts: readonly SeenScript[];
}

export type InventoryCode = Extract<NamedFinding, `inventory-${string}`>;

/** What it is about. */
type Subject = Pick<InventoryFinding, "subject" | "line" | "entry" | "scripts">;

/** Its severity is that of the table from which docs/findings.md is made. */
export function inventoryFinding(code: InventoryCode, text: string, subject: Subject): InventoryFinding {
  const { severity } = findingTable[code];
  return { code, severity: severity === "warning or error" ? "error" : severity, text, ...subject };
}

interface JudgeOptions {
  /** `2026-11-23` */
  readonly today: string;
  /** Whether the zone enforces any policy; undefined: not known. */
  readonly enforces: boolean | undefined;
}

type Matched = ReturnType<typeof matchEntries>;

/** Each entry with the scripts that it matches, and the scripts that no entry matches, or several do. */
export function matchEntries(entries: readonly InventoryEntry[], seen: readonly SeenScript[]) {
  const matched = entries.map((entry) => ({ entry, scripts: [] as SeenScript[] }));
  const found = seen.map((script) => {
    const url = urlKeys(script.url);
    return { script, matches: matched.filter(({ entry }) => isMatch(entry.match, url)) };
  });
  for (const { script, matches } of found) for (const { scripts } of matches) scripts.push(script);
  return {
    entries: matched,
    unlisted: found.filter(({ matches }) => matches.length === 0).map(({ script }) => script),
    twice: found
      .filter(({ matches }) => matches.length > 1)
      .map(({ script, matches }) => ({ script, entries: matches.map(({ entry }) => entry) })),
  };
}

/** What a person has to do or to know, in the order of the file; scripts without an entry come first. */
export function judgeInventory(
  entries: readonly InventoryEntry[],
  seen: readonly SeenScript[],
  options: JudgeOptions,
): readonly InventoryFinding[] {
  const matched = matchEntries(entries, seen);
  const nothing = "The zone enforces no policy, so nothing keeps scripts out that are not in the inventory.";
  return [
    ...(options.enforces === false && seen.length > 0
      ? [inventoryFinding("inventory-nothing-enforced", nothing, { subject: "policies", scripts: [] })]
      : []),
    ...groupsOf(matched.unlisted, seen).flatMap((group) => onUnlisted(group, options)),
    ...matchedTwice(matched),
    ...matched.entries.flatMap((one) => onEntry(one, options)),
  ];
}

function onUnlisted({ match, scripts }: ScriptGroup, options: JudgeOptions): readonly InventoryFinding[] {
  const way =
    match === undefined
      ? "No pattern can be written for its URL, so it cannot be listed: remove it from the pages."
      : "Run `page-guard inventory update`, or remove it from the pages.";
  const subject = shown(match ?? scripts[0]?.url ?? "");
  const text = `${subject} is not in the inventory${since(scripts)}. ${way}`;
  return [
    inventoryFinding("inventory-not-listed", text, { subject, scripts }),
    ...onScripts({ subject, scripts }, options),
  ];
}

function since(scripts: readonly SeenScript[]): string {
  const first = scripts.flatMap(({ firstSeen }) => firstSeen ?? []).sort()[0];
  const pages = distinct(scripts.flatMap((script) => script.pages)).map((page) => shown(page));
  const where = pages.length === 0 ? "" : ` on ${listed(pages, { most: 3, separator: ", " })}`;
  return first === undefined && where === "" ? "" : ` (first seen${first ? ` on ${first}` : ""}${where})`;
}

/** One for each set of entries, however many scripts they share. */
function matchedTwice({ twice }: Matched): readonly InventoryFinding[] {
  const sets = grouped(twice, ({ entries }) => entries.map(({ line }) => line).join());
  return [...sets.values()].map((same) => {
    const scripts = same.map(({ script }) => script);
    const [first, ...others] = same[0].entries.toSorted((a, b) => a.line - b.line);
    const lines = others.map(({ line }) => String(line));
    const isOrAre = new Set(scripts.map(({ url }) => url)).size === 1 ? "is" : "are";
    const text = `${urls(scripts)} ${isOrAre} also matched by the entry at line ${listed(lines, { most: 5, separator: ", " })}. Narrow one of them, so that each script has one entry.`;
    return inventoryFinding("inventory-matched-twice", text, about(first, scripts));
  });
}

function onEntry(
  { entry, scripts }: Matched["entries"][number],
  options: JudgeOptions,
): readonly InventoryFinding[] {
  const place = about(entry, scripts);
  if (scripts.length === 0) return onUnseen(entry, place);
  const { approved, justification, reviewBy, gone, integrity } = entry;
  const findings: InventoryFinding[] = [];
  const add = (code: InventoryCode, text: string) => void findings.push(inventoryFinding(code, text, place));

  if (approved === undefined) {
    const lacks = [
      ...(justification === undefined ? ["a justification"] : []),
      ...(integrity === undefined ? ["an integrity method"] : []),
    ].join(" and ");
    add("inventory-unapproved", `Nobody has approved it.${lacks && ` It also lacks ${lacks}.`}`);
  } else {
    const why = "It is approved without a justification: write why the page needs it.";
    if (justification === undefined) add("inventory-no-justification", why);
    const how = "Nothing says how its integrity is assured: add `integrity`.";
    if (integrity === undefined) add("inventory-no-integrity", how);
    findings.push(...onContents(entry, scripts, approved.on));
  }
  const overdue = `Its review was due by ${reviewBy}. Review it and set \`reviewBy\` to a later day.`;
  if (reviewBy !== undefined && reviewBy < options.today) add("inventory-review-overdue", overdue);
  const returned = `It was marked as gone on ${gone} and is seen again. Check why, then remove the line \`gone\`.`;
  if (gone !== undefined) add("inventory-returned", returned);
  if (integrity && "any" in integrity)
    add("inventory-unchecked", `Nothing checks its contents: ${shown(integrity.any)}`);
  if (integrity && "policy" in integrity) {
    add("inventory-weak-integrity", "A policy restricts where it comes from; nothing checks its contents.");
    const unknown = unknownPolicy(integrity.policy, scripts);
    if (unknown !== undefined) add("inventory-policy-unknown", unknown);
  }
  return [...findings, ...onScripts(place, options)];
}

/** By its description: the service does not know the names of resources. */
function unknownPolicy(policy: string, scripts: readonly SeenScript[]): string | undefined {
  const others = scripts.filter(({ allowedBy }) => allowedBy !== undefined && !allowedBy.includes(policy));
  if (others.length === 0) return undefined;
  return `No enforced policy with the description ${shown(policy)} allows ${urls(others)}: check the name.`;
}

function onUnseen(entry: InventoryEntry, place: Subject): readonly InventoryFinding[] {
  // What runs in the processor's frame is not among what the zone's pages load.
  if (entry.gone !== undefined || entry.scope === "processor") return [];
  const nothing =
    "It matches no script that is on record. Correct `match`, or remove the entry if the script is no longer used.";
  const gone = "It is no longer on record. Run `page-guard inventory update`, which marks it as gone.";
  return entry.firstSeen === undefined
    ? [inventoryFinding("inventory-matches-nothing", nothing, place)]
    : [inventoryFinding("inventory-gone", gone, place)];
}

/**
 * An approval holds for the contents that it lists; where the page names the digest itself, for those that were seen when the
 * entry was added. An approved change adds its own. A hash that is not known says nothing.
 */
function onContents(
  entry: InventoryEntry,
  scripts: readonly SeenScript[],
  approvedOn: string,
): readonly InventoryFinding[] {
  const { integrity, change, hash: added } = entry;
  const approved = integrity && "hashes" in integrity ? integrity.hashes : added;
  const isFixed = integrity && ("hashes" in integrity || "sri" in integrity);
  if (!isFixed || approved.length === 0) return [];
  const known = new Set([...approved, ...change.map(({ hash }) => hash)]);
  const contents = scripts.flatMap((script) => {
    const later = script.versions.filter(({ on }) => on === undefined || on > approvedOn);
    const hashes = new Set([script.hash ?? [], later.map(({ hash }) => hash)].flat());
    return [...hashes].map((hash) => ({ hash, script }));
  });
  const changed = contents.filter(({ hash }) => !known.has(hash));
  const unknown = scripts.filter(({ hash }) => hash === undefined);
  const notCompared = `The service gives no hash of ${urls(unknown)}, so its contents were not compared.`;
  return [
    ...[...grouped(changed, ({ hash }) => hash)].map(([hash, same]) => {
      const having = same.map(({ script }) => script);
      const wasServed = having.every((script) => script.hash !== hash);
      const has = wasServed ? "had" : having.length === 1 ? "has" : "have";
      const text = `${urls(having)} ${has} the hash ${shown(hash)}, which is not approved: the approval no longer holds. Review the script, then approve it with \`page-guard inventory approve --hash\`.`;
      return inventoryFinding("inventory-changed", text, about(entry, having));
    }),
    ...(unknown.length > 0
      ? [inventoryFinding("inventory-hash-unknown", notCompared, about(entry, unknown))]
      : []),
  ];
}

/** What is bad about a script, whoever has approved it. */
function onScripts(place: Subject, { enforces }: JudgeOptions): readonly InventoryFinding[] {
  const bad = place.scripts.flatMap((script) => {
    if (script.malice === undefined) return [];
    const text = `${shown(script.url)} counts as malicious: ${shown(script.malice)}. Remove it from the pages.`;
    return [inventoryFinding("inventory-malicious", text, { ...place, scripts: [script] })];
  });
  const scripts = place.scripts.filter(({ allowedBy }) => enforces === true && allowedBy?.length === 0);
  const text = `No enforced policy allows ${urls(scripts)}. Allow it in a policy, or remove it from the pages.`;
  const blocked = inventoryFinding("inventory-not-allowed", text, { ...place, scripts });
  return scripts.length === 0 ? bad : [...bad, blocked];
}

function about(entry: InventoryEntry | undefined, scripts: readonly SeenScript[]): Subject {
  return { subject: shown(withAsciiHost(entry?.match.text ?? "")), line: entry?.line, entry, scripts };
}

function urls(scripts: readonly SeenScript[]): string {
  const texts = distinct(scripts.map(({ url }) => url)).map((url) => shown(url));
  return listed(texts, { most: 3, separator: ", " });
}
