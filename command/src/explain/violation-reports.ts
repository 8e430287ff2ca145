import { kindDecidedBy, type ReportedUse, requestUrl, withScheme } from "page-guard-csp";
import { parseJson, pluralize } from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal } from "../documents/escape";
import { CommandError } from "../shared/command-error";
import { withoutEnforcedOnly } from "./held-policies";

export interface ReportedRequest extends Omit<ReportedUse, "kind"> {
  /** Kind of the request; absent if the directive in the report does not determine it. */
  readonly kind?: ReportedUse["kind"];
  readonly directive: string;
  /** Whether the policy only logged, and blocked nothing. */
  readonly isOnlyReported: boolean;
}

const fields = z.record(z.string(), z.unknown());

/** Schema of a report from `report-uri` or the Reporting API. A collector may add the time of receipt and the sender. */
const reportSchema = z.object({
  type: z.string().optional(),
  url: z.string().optional(),
  timestamp: z.unknown().optional(),
  user_agent: z.string().optional().catch(undefined),
  "csp-report": fields.optional(),
  body: fields.optional(),
});

/** Schema of a line of `page_shield_events`, the Logpush data set of violations. A Logpush job may omit fields. */
const eventSchema = z.object({
  CSPDirective: z.string(),
  PageURL: z.string(),
  URL: z.string(),
  Action: z.string().optional(),
  Timestamp: z.unknown().optional(),
});

/** Returns the violation that a report in any of the formats describes; undefined if a required field is missing. */
function readViolation(content: unknown) {
  const event = eventSchema.safeParse(content).data;
  if (event !== undefined) {
    const { PageURL: pageUrl, URL: url, CSPDirective: directive, Action: action, Timestamp: time } = event;
    const none = { policy: "", sourceFile: "", sample: undefined, visitor: undefined };
    return {
      ...none,
      pageUrl,
      url,
      directive,
      isOnlyReported: action !== undefined && action !== "allow",
      time: readTime(time),
    };
  }
  const report = reportSchema.safeParse(content).data ?? {};
  const of = report["csp-report"] ?? report.body ?? {};
  const text = (...names: readonly string[]) =>
    names.map((name) => of[name]).find((one): one is string => typeof one === "string" && one !== "");
  const pageUrl = text("document-uri", "documentURL", "documentURI") ?? report.url;
  const isWhole = ["blocked-uri", "blockedURL", "blockedURI", "effectiveDirective"].some(
    (name) => name in of,
  );
  if (pageUrl === undefined || !isWhole) return undefined;
  return {
    pageUrl,
    url: text("blocked-uri", "blockedURL", "blockedURI") ?? "",
    directive: text("effective-directive", "violated-directive", "effectiveDirective") ?? "",
    policy: text("original-policy", "originalPolicy") ?? "",
    isOnlyReported: text("disposition") === "report",
    sourceFile: text("source-file", "sourceFile") ?? "",
    sample: text("script-sample", "sample"),
    visitor: report.user_agent,
    time: readTime(report.timestamp),
  };
}

/** Returns a time in milliseconds. The value is a date string, or a number in s, ms, µs or ns; its magnitude shows the unit. */
function readTime(value: unknown): number {
  if (typeof value !== "number") return new Date(typeof value === "string" ? value : "").getTime();
  const unit = [1e17, 1e14, 1e11].findIndex((least) => value >= least);
  return value * ([1e-6, 1e-3, 1][unit] ?? 1000);
}

/**
 * Reads one report, a list of reports, or one report per line, from `report-uri`, the Reporting API or the log of the service.
 * `readLine` reads a line that is not JSON: a URL, or a message from a browser's console. Returns the requests that can be
 * explained. `skipped` says why other requests cannot be explained, and counts entries that are not reports. Such entries are no
 * error, because anyone can send entries to a collector of reports. The texts in `skipped` are safe to show.
 *
 * @throws CommandError if there are entries, but none of them is a report.
 */
