import { hostOf, nameCompany } from "page-guard-csp";
import {
  clean,
  findingTable,
  groupBy,
  isEnforced,
  type Policy,
  parseUrl,
  type Script,
} from "pulumi-page-guard/tools";
import { forShell, forTerminal } from "../documents/escape";
import { dayMs, distinct } from "../shared/values";
import type { History } from "./history";
import type { InventoryEntry } from "./inventory-file";
import { isMatch, longestPattern, matchEntries, urlKeys, withAsciiHost } from "./match";
import { findPolicyGaps } from "./policy-gaps";
import {
  describeMalice,
  groupScripts,
  mergeFacts,
  nameFew,
  policyName,
  type ScriptGroup,
  type SeenScript,
  sortDistinct,
} from "./seen-script";

/** A difference between an inventory and a zone. Differences of severity `info` need no action. `text` is safe to show. */
export type InventoryFinding = ReturnType<typeof makeFinding>;

interface Subject {
  /** Subject of the finding: the `match` of an existing or possible entry, a URL, or a word such as `policies`. */
  readonly subject: string;
  /** Title that names the object and the event, safe to show. If undefined, the title of the finding's code is used. */
  readonly title?: string | undefined;
  /** The entry that the finding is about. `line` is its line in the file. */
  readonly entry?: InventoryEntry;
  readonly line?: number;
  readonly scripts: readonly SeenScript[];
  /** Date on which the service fetched the contents that the finding is about. */
  readonly fetchedOn?: string | undefined;
}

export type InventoryCode = Extract<keyof typeof findingTable, `inventory-${string}`>;

/** Returns a finding with the severity that the finding table (docs/findings.md) gives to its code. */
export function makeFinding(code: InventoryCode, text: string, subject: Subject) {
  const { severity } = findingTable[code];
  return { code, severity: severity === "warning or error" ? "error" : severity, text, ...subject } as const;
}

interface JudgeOptions {
  /** Date of the run, such as `2026-11-23`. */
  readonly today: string;
  /** All policies of the zone; undefined if unknown. */
  readonly policies: readonly Policy[] | undefined;
  /** Patterns of the payment pages, each with an optional `*` at its end; empty if all pages count. */
  readonly pages?: readonly string[] | undefined;
  readonly history?: History | undefined;
  /** Command-line options for `approve` that select this zone. Needed if other zones may have the same entry. */
  readonly approveIn?: string | undefined;
}

/** Number of days for which a script or its contents count as recent. It is more than one, because jobs may miss some days. */
const recentDays = 7;

function isRecent(day: string | undefined, today: string): boolean {
  return day !== undefined && Date.parse(today) - Date.parse(day) <= recentDays * dayMs;
}

/** Returns a function that says whether to read the versions of a script. Reading them takes one request per script. */
export function wantsVersions(entries: readonly InventoryEntry[], today: string) {
  const approved = entries.filter((entry) => entry.approved && entry.integrity);
  return ({ url, fetchedAt }: Pick<Script, "url" | "fetchedAt">): boolean => {
    const keys = urlKeys(url);
    const own = approved.filter(({ match }) => isMatch(match, keys));
    return own.some(({ integrity = {} }) => integrity.hashes || isRecent(fetchedAt, today));
  };
}

