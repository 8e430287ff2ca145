import { hostOwner } from "../hosts/anyone-publishes";
import { hostOf, type SeenItem } from "../impact/seen-item";
import { nameKind, type RequestKind, toDirective } from "../match/request-kind";
import type { Directives } from "../syntax/build";
import { decidingDirective, generalName } from "../syntax/directives";
import { parse } from "../syntax/parse";
import { canonicalizeSource, parseSource } from "../syntax/source";
import { clean, groupBy, parseUrl, pluralize } from "../texts";
import { chooseLevels, type Granularity, withoutCovered } from "./choose-sources";
import { Evidence } from "./evidence";
import { exclude } from "./exclusion";
import { readItems } from "./read-item";
import { note, type SuggestionRemark, warning } from "./tell-suggestion";

/** A browser's report of something that a policy blocks, or would block. */
export interface ReportedUse {
  readonly kind: RequestKind;
  /** URL, or `inline`, `eval` or `wasm-eval` for content without one. */
  readonly url: string;
  readonly pageUrl: string;
  /** Text of the policy in the report; empty if the report has none. The new lists keep the sources of this policy. */
  readonly policy: string;
  /** Beginning of the inline code, if the policy has `'report-sample'`. */
  readonly sample?: string;
  /** Text that distinguishes visitors: the `user_agent` of the report. */
  readonly visitor?: string;
  /** Time in milliseconds since 1970. */
  readonly time?: number;
}

/** Source lists for content that the service does not list, with remarks. */
export interface ReportedSources {
  /** Directives for the option `base` of `suggest`. */
  readonly directives: Directives;
  readonly remarks: readonly SuggestionRemark[];
}

interface ReportOptions {
  readonly granularity?: Granularity;
  /** Returns the SHA-256 hash of a string in base64: `createHash("sha256").update(text).digest("base64")`. */
  readonly sha256: (text: string) => string;
}

/** Maximum number of characters of a sample in a report, without the white space around it. */
const sampleLength = 40;
const hourMs = 60 * 60 * 1000;
const loadedKinds = new Set<RequestKind>(["style", "image", "font", "media", "frame", "worker"]);
/** Kinds of content for which a scheme may be suggested. Other kinds are left out: anyone may supply the data of such URLs. */
const textSchemes: Readonly<Record<string, readonly RequestKind[]>> = {
  "data:": ["image", "font", "media"],
  "blob:": ["image", "font", "media", "worker"],
};

/**
 * Builds source lists from violation reports for content that the service does not list: styles, images, fonts, media, frames,
 * workers, and short inline scripts by their hash. Leaves out items that only one visitor reported, or that were reported
 * within one hour only, and names them in remarks. Never throws.
 */
export function fromReports(
  reports: readonly ReportedUse[],
  { granularity = "host", sha256 }: ReportOptions,
): ReportedSources {
  const endless = (["frame", "form"] as const).flatMap((kind) => remarkOnEndless(reports, kind) ?? []);
  const isEndless = ({ kind, url }: ReportedUse) =>
    /^https?:/i.test(url) && endless.some((one) => one.kind === kind);
  const listable = reports.filter((report) => !isEndless(report));
  const judged = [...groupBy(listable, makeKey).values()].map((group) => judge(group, sha256));
  const wanted = judged.flatMap((one) => one.wanted ?? []);
  const remarks = [...endless.map(({ remark }) => remark), ...judged.flatMap((one) => one.remark ?? [])];
  const evidence = new Evidence(wanted.flatMap(({ items }) => items));
  const options = { isUpgrading: false, own: "all", granularity, evidence } as const;
  const directives = [...groupBy(wanted, ({ directive }) => directive)].map(([directive, those]) => {
    const policies = those.flatMap((one) => one.policies);
    const kept = keepSources(policies, directive);
    const items = those.flatMap((one) => one.items);
    const sources = items.flatMap((read) => chooseLevels(read, options)?.first ?? []);
    const hashes = those.flatMap((one) => one.hashes);
    return [directive, [...withoutCovered([...kept, ...sources]), ...hashes]] as const;
  });
  if (wanted.some(({ policies }) => policies.every((policy) => policy === "")))
    remarks.push(warning("reports-without-policy", withoutPolicy));
  const open = endless.map(({ kind, policies }) => {
    const kept = keepSources(policies, toDirective(kind)).filter((one) => /^(?:data|blob):$/.test(one));
    return [toDirective(kind), ["https:", ...new Set(kept)]];
  });
  return { directives: Object.fromEntries([...directives, ...open]), remarks };
}

/** If this many owners have at most `fewReports` reports each on one page, as with 3-D Secure, no list is written. */
const manyOwners = 8;
const fewReports = 5;

/** Returns a remark and the reported policies if frames or forms have too many owners to list; otherwise undefined. */
function remarkOnEndless(reports: readonly ReportedUse[], kind: "frame" | "form") {
  const those = reports.filter((report) => report.kind === kind && /^https?:/i.test(report.url));
  for (const onPage of groupBy(those, toPagePattern).values()) {
    const owners = [...groupBy(onPage, ({ url }) => hostOwner(hostOf(url))).values()];
    const rare = owners.filter(({ length }) => length <= fewReports).map(([first]) => hostOf(first.url));
    if (rare.length < manyOwners) continue;
    const called = `${nameKind(kind)} of ${rare.length} owners, each reported a few times on ${clean(onPage[0].pageUrl)} (${nameSome(rare)})`;
    const text = `${toDirective(kind)} https: in place of a list: ${called}. ${whyEndless}`;
    return { kind, policies: those.map(({ policy }) => policy), remark: note("many-owners", text) };
  }
  return undefined;
}

function nameUse(url: string): string {
  return hostOf(url) || url;
}