export function readReports(
  text: string,
  file = "-",
  readLine?: (line: string) => ReportedRequest | undefined,
) {
  const skipped = new Map<string, number>();
  const requests: ReportedRequest[] = [];
  const faults: string[] = [];
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  for (const { content, place, line } of splitDocuments(text)) {
    const read = content === undefined ? readLine?.(line) : toReported(content);
    const notRead =
      readLine === undefined || /[[{]/.test(line)
        ? "it is not JSON"
        : `${forTerminal(line, 200)} is neither a URL nor a message from a browser's console`;
    const fault = content === undefined ? notRead : "fields are missing";
    if (read === undefined) faults.push(`${fault} (${place})`);
    else if (typeof read === "string") skip(read);
    else requests.push(read);
  }
  const [first] = faults;
  if (first !== undefined && requests.length + skipped.size === 0) throw notAReport(first, file);
  const counted = [...skipped].map(([reason, count]) =>
    count === 1 ? reason : `${reason} (${count} reports)`,
  );
  const none =
    first &&
    `${pluralize(faults.length, "entry is not a violation report", "entries are not violation reports")}; the first: ${first}`;
  return { requests, skipped: [...counted, ...(none ? [none] : [])] };
}

/** Returns the request of a report, or the reason why it cannot be explained; undefined if the content is not a report. */
function toReported(content: unknown): ReportedRequest | string | undefined {
  const type = reportSchema.pick({ type: true }).safeParse(content).data?.type;
  if (type !== undefined && !/^csp(?:-violation)?$/.test(type))
    return `a report of type ${forTerminal(type, 100)} is not about a policy`;
  const violation = readViolation(content);
  return violation && toRequest(violation);
}

const plainText =
  "require-trusted-types-for does not let plain text become code; pass the text through a Trusted Types policy";
const unnamed = "trusted-types does not name the Trusted Types policy that a script creates";

/**
 * Explanations for directives whose reports do not identify the blocked request or its kind. Reports about these directives get
 * such an explanation instead of being skipped.
 */
export const reasonByDirective: Readonly<Record<string, string>> = {
  "default-src": "no source of default-src allows it; the report does not say what kind of request it is",
  "prefetch-src": "no source of prefetch-src allows it; most browsers do not know this directive",
  "frame-ancestors":
    "frame-ancestors does not name the page that frames this one; reports do not say which page that is",
  sandbox: "sandbox lacks the keyword, such as allow-scripts, that permits the action of the page",
  "require-trusted-types-for": plainText,
  "trusted-types-sink": plainText,
  "trusted-types": unnamed,
  "trusted-types-policy": unnamed,
};

/** Schemes of the URLs that browser extensions add to pages. */
const extension =
  /^(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension|webkit-masked-url|user-script)\b/i;
/** Schemes of the URLs that a page can load. Any other URL belongs to an app or to the browser itself. */
const ofTheWeb = /^(?:https?|wss?|ftp|data|blob|filesystem|mediastream|about|javascript):$/;
/** Hosts that serve copies of pages with the policies of these pages: translation services, caches and archives. */
const copies =
  /(?:^|\.)(?:translate\.goog|googleusercontent\.com|archive\.(?:org|today|ph|is|li)|baiducontent\.com|papago\.naver\.net|translatoruser-int\.com|bingj\.com|turbopages\.org|yandexwebcache\.net|translatetheweb\.com)$/i;
/** Hosts of the scripts that virus scanners add to every page that a visitor opens. */
const scanner = /^(?:https?|wss?):\/\/(?:[a-z0-9-]+\.)*kaspersky-labs\.com(?:[:/]|$)/i;

/** Returns the request of a violation, or the reason why it cannot be explained. */
function toRequest(read: NonNullable<ReturnType<typeof readViolation>>): ReportedRequest | string {
  const { pageUrl, url, policy, isOnlyReported, sample, visitor, time } = read;
  // Older browsers report the directive with its sources.
  const [directive = ""] = read.directive.trim().toLowerCase().split(/\s/);
  const kind = kindDecidedBy(directive);
  const isTrustedTypes = url.startsWith("trusted-types");
  const asked = isTrustedTypes ? url : readBlockedUrl(url);
  if ([url, read.sourceFile].some((one) => extension.test(one)))
    return "from a visitor's browser extension, not from the page";
  const { protocol = "" } = requestUrl(asked) ?? {};
  if (!isTrustedTypes && !isWord(asked) && !ofTheWeb.test(protocol))
    return "for a URL of a visitor's app or browser, which no page can load";
  const page = requestUrl(pageUrl);
  if (!/^https?:$/.test(page?.protocol ?? "") || copies.test(page?.hostname ?? ""))
    return "from a copy of a page on another host or from a document without a host, not from a page in the zone";
  if (scanner.test(url)) return "from a visitor's virus scanner, not from the page";
  if (kind === undefined && !Object.hasOwn(reasonByDirective, directive))
    return `a violation of ${forTerminal(directive, 100) || "an unnamed directive"} has no URL to explain`;
  return {
    pageUrl: withScheme(pageUrl),
    isOnlyReported,
    directive: isTrustedTypes ? url : directive,
    url: protocol === "https:" ? withScheme(asked) : asked,
    // The nonces differ in each response. Replaces them, so that policies that differ only in nonces become equal.
    policy: (isOnlyReported ? withoutEnforcedOnly(policy) : policy).replace(/'nonce-[^']*'/gi, "'nonce-x'"),
    ...(kind && !isTrustedTypes && { kind }),
    ...(sample && { sample }),
    ...(visitor && { visitor }),
    ...(!Number.isNaN(time) && { time }),
  };
}

function readBlockedUrl(blocked: string): string {
  // Older browsers report inline code as `self` or as an empty string.
  if (blocked === "" || blocked === "self") return "inline";
  // For a URL without a host, browsers report only the scheme.
  return !isWord(blocked) && /^[a-z][a-z0-9+-]*$/i.test(blocked) ? `${blocked}:` : blocked;
}

/** Whether a report has a word such as `inline` instead of a URL. */
export function isWord(url: string): boolean {
  return /^(?:inline|(?:wasm-)?eval)$/.test(url);
}

/** Splits one JSON document, or several with one on each line, into entries. `content` is undefined for a line that is not JSON. */
function splitDocuments(text: string) {
  const whole = parseDocument(text);
  if (whole !== undefined)
    return [whole].flat().map((content, index) => ({ content, line: "", place: `entry ${index + 1}` }));
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    return [parseDocument(line)]
      .flat()
      .map((content: unknown) => ({ content, line, place: `line ${index + 1}` }));
  });
}

/** Parses a JSON document. Returns undefined for anything else, and for a JSON string, which may be a URL in quotes. */
function parseDocument(text: string): unknown {
  const content = parseJson(text);
  return typeof content === "string" ? undefined : content;
}

function notAReport(reason: string, file: string): CommandError {
  const source = file === "-" ? "Standard input" : forTerminal(file, 200);
  return new CommandError(
    `${source} is not a violation report: ${reason}. Pass reports as browsers send them (objects with "csp-report", or with type "csp-violation"), or lines of the Logpush data set page_shield_events.`,
  );
}