/** Yields the findings of a zone: first those about the zone and unlisted scripts, then those about each entry, in file order. */
export function* judgeInventory(
  entries: readonly InventoryEntry[],
  seen: readonly SeenScript[],
  options: JudgeOptions,
): Iterable<InventoryFinding> {
  const matched = matchEntries(entries, seen);
  // Drop payment pages on which no script was seen: their URLs may be wrong. If none is left, report new contents on any page.
  const pages = (options.pages ?? []).filter((page) =>
    seen.some((script) => script.pages.some((one) => isOnPage(one, page))),
  );
  if (seen.length > 0) yield* onPolicies(entries, options);
  yield* onApprovals(entries);
  for (const group of groupScripts(matched.unlisted, seen)) yield* onUnlisted(group, options);
  // One finding for each set of entries, however many scripts these entries share.
  const sets = groupBy(matched.twice, ({ matches }) => matches.map(({ line }) => line).join());
  for (const same of sets.values()) {
    const [first, ...others] = same[0].matches;
    const scripts = same.map(({ script }) => script);
    const lines = others.map(({ line }) => line).join(", ");
    const where = others.length === 1 ? "entry at line" : "entries at lines";
    const text = `${urls(scripts)}: also matched by the ${where} ${lines}. Narrow \`match\` in these entries so that only one of them matches each script.`;
    if (first) yield makeFinding("inventory-matched-twice", text, about(first, scripts));
  }
  for (const { entry, scripts } of matched.entries)
    yield* onEntry(entry, about(entry, scripts), { ...options, pages });
}

function* onPolicies(
  entries: readonly InventoryEntry[],
  { policies, pages = [] }: JudgeOptions,
): Iterable<InventoryFinding> {
  if (policies === undefined) return;
  const named = policies.map((one) => ({ ...one, name: policyName(one) }));
  const expected = entries.flatMap(({ allowedBy, integrity }) =>
    [...allowedBy, integrity?.policy ?? []].flat(),
  );
  for (const { gap, text, title } of findPolicyGaps(named, pages, expected)) {
    const about = { subject: "policies", title, scripts: [] };
    if (gap === "nothing-enforced") yield makeFinding("inventory-nothing-enforced", text, about);
    else if (pages.length > 0) yield makeFinding("inventory-policy-open", text, about);
  }
}

/** Reports approvals with the same reason and reference. Somebody may have copied them instead of deciding on each script. */
function* onApprovals(entries: readonly InventoryEntry[]): Iterable<InventoryFinding> {
  const decided = entries.filter(({ approved, justification }) => approved && justification !== undefined);
  const alike = groupBy(decided, ({ approved, justification }) =>
    JSON.stringify([approved?.reference, justification]),
  );
  for (const [first, ...others] of alike.values()) {
    const lines = others.map(({ line }) => `${line}`);
    const where = lines.length === 1 ? "line" : "lines";
    const text = `The same reason and reference are also used at ${where} ${nameFew(lines, 10)}. Check that somebody decided on each script.`;
    if (others.length > 0) yield makeFinding("inventory-same-approval", text, about(first, []));
  }
}

function about(entry: InventoryEntry, scripts: readonly SeenScript[]): Subject {
  return { subject: clean(withAsciiHost(entry.match.text)), line: entry.line, entry, scripts };
}

function* onUnlisted({ match, scripts }: ScriptGroup, options: JudgeOptions): Iterable<InventoryFinding> {
  const [{ url }] = scripts;
  const subject = clean(match ?? url);
  const way =
    match === undefined
      ? "No pattern can be written for its URL, so the inventory cannot list it. Remove the script from the pages."
      : "Add it with `page-guard inventory update`, or remove it from the pages.";
  const company = nameCompany(hostOf(url));
  const companyNote = company === undefined ? "" : ` (${company})`;
  const text = `${subject}${companyNote} is not in the inventory. ${way}`;
  yield makeFinding("inventory-not-listed", text, { subject, scripts });
  yield* onScripts({ subject, scripts }, options);
}

