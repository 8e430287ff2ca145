import {
  compile,
  hostsOf,
  isOfOneRelease,
  lastingName,
  maliceOf,
  pageUrlOf,
  selectedPages,
  upgraderOf,
  withUpgrade,
} from "page-guard-csp";
import {
  clean,
  enumerate,
  groupBy,
  isEnforced,
  type Policy,
  parseUrl,
  type Script,
} from "pulumi-page-guard/tools";
import { compareTexts, distinct } from "../shared/values";
import { isDay } from "./inventory-file";
import { isMatch, makeExactPattern, readPattern, urlKeys, withAsciiHost } from "./match";

/** A script that the service lists for a zone, in the form that is compared with an inventory. */
export type SeenScript = ReturnType<typeof readSeenScripts>[number];

export interface SeenOptions {
  /** All policies of the zone; undefined if they could not be read. */
  readonly policies: readonly Policy[] | undefined;
  /** Integrity score below which a script counts as malicious. */
  readonly threshold: number;
  /** Pages of each script, by script id. Undefined if the scripts were not read page by page. */
  readonly pages?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Scripts by id, each with its pages on the policies' hosts. These pages show which policies apply to a script. */
  readonly onHosts?: ReadonlyMap<string, Script> | undefined;
}

/** Converts the scripts that the service lists for a zone into a form for the comparison. Dates have the form `2026-11-23`. */
export function readSeenScripts(scripts: readonly Script[], options: SeenOptions) {
  const { policies, threshold, pages, onHosts } = options;
  const isUpgraded = upgraderOf(policies?.filter(isEnforced) ?? []);
  const enforced = policies?.filter(isEnforced).map((policy) => readPolicy(policy, isUpgraded));
  return scripts.map((item) => {
    const pageUrl = pageUrlOf({ kind: "script", item });
    const placed = onHosts?.get(item.id) ?? item;
    const url = parseUrl(item.url) ?? parseUrl(item.url, pageUrl);
    return {
      item,
      id: item.id,
      // The URL that the service gives, with its host in ASCII. A relative URL is made absolute.
      url: url === undefined || parseUrl(item.url) !== undefined ? withAsciiHost(item.url) : url.href,
      // `exact` is a pattern that matches only this URL; undefined if there is no such pattern. `family` is a pattern that also
      // matches the URLs of other versions; if there is no such pattern, it is the same as `exact`.
      exact: url && makeExactPattern(url),
      family: versionPattern(url),
      // Hosts and pages on which the script was seen.
      host: [item.host ?? []].flat(),
      pages:
        pages?.get(item.id) ?? (item.pageUrls?.length ? item.pageUrls : [item.firstPageUrl ?? []].flat()),
      hash: item.hash?.toLowerCase(),
      // Earlier contents, if they were read, each with the date on which the service fetched them.
      versions: (item.versions ?? []).flatMap(({ hash, fetchedAt }) =>
        hash === undefined ? [] : [{ hash: hash.toLowerCase(), on: toDay(fetchedAt) }],
      ),
      fetchedOn: toDay(item.fetchedAt),
      score: item.jsIntegrityScore,
      firstSeen: toDay(item.firstSeenAt ?? item.addedAt),
      lastSeen: toDay(item.lastSeenAt),
      // Why the script counts as malicious: `its integrity score is 12, below 50`.
      malice: maliceOf({ kind: "script", item }, threshold),
      // Names (description or id) of the enforced policies for the script's pages that allow the script; undefined if unknown.
      allowedBy: enforced?.flatMap(({ name, allows }) => (allows(placed) ? [name] : [])),
      // Enforced policies for the script's pages that block the script; undefined if unknown.
      blockedBy: enforced?.flatMap(({ name, blocks }) => (blocks(placed) ? [name] : [])),
    };
  });
}

export function sortDistinct(texts: readonly string[]): string[] {
  return distinct(texts).sort(compareTexts);
}

/** Returns a sentence that says why a malicious script counts as malicious, safe to show. */
export function describeMalice({ url, malice = "" }: SeenScript): string {
  return `${clean(url)} counts as malicious: ${clean(malice)}.`;
}

/** Returns the first few names, made safe to show, and how many more there are. */
export function nameFew(texts: readonly string[], most = 3): string {
  return enumerate(
    texts.map((text) => clean(text)),
    { most, separator: ", " },
  );
}

/** Combines the facts about several versions of a script. Each list is sorted. */
export function mergeFacts(scripts: readonly SeenScript[]) {
  const all = (of: (script: SeenScript) => string | readonly string[] | undefined): string[] =>
    sortDistinct(scripts.flatMap((script) => of(script) ?? []));
  return {
    urls: all(({ url }) => url),
    pages: all(({ pages }) => pages),
    hashes: all(({ hash }) => hash),
    allowedBy: all(({ allowedBy }) => allowedBy),
    firstSeen: all(({ firstSeen }) => firstSeen)[0],
    lastSeen: all(({ lastSeen }) => lastSeen).at(-1),
    score: findLowest(scripts.map(({ score }) => score)),
  };
}

