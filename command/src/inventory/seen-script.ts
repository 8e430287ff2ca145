import {
  compile,
  hostsOf,
  isOfOneRelease,
  lastingName,
  maliceOf,
  pageUrlOf,
  selectedBy,
} from "page-guard-csp";
import { grouped, type Policy, parseUrl, type Script } from "pulumi-page-guard/tools";
import { compareTexts, distinct } from "../shared/values";
import { exactPattern, isMatch, readPattern, urlKeys, withAsciiHost } from "./match";

/** A script that a zone has on record, as an inventory is compared with it. */
export type SeenScript = ReturnType<typeof seenScripts>[number];

export interface SeenOptions {
  /** All policies of the zone; undefined: they could not be read. */
  readonly policies: readonly Policy[] | undefined;
  /** Integrity score below which a script counts as malicious. */
  readonly threshold: number;
  /** Pages of each script, by its id, where lists filtered by page were read. */
  readonly pages?: ReadonlyMap<string, readonly string[]> | undefined;
}

/** Returns the scripts in a zone's list, by URL. Days have the form `2026-11-23`. */
export function seenScripts(scripts: readonly Script[], { policies, threshold, pages }: SeenOptions) {
  const enforced = policies?.filter(isEnforced).map(readPolicy);
  return scripts.map((item) => {
    const pageUrl = pageUrlOf({ kind: "script", item });
    const url = parseUrl(item.url) ?? parseUrl(item.url, pageUrl);
    return {
      id: item.id,
      // As the service gives it, but as a whole URL where it is relative, and with its host in ASCII.
      url: url === undefined || parseUrl(item.url) !== undefined ? withAsciiHost(item.url) : url.href,
      // The pattern that matches it alone, and that of all its versions; undefined where none can be written.
      exact: url && exactPattern(url),
      family: url && versionPattern(url),
      // Where it was seen.
      host: [item.host ?? []].flat(),
      pages:
        pages?.get(item.id) ?? (item.pageUrls?.length ? item.pageUrls : [item.firstPageUrl ?? []].flat()),
      hash: item.hash?.toLowerCase(),
      // Earlier contents, where they were read, with the day on which the service fetched each.
      versions: (item.versions ?? []).flatMap(({ hash, fetchedAt }) =>
        hash === undefined ? [] : [{ hash: hash.toLowerCase(), on: dayOf(fetchedAt) }],
      ),
      fetchedOn: dayOf(item.fetchedAt),
      score: item.jsIntegrityScore,
      firstSeen: dayOf(item.firstSeenAt ?? item.addedAt),
      lastSeen: dayOf(item.lastSeenAt),
      // Why: `its integrity score is 12, below 50`.
      malice: maliceOf({ kind: "script", item }, threshold),
      // Enforced policies of its page that allow it, by description or id; undefined: not known.
      allowedBy: enforced?.flatMap(({ name, allows }) => (allows(item, pageUrl) ? [name] : [])),
      // Those that keep it out; undefined: not known.
      blockedBy: enforced?.flatMap(({ name, blocks }) => (blocks(item, pageUrl) ? [name] : [])),
    };
  });
}

/** Each once, in an order of their own. */
export function sortedOnce(texts: readonly string[]): string[] {
  return distinct(texts).sort(compareTexts);
}

/** Returns the facts about several versions together, each list sorted. */
export function factsOf(scripts: readonly SeenScript[]) {
  const all = (of: (script: SeenScript) => string | readonly string[] | undefined): string[] =>
    sortedOnce(scripts.flatMap((script) => of(script) ?? []));
  const scores = scripts.flatMap(({ score }) => score ?? []);
  return {
    urls: all(({ url }) => url),
    pages: all(({ pages }) => pages),
    hashes: all(({ hash }) => hash),
    allowedBy: all(({ allowedBy }) => allowedBy),
    firstSeen: all(({ firstSeen }) => firstSeen)[0],
    lastSeen: all(({ lastSeen }) => lastSeen).at(-1),
    score: scores.length === 0 ? undefined : Math.min(...scores),
  };
}

/** A policy that browsers enforce. */
export function isEnforced({ enabled, action }: Pick<Policy, "enabled" | "action">): boolean {
  return enabled && action === "allow";
}