function* onEntry(entry: InventoryEntry, place: Subject, options: JudgeOptions): Iterable<InventoryFinding> {
  const { approved, justification, reviewBy, gone, integrity, scope, firstSeen } = entry;
  const { scripts } = place;
  if (scripts.length === 0) {
    // The service does not list scripts in the payment processor's iframe, because the pages of the zone do not load them.
    if (gone !== undefined || scope === "processor") return;
    const nothing =
      "It matches no script that the service lists. Correct `match`, or remove the entry if the script is no longer used.";
    const over = "The service no longer lists it. Run `page-guard inventory update` to mark it as gone.";
    yield firstSeen === undefined
      ? makeFinding("inventory-matches-nothing", nothing, place)
      : makeFinding("inventory-gone", over, place);
    return;
  }
  if (approved === undefined) {
    const lacks = [
      ...(justification === undefined ? ["justification"] : []),
      ...(integrity === undefined ? ["integrity method"] : []),
    ].join(" and no ");
    const nobody = `Nobody has approved it.${lacks && ` It also has no ${lacks}.`}`;
    yield makeFinding("inventory-unapproved", nobody, place);
    // Without an approval, earlier contents do not matter.
    yield* onContents(entry, place, options.today, options);
  } else {
    const why = "It was approved without a justification. Write why the pages need it.";
    if (justification === undefined) yield makeFinding("inventory-no-justification", why, place);
    const how = "The entry does not say how the integrity of the script is assured. Add `integrity`.";
    if (integrity === undefined) yield makeFinding("inventory-no-integrity", how, place);
    yield* onContents(entry, place, approved.on, options);
    yield* onNews(entry, place, approved.on, options);
    const written = options.history?.(entry, approved.on);
    const late = written?.id ? Date.parse(written.on) - Date.parse(approved.on) : 0;
    const later = `Its approval is dated ${approved.on}, but was committed on ${written?.on.slice(0, 10)}, ${Math.floor(late / dayMs)} days later. Approve the script as it is now.`;
    if (late > recentDays * dayMs) yield makeFinding("inventory-approved-early", later, place);
  }
  const overdue = `Its review was due by ${reviewBy}. Review it and set \`reviewBy\` to a later date.`;
  if (reviewBy !== undefined && reviewBy < options.today)
    yield makeFinding("inventory-review-overdue", overdue, place);
  const returned = `It was marked as gone on ${gone}, but has been seen again. Find out why, then remove the \`gone\` line.`;
  if (gone !== undefined) yield makeFinding("inventory-returned", returned, place);
  const { policy, any } = integrity ?? {};
  if (any !== undefined)
    yield makeFinding("inventory-unchecked", `Nothing checks its contents: ${clean(any)}`, place);
  if (policy !== undefined) {
    const weak =
      "A policy restricts where the script comes from, but nothing checks the contents of the script.";
    yield makeFinding("inventory-weak-integrity", weak, place);
    // `policy` is the description of a policy, because the service does not know the names of resources.
    const others = scripts.filter(({ allowedBy }) => allowedBy && !allowedBy.includes(policy));
    const unknown = `No enforced policy with the description ${clean(policy)} allows ${urls(others)}. Check the description.`;
    const title = `policy "${clean(policy, { max: 60 })}" is not enforced`;
    if (others.length > 0) yield makeFinding("inventory-policy-unknown", unknown, { ...place, title });
  }
  yield* onScripts(place, options);
}

/**
 * Reports scripts and contents that are newer than the approval and that no approved hash covers. They also have to be recent,
 * except for scripts that an entry without `*` matches.
 */
