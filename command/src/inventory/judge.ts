import { findingTable, grouped, listed, shown } from "pulumi-page-guard/tools";
import { distinct } from "../values";
import type { InventoryEntry } from "./inventory-file";
import { isMatch, urlKeys, withAsciiHost } from "./match";
import { factsOf, groupsOf, type ScriptGroup, type SeenScript } from "./seen-script";

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

export type InventoryCode = Extract<keyof typeof findingTable, `inventory-${string}`>;

/** Its severity is that of the table from which docs/findings.md is made. */
export function found(code: InventoryCode, text: string, subject: Subject): InventoryFinding {
  const { severity } = findingTable[code];
  return { code, severity: severity === "warning or error" ? "error" : severity, text, ...subject };
}

interface JudgeOptions {
  /** `2026-11-23` */
  readonly today: string;
  /** Whether the zone enforces any policy; undefined: not known. */
  readonly enforces: boolean | undefined;
}

/** Each entry with the scripts that it matches, and the scripts that no entry matches, or several do. */
export function matchEntries(entries: readonly InventoryEntry[], seen: readonly SeenScript[]) {
  const pairs = seen.map((script) => {
    const url = urlKeys(script.url);
    return { script, matches: entries.filter(({ match }) => isMatch(match, url)) };
  });
  const having = (entry: InventoryEntry) => pairs.filter(({ matches }) => matches.includes(entry));
  return {
    entries: entries.map((entry) => ({ entry, scripts: having(entry).map(({ script }) => script) })),
    unlisted: pairs.filter(({ matches }) => matches.length === 0).map(({ script }) => script),
    twice: pairs.filter(({ matches }) => matches.length > 1),
  };
}

/** What a person has to do or to know, in the order of the file; scripts without an entry come first. */
export function* judgeInventory(
  entries: readonly InventoryEntry[],
  seen: readonly SeenScript[],
  options: JudgeOptions,
): Iterable<InventoryFinding> {
  const matched = matchEntries(entries, seen);
  const nothing = "The zone enforces no policy, so nothing keeps scripts out that are not in the inventory.";
  if (options.enforces === false && seen.length > 0)
    yield found("inventory-nothing-enforced", nothing, { subject: "policies", scripts: [] });
  for (const group of groupsOf(matched.unlisted, seen)) yield* onUnlisted(group, options);
  // One for each set of entries, however many scripts they share.
  const sets = grouped(matched.twice, ({ matches }) => matches.map(({ line }) => line).join());
  for (const same of sets.values()) {
    const [first, ...others] = same[0].matches;
    const scripts = same.map(({ script }) => script);
    const lines = others.map(({ line }) => line).join(", ");
    const text = `${urls(scripts)}: also matched by the entry at line ${lines}. Narrow one of them, so that each script has one entry.`;
    if (first) yield found("inventory-matched-twice", text, about(first, scripts));
  }
  for (const { entry, scripts } of matched.entries) yield* onEntry(entry, about(entry, scripts), options);
}

function about(entry: InventoryEntry, scripts: readonly SeenScript[]): Subject {
  return { subject: shown(withAsciiHost(entry.match.text)), line: entry.line, entry, scripts };
}

function* onUnlisted({ match, scripts }: ScriptGroup, options: JudgeOptions): Iterable<InventoryFinding> {
  const subject = shown(match ?? scripts[0]?.url ?? "");
  const { firstSeen, pages } = factsOf(scripts);
  const where = listed(
    pages.map((page) => shown(page)),
    { most: 3, separator: ", " },
  );
  const seen = [firstSeen, where].flatMap((one) => (one ? [`on ${one}`] : [])).join(" ");
  const way =
    match === undefined
      ? "No pattern can be written for its URL, so it cannot be listed: remove it from the pages."
      : "Run `page-guard inventory update`, or remove it from the pages.";
  const text = `${subject} is not in the inventory${seen && ` (first seen ${seen})`}. ${way}`;
  yield found("inventory-not-listed", text, { subject, scripts });
  yield* onScripts({ subject, scripts }, options);
}