/** Returns the name by which people know a policy: its description, else its id. */
export function policyName({ description, policyId }: Policy): string {
  return description.trim() || policyId;
}

function readPolicy(policy: Policy) {
  const compiled = compile(policy.value);
  const isSelected = selectedBy(hostsOf(policy.expression));
  const isHere = (item: Script) => isSelected({ kind: "script", item });
  return {
    name: policyName(policy),
    /** Whether a source of the policy allows the script. A policy that restricts no scripts allows none in particular. */
    allows: (item: Script, pageUrl: string): boolean =>
      isHere(item) && compiled.sourcesFor({ kind: "script", url: item.url, pageUrl }).length > 0,
    blocks: (item: Script, pageUrl: string): boolean =>
      isHere(item) && !compiled.allows({ kind: "script", url: item.url, pageUrl }),
  };
}

/** Versions of one script, or a script alone; `match`: what matches them, and no other script of the zone. */
export type ScriptGroup = ReturnType<typeof groupsOf>[number];

/**
 * Scripts by their URL, and the versions of one together, in the order of their URLs. Versions stay apart where there is
 * just one of them (whether the number in it is a version or a customer's id only the next one shows), and where their
 * pattern would match something else `among` all that the zone has.
 */
export function groupsOf(scripts: readonly SeenScript[], among: readonly SeenScript[] = scripts) {
  const inOrder = [...scripts].sort((a, b) => compareTexts(a.url, b.url) || compareTexts(a.id, b.id));
  const all = among.map(({ url, exact }) => ({ keys: urlKeys(url), exact }));
  const families = grouped(inOrder, ({ family = "" }) => family);
  const together = [...families].filter(([family, members]) => {
    const urls = new Set(members.map(({ exact }) => exact));
    const pattern = readPattern(family);
    if (urls.size < 2 || "fault" in pattern) return false;
    return all.every(({ keys, exact }) => urls.has(exact) || !isMatch(pattern, keys));
  });
  const shared = new Set<string | undefined>(together.map(([family]) => family));
  const matchOf = ({ exact, family }: SeenScript) => (shared.has(family) ? family : exact);
  const groups = grouped(inOrder, (script) => matchOf(script) ?? ` ${script.id}`);
  return [...groups.values()].map((group) => ({ match: matchOf(group[0]), scripts: group }));
}

/** Names that say nothing of which script it is. */
const commonNames = new Set("js mjs cjs min chunk bundle module index main script".split(" "));

/** Parameters that are there to get around caches. */
const cacheBusters = new Set(["v", "ver", "version", "rev", "build", "hash", "t", "ts", "cb", "_"]);

/**
 * The URL with `*` for what the next release changes: in its path by the rules of `suggest`, in its query only where the
 * parameter is there for caches (the id in another may choose another script).
 */
function versionPattern(url: URL): string | undefined {
  const exact = exactPattern(url);
  const read = exact === undefined ? undefined : parseUrl(exact);
  if (exact === undefined || read === undefined || read.host === "") return exact;
  const segments = read.pathname.split("/");
  const names = segments.map((name) => lastingName(name));
  const file = names.at(-1) ?? "";
  const path = !file.includes("*") || saysWhich(file) ? names.join("/") : read.pathname;
  const query = read.search.slice(1).split("&").map(withoutVersion).join("&");
  const text = `${read.protocol}//${read.host}${path}${query === "" ? "" : `?${query}`}`;
  return "fault" in readPattern(text) ? exact : text;
}

/** The pattern of all versions of a URL, by the same rules. */
export function familyOf(text: string): string | undefined {
  const url = parseUrl(text);
  return url && versionPattern(url);
}

/** Whether a file's name with a `*` still tells it from its neighbours. */
function saysWhich(name: string): boolean {
  return name.split(/[^A-Za-z]+/).some((word) => word.length > 1 && !commonNames.has(word.toLowerCase()));
}

function withoutVersion(parameter: string): string {
  const [name = "", ...value] = parameter.split("=");
  const isVersion = cacheBusters.has(name.toLowerCase()) && isOfOneRelease(value.join("="));
  return isVersion ? `${name}=*` : parameter;
}

function dayOf(time: string | undefined): string | undefined {
  const parsed = Date.parse(time ?? "");
  return Number.isNaN(parsed) ? undefined : new Date(parsed).toISOString().slice(0, 10);
}