function* onNews(
  { match, integrity, hash, change }: InventoryEntry,
  place: Subject,
  approvedOn: string,
  { today, pages = [] }: JudgeOptions,
): Iterable<InventoryFinding> {
  const fixed = new Set(integrity?.hashes);
  const known = new Set([...fixed, ...hash, ...change.map((one) => one.hash)]);
  const open = place.scripts.filter((script) => script.hash === undefined || !fixed.has(script.hash));
  const isOpen = match.text.includes("*");
  const early = open.filter(({ firstSeen = "" }) => firstSeen > approvedOn);
  const were = early.length === 1 ? "was" : "were";
  const before = `It was approved on ${approvedOn}, before ${urls(early)} ${were} first seen (${early[0]?.firstSeen}). Review it, then approve it as it is now.`;
  if (!isOpen && early.length > 0) yield makeFinding("inventory-approved-early", before, place);
  for (const script of isOpen ? early.filter(({ firstSeen }) => isRecent(firstSeen, today)) : []) {
    const text = `${clean(script.url)} was first seen on ${script.firstSeen}, after ${clean(match.text)} was approved (${approvedOn}). Review the script. If it is not expected, narrow \`match\` and remove the script from the pages.`;
    // A new version of the script for which the pattern was written is a normal release, so the finding is only a note.
    const isRelease = script.family === match.text;
    const finding = makeFinding("inventory-first-seen", text, { ...place, scripts: [script] });
    yield isRelease ? { ...finding, severity: "info" } : finding;
  }
  if (fixed.size > 0) return;
  for (const script of place.scripts) {
    if (pages.length > 0 && !script.pages.some((page) => pages.some((one) => isOnPage(page, one)))) continue;
    const all = collectContents(script);
    const isOther = ({ hash, on }: (typeof all)[number]) =>
      known.size > 0 ? !known.has(hash) : all.some((one) => one.hash !== hash && one.on <= on);
    const news = all.filter((one) => one.on > approvedOn && isRecent(one.on, today) && isOther(one));
    const hashes = distinct(news.map((one) => `${clean(one.hash)} (${one.on})`));
    const text = `${clean(script.url)} has had different contents since its approval: ${hashes.join(", ")}. Its integrity method does not prevent this. Review the script.`;
    const fetchedOn = news[0]?.on;
    if (news.length > 0)
      yield makeFinding("inventory-contents", text, { ...place, scripts: [script], fetchedOn });
  }
}

/** Whether a page matches a pattern. Like `listPageForms`, ignores the scheme. A pattern without `*` ignores the query, too. */
function isOnPage(page: string, pattern: string): boolean {
  const [, bare = ""] = pattern.split("://");
  const url = parseUrl(page.replace(/^(?!https?:\/\/)/i, "https://"))?.href.split("://")[1] ?? page;
  return bare.endsWith("*") ? url.startsWith(bare.slice(0, -1)) : url === bare || url.startsWith(`${bare}?`);
}

/** Returns facts about the scripts of an urgent finding: when and where they were seen, and what blocks them; else empty. */
export function describeAlarm(
  { code, scripts, fetchedOn }: InventoryFinding,
  policies: readonly Policy[] | undefined,
): string {
  const { concern } = findingTable[code];
  if (scripts.length === 0 || (concern !== "visitors" && concern !== "malicious")) return "";
  const { firstSeen, pages } = mergeFacts(scripts);
  const first = firstSeen === undefined ? "" : ` first seen on ${firstSeen}`;
  const where = pages.length === 0 ? "" : ` on ${nameFew(pages)}`;
  const day = fetchedOn === undefined ? "" : ` The service fetched these contents on ${fetchedOn}.`;
  const subject = scripts.length === 1 ? "The script was" : "The scripts were";
  const seen = first || where ? `${day} ${subject}${first || " seen"}${where}.` : day;
  return `${seen}${describeBlocking(scripts, policies)} Guide: docs/guides/script-alarm.md.`;
}

/** Says whether enforced policies block the scripts; empty if this is not known. */
function describeBlocking(scripts: readonly SeenScript[], policies: readonly Policy[] | undefined): string {
  if (policies === undefined || scripts.some(({ blockedBy }) => blockedBy === undefined)) return "";
  const them = scripts.length === 1 ? "it" : "them";
  if (!policies.some(isEnforced)) return ` No policy is enforced, so nothing blocks ${them}.`;
  const blockedBy = distinct(scripts.flatMap((script) => script.blockedBy));
  if (blockedBy.length > 0) return ` Blocked by enforced policies: ${nameFew(blockedBy)}.`;
  const { allowedBy } = mergeFacts(scripts);
  if (allowedBy.length > 0) return ` No enforced policy blocks ${them}; allowed by ${nameFew(allowedBy)}.`;
  return ` No enforced policy blocks ${them}.`;
}