function* onEntry(entry: InventoryEntry, place: Subject, options: JudgeOptions): Iterable<InventoryFinding> {
  const { approved, justification, reviewBy, gone, integrity, scope, firstSeen } = entry;
  const { scripts } = place;
  if (scripts.length === 0) {
    // What runs in the processor's frame is not among what the zone's pages load.
    if (gone !== undefined || scope === "processor") return;
    const nothing =
      "It matches no script that is on record. Correct `match`, or remove the entry if the script is no longer used.";
    const over = "It is no longer on record. Run `page-guard inventory update`, which marks it as gone.";
    yield firstSeen === undefined
      ? found("inventory-matches-nothing", nothing, place)
      : found("inventory-gone", over, place);
    return;
  }
  if (approved === undefined) {
    const lacks = [
      ...(justification === undefined ? ["a justification"] : []),
      ...(integrity === undefined ? ["an integrity method"] : []),
    ].join(" and ");
    const nobody = `Nobody has approved it.${lacks && ` It also lacks ${lacks}.`}`;
    yield found("inventory-unapproved", nobody, place);
  } else {
    const why = "It is approved without a justification: write why the page needs it.";
    if (justification === undefined) yield found("inventory-no-justification", why, place);
    const how = "Nothing says how its integrity is assured: add `integrity`.";
    if (integrity === undefined) yield found("inventory-no-integrity", how, place);
    yield* onContents(entry, place, approved.on);
  }
  const overdue = `Its review was due by ${reviewBy}. Review it and set \`reviewBy\` to a later day.`;
  if (reviewBy !== undefined && reviewBy < options.today)
    yield found("inventory-review-overdue", overdue, place);
  const returned = `It was marked as gone on ${gone} and is seen again. Check why, then remove the line \`gone\`.`;
  if (gone !== undefined) yield found("inventory-returned", returned, place);
  if (integrity && "any" in integrity)
    yield found("inventory-unchecked", `Nothing checks its contents: ${shown(integrity.any)}`, place);
  if (integrity && "policy" in integrity) {
    const { policy } = integrity;
    yield found(
      "inventory-weak-integrity",
      "A policy restricts where it comes from; nothing checks its contents.",
      place,
    );
    // By its description: the service does not know the names of resources.
    const others = scripts.filter(({ allowedBy }) => allowedBy && !allowedBy.includes(policy));
    const unknown = `No enforced policy with the description ${shown(policy)} allows ${urls(others)}: check the name.`;
    if (others.length > 0) yield found("inventory-policy-unknown", unknown, place);
  }
  yield* onScripts(place, options);
}

/**
 * An approval holds for the contents that it lists; where the page names the digest itself, for those that were seen when the
 * entry was added. An approved change adds its own. A hash that is not known says nothing.
 */
function* onContents(
  { integrity, change, hash: added }: InventoryEntry,
  place: Subject,
  approvedOn: string,
): Iterable<InventoryFinding> {
  const { scripts } = place;
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
    yield found("inventory-changed", text, { ...place, scripts: having });
  }
  const unknown = scripts.filter(({ hash }) => hash === undefined);
  const notCompared = `The service gives no hash of ${urls(unknown)}, so its contents were not compared.`;
  if (unknown.length > 0) yield found("inventory-hash-unknown", notCompared, { ...place, scripts: unknown });
}

/** What is bad about a script, whoever has approved it. */
function* onScripts(place: Subject, { enforces }: JudgeOptions): Iterable<InventoryFinding> {
  const { scripts } = place;
  for (const script of scripts) {
    if (script.malice === undefined) continue;
    const text = `${shown(script.url)} counts as malicious: ${shown(script.malice)}. Remove it from the pages.`;
    yield found("inventory-malicious", text, { ...place, scripts: [script] });
  }
  const blocked = scripts.filter(({ allowedBy }) => enforces === true && allowedBy?.length === 0);
  const text = `No enforced policy allows ${urls(blocked)}. Allow it in a policy, or remove it from the pages.`;
  if (blocked.length > 0) yield found("inventory-not-allowed", text, { ...place, scripts: blocked });
}

function urls(scripts: readonly SeenScript[]): string {
  const texts = distinct(scripts.map(({ url }) => url)).map((url) => shown(url));
  return listed(texts, { most: 3, separator: ", " });
}
