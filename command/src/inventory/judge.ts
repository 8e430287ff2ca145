import { findingTable, grouped, listed, type NamedFinding, shown } from "pulumi-page-guard/tools";
import { distinct } from "../values";
import type { InventoryEntry } from "./inventory-file";
import { isMatch, urlKeys, withAsciiHost } from "./match";
import { groupsOf, type ScriptGroup, type SeenScript } from "./seen-script";

/** What an inventory and a zone disagree about. */
export interface InventoryFinding extends Subject {
  readonly code: InventoryCode;
  /** `info` asks for nothing. */
  readonly severity: "error" | "warning" | "info";
  /** One or two sentences, safe to show. */
  readonly text: string;
}

interface Subject {
  /** Which script it is about: the `match` of its entry, else what it would be. */
  readonly subject: string;
  /** The entry to blame, with its line. */
  readonly entry?: InventoryEntry | undefined;
  readonly line?: number | undefined;
  /** The scripts that it is about; none where nothing matches an entry. */
  readonly scripts: readonly SeenScript[];
}

export type InventoryCode = Extract<NamedFinding, `inventory-${string}`>;

/** Its severity is that of the table from which docs/findings.md is made. */
export function inventoryFinding(code: InventoryCode, text: string, subject: Subject): InventoryFinding {
  const { severity } = findingTable[code];
  return { code, severity: severity === "warning or error" ? "error" : severity, text, ...subject };
}

/** A finding on some of the scripts that one entry or group is about; all of them if it names none. */
type Found = readonly [code: InventoryCode, text: string, scripts: readonly SeenScript[] | undefined];

const found = (code: InventoryCode, text: string, scripts?: readonly SeenScript[]): Found => [
  code,
  text,
  scripts,
];

interface JudgeOptions {
  /** `2026-11-23` */
  readonly today: string;
  /** Whether the zone enforces any policy; undefined: not known. */
  readonly enforces: boolean | undefined;
}

/** Each entry with the scripts that it matches, and the scripts that no entry matches, or several do. */
export function matchEntries(entries: readonly InventoryEntry[], seen: readonly SeenScript[]) {
  const matched = entries.map((entry) => ({ entry, scripts: [] as SeenScript[] }));
  const pairs = seen.map((script) => {
    const url = urlKeys(script.url);
    return { script, matches: matched.filter(({ entry }) => isMatch(entry.match, url)) };
  });
  for (const { script, matches } of pairs) for (const { scripts } of matches) scripts.push(script);
  return {
    entries: matched,
    unlisted: pairs.filter(({ matches }) => matches.length === 0).map(({ script }) => script),
    twice: pairs.filter(({ matches }) => matches.length > 1),
  };
}

/** What a person has to do or to know, in the order of the file; scripts without an entry come first. */
export function judgeInventory(
  entries: readonly InventoryEntry[],
  seen: readonly SeenScript[],
  options: JudgeOptions,
): readonly InventoryFinding[] {
  const matched = matchEntries(entries, seen);
  const about = (all: Subject, some: Iterable<Found>): InventoryFinding[] =>
    [...some].map(([code, text, scripts = all.scripts]) => inventoryFinding(code, text, { ...all, scripts }));
  const ofEntry = (entry: InventoryEntry, scripts: readonly SeenScript[]): Subject => ({
    subject: shown(withAsciiHost(entry.match.text)),
    ...{ line: entry.line, entry, scripts },
  });
  const nothing = "The zone enforces no policy, so nothing keeps scripts out that are not in the inventory.";
  return [
    ...(options.enforces === false && seen.length > 0
      ? [inventoryFinding("inventory-nothing-enforced", nothing, { subject: "policies", scripts: [] })]
      : []),
    ...groupsOf(matched.unlisted, seen).flatMap((group) => {
      const subject = shown(group.match ?? group.scripts[0]?.url ?? "");
      return about({ subject, scripts: group.scripts }, onUnlisted(subject, group, options));
    }),
    // One for each set of entries, however many scripts they share.
    ...[
      ...grouped(matched.twice, ({ matches }) => matches.map(({ entry }) => entry.line).join()).values(),
    ].flatMap((same) => {
      const [first, ...others] = same[0].matches.map(({ entry }) => entry);
      const scripts = same.map(({ script }) => script);
      const lines = listed(
        others.map(({ line }) => String(line)),
        { most: 5, separator: ", " },
      );
      const text = `${urls(scripts)}: also matched by the entry at line ${lines}. Narrow one of them, so that each script has one entry.`;
      return first ? [inventoryFinding("inventory-matched-twice", text, ofEntry(first, scripts))] : [];
    }),
    ...matched.entries.flatMap(({ entry, scripts }) =>
      about(ofEntry(entry, scripts), onEntry(entry, scripts, options)),
    ),
  ];
}

function* onUnlisted(
  subject: string,
  { match, scripts }: ScriptGroup,
  options: JudgeOptions,
): Iterable<Found> {
  const [first] = scripts.flatMap(({ firstSeen }) => firstSeen ?? []).sort();
  const pages = distinct(scripts.flatMap((script) => script.pages)).map((page) => shown(page));
  const seen = [
    ...(first ? [`on ${first}`] : []),
    ...(pages.length > 0 ? [`on ${listed(pages, { most: 3, separator: ", " })}`] : []),
  ].join(" ");
  const way =
    match === undefined
      ? "No pattern can be written for its URL, so it cannot be listed: remove it from the pages."
      : "Run `page-guard inventory update`, or remove it from the pages.";
  const text = `${subject} is not in the inventory${seen && ` (first seen ${seen})`}. ${way}`;
  yield found("inventory-not-listed", text);
  yield* onScripts(scripts, options);
}