/**
 * Reports contents whose hash is not approved. An approval covers the hashes that its entry lists or, with the integrity method
 * `sri`, the hashes that were seen when the entry was added. Each approved change covers one more hash. An entry that lists hashes
 * is also compared after its approval was withdrawn. If the service gives no hash, there is nothing to compare, and the approval
 * stays valid.
 */
function* onContents(
  { match, integrity, change, hash: added, approved: approval }: InventoryEntry,
  place: Subject,
  approvedOn: string,
  { approveIn = "" }: JudgeOptions,
): Iterable<InventoryFinding> {
  const { scripts } = place;
  const approved = integrity?.hashes ?? (integrity?.sri ? added : []);
  if (approved.length === 0) return;
  const known = new Set([...approved, ...change.map(({ hash }) => hash)]);
  const effect = approval ? ", so the approval no longer applies" : "";
  const changed = scripts.flatMap((script) => {
    const later = collectContents(script).filter(
      ({ hash, on }) => hash === script.hash || on === "" || on > approvedOn,
    );
    const hashes = distinct(later.map(({ hash }) => hash)).filter((one) => !known.has(one));
    return hashes.map((hash) => ({ hash, script }));
  });
  for (const [hash, same] of groupBy(changed, (one) => one.hash)) {
    const having = same.map(({ script }) => script);
    const served = having.flatMap(collectContents).filter((one) => one.hash === hash && one.on !== "");
    const [fetchedOn] = sortDistinct(served.map(({ on }) => on));
    const isGone = having.every((script) => script.hash !== hash);
    const pattern = forShell(forTerminal(match.text, longestPattern));
    const has = isGone ? "had" : having.length === 1 ? "has" : "have";
    const text = `${urls(having)} ${has} the hash ${clean(hash)}, which is not approved${effect}. Review the script, then approve it with \`page-guard inventory approve ${pattern} --hash ${forShell(forTerminal(hash))} --by 'YOUR NAME' --reference URL --why REASON${approveIn}\`.`;
    yield makeFinding("inventory-changed", text, { ...place, scripts: having, fetchedOn });
  }
  const unknown = scripts.filter(({ hash }) => hash === undefined);
  const notCompared = `The service gives no hash for ${urls(unknown)}, so the contents were not compared.`;
  if (unknown.length > 0)
    yield makeFinding("inventory-hash-unknown", notCompared, { ...place, scripts: unknown });
}

/** Returns the known contents of a script, current ones first. `on` is the date of the fetch, or empty if it is unknown. */
function collectContents({ hash, fetchedOn, versions }: SeenScript) {
  const all = [{ hash, on: fetchedOn }, ...versions];
  return all.flatMap(({ hash: known, on = "" }) => (known === undefined ? [] : [{ hash: known, on }]));
}

/** Reports malicious scripts, and scripts that no enforced policy allows, even if they are approved. */
function* onScripts(place: Subject, { policies }: JudgeOptions): Iterable<InventoryFinding> {
  const enforces = policies?.some(isEnforced);
  const { scripts } = place;
  for (const script of scripts) {
    if (script.malice === undefined) continue;
    const text = `${describeMalice(script)} Remove it from the pages.`;
    yield makeFinding("inventory-malicious", text, { ...place, scripts: [script] });
  }
  const blocked = scripts.filter(({ allowedBy }) => enforces === true && allowedBy?.length === 0);
  const them = blocked.length === 1 ? "it" : "them";
  const text = `No enforced policy allows ${urls(blocked)}. If the pages need ${them}, allow ${them} in a policy. Otherwise, remove ${them} from the pages.`;
  if (blocked.length > 0) yield makeFinding("inventory-not-allowed", text, { ...place, scripts: blocked });
}

function urls(scripts: readonly SeenScript[]): string {
  return nameFew(distinct(scripts.map(({ url }) => url)));
}