/** Returns the first three names: `a, b, c, …`. */
function nameSome(names: readonly string[]): string {
  const all = [...new Set(names)].map((name) => clean(name));
  return [...all.slice(0, 3), ...(all.length > 3 ? ["…"] : [])].join(", ");
}

/** Returns the page of a report, with `*` for path segments with digits, so that the pages of all orders become one. */
function toPagePattern({ pageUrl }: ReportedUse): string {
  const { host, pathname } = parseUrl(pageUrl) ?? { host: pageUrl, pathname: "" };
  return host + pathname.replace(/[^/]*\d[^/]*/g, "*");
}

/** Returns a key for a report. Reports with the same key concern the same source. */
function makeKey({ kind, url, sample = "" }: ReportedUse): string {
  if (isListed(kind, url)) return kind;
  return [kind, nameUse(url), ...(url === "inline" ? [sample] : [])].join(" ");
}

function judge(reported: readonly [ReportedUse, ...ReportedUse[]], sha256: ReportOptions["sha256"]) {
  const [{ kind, url, pageUrl, sample = "" }] = reported;
  const named =
    url === "inline" && sample !== ""
      ? clean(`inline ${sample}`)
      : nameSome(reported.map((one) => nameUse(one.url)));
  const where = `${nameKind(kind)}: ${named} (${pluralize(reported.length, "report")}, one of them on ${clean(pageUrl)})`;
  const isInline = kind === "script" && url === "inline";
  if (!isInline && (!loadedKinds.has(kind) || url === "inline")) {
    const why = isListed(kind, url) ? "which the service lists" : notWise;
    return { remark: note("reports-not-used", `Not suggested from reports: ${where}, ${why}.`) };
  }
  const leftOut = (why: string) => ({
    remark: warning("left-out-of-reports", `LEFT OUT of the reports, ${why}: ${where}.`),
  });
  const noise = explainNoise(reported);
  if (noise !== undefined) return leftOut(noise);
  const policies = reported.map(({ policy }) => policy);
  if (isInline) {
    const isWhole = sample !== "" && [...sample].length < sampleLength && !/(?:…|\.\.\.)$/.test(sample);
    if (!isWhole) return { remark: warning("inline-not-known", `NOT ALLOWED: ${where}. ${longer}`) };
    const hash = `'sha256-${sha256(sample)}'`;
    const text = `Allowed by ${hash}: the inline script ${clean(sample)}, which must have no white space around it in its element. Check that it is yours.`;
    const wanted = { directive: "script-src", items: [], hashes: [hash], policies };
    return { wanted, remark: note("inline-by-hash", text) };
  }
  const [scheme = ""] = /^[a-z][a-z0-9+.-]*:/i.exec(url) ?? [];
  const items = readItems(reported.map(toItem));
  if (textSchemes[scheme]?.includes(kind) === false || items.some((read) => exclude(read, {}, undefined)))
    return leftOut("not safe to allow");
  if (items.some(({ url }) => url && url.host !== "" && parseSource(url.host).kind === "invalid"))
    return leftOut("on a host that no source can name");
  return { wanted: { directive: generalName(toDirective(kind)), items, hashes: [], policies } };
}

function toItem({ url, pageUrl: firstPageUrl, time }: ReportedUse): SeenItem {
  const seen = time === undefined ? undefined : new Date(time).toISOString();
  const life = seen && { firstSeenAt: seen, lastSeenAt: seen };
  return { kind: "connection", item: { url, firstPageUrl, ...life } };
}

function isListed(kind: RequestKind, url: string): boolean {
  return kind === "connection" || (kind === "script" && !/^(?:inline|(?:wasm-)?eval)$/.test(url));
}

/** Returns why reports are probably noise, from an extension, a scanner or one visitor's network. Undefined if they are not. */
function explainNoise(reported: readonly ReportedUse[]): string | undefined {
  if (reported.length === 1) return "reported once";
  const visitors = new Set(reported.map(({ visitor }) => visitor));
  if (visitors.size === 1 && !visitors.has(undefined)) return "reported by one visitor";
  const times = reported.map(({ time = Number.NaN }) => time).sort((a, b) => a - b);
  const isShort = (times.at(-1) ?? 0) - (times[0] ?? 0) < hourMs;
  return isShort && !times.some(Number.isNaN) ? "reported within one hour only" : undefined;
}

/** Returns the sources of the reported policies that the new list must keep, because it replaces the lists of these policies. */
function keepSources(policies: readonly string[], directive: string): readonly string[] {
  // The service's lists show which scripts to allow.
  if (directive === "script-src") return [];
  return [...new Set(policies)]
    .flatMap((policy) => decidingDirective(parse(policy), directive)?.values ?? [])
    .map((value) => canonicalizeSource(value))
    .filter((value) => {
      const { kind } = parseSource(value);
      if (kind === "host" || kind === "scheme" || kind === "star" || value === "'self'") return true;
      return directive === "style-src" && (kind === "hash" || value === "'unsafe-inline'");
    });
}

const whyEndless =
  "Such a list can never be complete, and every host that is missing from it would be blocked. The usual cause is 3-D Secure: the page shows a frame of the customer's bank, or sends a form to the bank, and each bank has its own host. If that host is blocked, the payment fails. With a strict script-src, allowing https: here is a small risk.";
const withoutPolicy =
  "THE REPORTS DO NOT CONTAIN THEIR POLICY: browsers do not report what that policy allows, so its sources are not in these lists. Add them.";
const notWise = "which a policy should preferably not allow: change the page, or add the source with care";
const longer =
  "Reports contain at most the first 40 characters, and only if the policy has 'report-sample': move the script into a file, or add the hash that the browser's console shows.";