export function findLowest(scores: readonly (number | undefined)[]): number | undefined {
  const [lowest] = distinct(scores).sort((left, right) => left - right);
  return lowest;
}

/** Returns the name by which people know a policy: its description, else its id. */
export function policyName({ description, policyId }: Policy): string {
  return description.trim() || policyId;
}

function readPolicy(policy: Policy, isUpgraded: (pageUrl: string) => boolean) {
  const [plain, upgraded] = [compile(policy.value), compile(withUpgrade(policy.value))];
  const compiledFor = ({ pageUrl }: { readonly pageUrl: string }) => (isUpgraded(pageUrl) ? upgraded : plain);
  const pagesOf = selectedPages(hostsOf(policy.expression));
  const requestsOf = (item: Script) =>
    pagesOf({ kind: "script", item }).map((pageUrl) => ({ kind: "script", url: item.url, pageUrl }) as const);
  return {
    name: policyName(policy),
    /** Whether a source of the policy allows the script. False for a policy that does not restrict scripts at all. */
    allows: (item: Script): boolean =>
      requestsOf(item).some((request) => compiledFor(request).sourcesFor(request).length > 0),
    blocks: (item: Script): boolean =>
      requestsOf(item).some((request) => !compiledFor(request).allows(request)),
  };
}

/** Versions of one script, or a single URL. `match` matches only these scripts; undefined if no such pattern can be written. */
export type ScriptGroup = ReturnType<typeof groupScripts>[number];

/**
 * Groups the versions of each script, in the order of their URLs. A single URL is a group of its own, whose pattern matches only
 * this URL, because one URL does not show whether a number in it is a version or a customer's id. If a pattern for all versions
 * of a script would also match another of the scripts in `among`, each version is a group of its own.
 */
export function groupScripts(scripts: readonly SeenScript[], among: readonly SeenScript[] = scripts) {
  const inOrder = [...scripts].sort((a, b) => compareTexts(a.url, b.url) || compareTexts(a.id, b.id));
  const all = among.map(({ url, exact }) => ({ keys: urlKeys(url), exact }));
  const families = groupBy(inOrder, ({ family = "" }) => family);
  const together = [...families].filter(([family, members]) => {
    const urls = new Set(members.map(({ exact }) => exact));
    const pattern = readPattern(family);
    if (urls.size < 2 || "fault" in pattern) return false;
    return all.every(({ keys, exact }) => urls.has(exact) || !isMatch(pattern, keys));
  });
  const shared = new Set<string | undefined>(together.map(([family]) => family));
  const choosePattern = ({ exact, family }: SeenScript) => (shared.has(family) ? family : exact);
  const groups = groupBy(inOrder, (script) => choosePattern(script) ?? ` ${script.id}`);
  return [...groups.values()].map((group) => ({ match: choosePattern(group[0]), scripts: group }));
}

/** Words that are too common in file names to identify a script. */
const commonNames = new Set("js mjs cjs min chunk bundle module index main script".split(" "));

/** Query parameters that only serve to bypass caches. */
const cacheBusters = new Set(["v", "ver", "version", "rev", "build", "hash", "t", "ts", "cb", "_"]);

/**
 * Returns the URL with `*` for the parts that the next release changes. In the path, these parts are found by the same rules that
 * `suggest` uses. In the query, only parameters that bypass caches count, because an id in another parameter may select another
 * script.
 */
export function versionPattern(url: URL | undefined): string | undefined {
  const exact = url && makeExactPattern(url);
  const read = parseUrl(exact ?? "");
  if (!read?.host) return exact;
  const segments = read.pathname.split("/");
  const names = segments.map((name) => lastingName(name));
  const file = names.at(-1) ?? "";
  const path = !file.includes("*") || saysWhich(file) ? names.join("/") : read.pathname;
  const query = read.search.slice(1).split("&").map(withoutVersion).join("&");
  const search = query === "" ? "" : `?${query}`;
  const text = `${read.protocol}//${read.host}${path}${search}`;
  return "fault" in readPattern(text) ? exact : text;
}

/** Whether a file name with a `*` still distinguishes the file from its neighbours. */
function saysWhich(name: string): boolean {
  return name.split(/[^A-Za-z]+/).some((word) => word.length > 1 && !commonNames.has(word.toLowerCase()));
}

function withoutVersion(parameter: string): string {
  const [name = "", ...value] = parameter.split("=");
  const isVersion = cacheBusters.has(name.toLowerCase()) && isOfOneRelease(value.join("="));
  return isVersion ? `${name}=*` : parameter;
}

/** Returns the day of a time; undefined if an inventory cannot contain it, such as a day after the year 9999. */
function toDay(time: string | undefined): string | undefined {
  const parsed = Date.parse(time ?? "");
  const day = Number.isNaN(parsed) ? "" : new Date(parsed).toISOString().slice(0, 10);
  return isDay(day) ? day : undefined;
}