function* onEntry(
  entry: InventoryEntry,
  scripts: readonly SeenScript[],
  options: JudgeOptions,
): Iterable<Found> {
  const { approved, justification, reviewBy, gone, integrity, scope, firstSeen } = entry;
  if (scripts.length === 0) {
    // What runs in the processor's frame is not among what the zone's pages load.
    if (gone !== undefined || scope === "processor") return;
    const nothing =
      "It matches no script that is on record. Correct `match`, or remove the entry if the script is no longer used.";
    const over = "It is no longer on record. Run `page-guard inventory update`, which marks it as gone.";
    yield firstSeen === undefined
      ? found("inventory-matches-nothing", nothing)
      : found("inventory-gone", over);
    return;
  }
  if (approved === undefined) {
    const lacks = [
      ...(justification === undefined ? ["a justification"] : []),
      ...(integrity === undefined ? ["an integrity method"] : []),
    ].join(" and ");
    yield found("inventory-unapproved", `Nobody has approved it.${lacks && ` It also lacks ${lacks}.`}`);
  } else {
    const why = "It is approved without a justification: write why the page needs it.";
    if (justification === undefined) yield found("inventory-no-justification", why);
    const how = "Nothing says how its integrity is assured: add `integrity`.";
    if (integrity === undefined) yield found("inventory-no-integrity", how);
    yield* onContents(entry, scripts, approved.on);
  }
  const overdue = `Its review was due by ${reviewBy}. Review it and set \`reviewBy\` to a later day.`;
  if (reviewBy !== undefined && reviewBy < options.today) yield found("inventory-review-overdue", overdue);
  const returned = `It was marked as gone on ${gone} and is seen again. Check why, then remove the line \`gone\`.`;
  if (gone !== undefined) yield found("inventory-returned", returned);
  if (integrity && "any" in integrity)
    yield found("inventory-unchecked", `Nothing checks its contents: ${shown(integrity.any)}`);
  if (integrity && "policy" in integrity) {
    const { policy } = integrity;
    yield found(
      "inventory-weak-integrity",
      "A policy restricts where it comes from; nothing checks its contents.",
    );
    // By its description: the service does not know the names of resources.
    const others = scripts.filter(({ allowedBy }) => allowedBy && !allowedBy.includes(policy));
    const unknown = `No enforced policy with the description ${shown(policy)} allows ${urls(others)}: check the name.`;
    if (others.length > 0) yield found("inventory-policy-unknown", unknown);
  }
  yield* onScripts(scripts, options);
}

/**
 * An approval holds for the contents that it lists; where the page names the digest itself, for those that were seen when the
 * entry was added. An approved change adds its own. A hash that is not known says nothing.
 */
function* onContents(
  { integrity, change, hash: added }: InventoryEntry,
  scripts: readonly SeenScript[],
  approvedOn: string,
): Iterable<Found> {
  const approved = integrity && "hashes" in integrity ? integrity.hashes : added;
  const isFixed = integrity && ("hashes" in integrity || "sri" in integrity);
  if (!isFixed || approved.length === 0) return;
  const known = new Set([...approved, ...change.map(({ hash }) => hash)]);
  const changed = scripts
    .flatMap((script) => {
      const later = script.versions.filter(({ on }) => on === undefined || on > approvedOn);
      const hashes = distinct([script.hash, ...later.map(({ hash }) => hash)]);
      return hashes.map((hash) => ({ hash, script }));
    })
    .filter(({ hash }) => !known.has(hash));
  for (const [hash, same] of grouped(changed, (one) => one.hash)) {
    const having = same.map(({ script }) => script);
    const has = having.every((script) => script.hash !== hash) ? "had" : "has";
    const text = `${urls(having)} ${has} the hash ${shown(hash)}, which is not approved: the approval no longer holds. Review the script, then approve it with \`page-guard inventory approve --hash\`.`;
    yield found("inventory-changed", text, having);
  }
  const unknown = scripts.filter(({ hash }) => hash === undefined);
  const notCompared = `The service gives no hash of ${urls(unknown)}, so its contents were not compared.`;
  if (unknown.length > 0) yield found("inventory-hash-unknown", notCompared, unknown);
}

/** What is bad about a script, whoever has approved it. */
function* onScripts(scripts: readonly SeenScript[], { enforces }: JudgeOptions): Iterable<Found> {
  for (const script of scripts) {
    if (script.malice === undefined) continue;
    const text = `${shown(script.url)} counts as malicious: ${shown(script.malice)}. Remove it from the pages.`;
    yield found("inventory-malicious", text, [script]);
  }
  const blocked = scripts.filter(({ allowedBy }) => enforces === true && allowedBy?.length === 0);
  const text = `No enforced policy allows ${urls(blocked)}. Allow it in a policy, or remove it from the pages.`;
  if (blocked.length > 0) yield found("inventory-not-allowed", text, blocked);
}

function urls(scripts: readonly SeenScript[]): string {
  const texts = distinct(scripts.map(({ url }) => url)).map((url) => shown(url));
  return listed(texts, { most: 3, separator: ", " });
}
