import { advice, fault, type Unplaced, visible } from "../finding";
import { isLocalHost } from "../match/local-host";
import type { SourceRule, Subject } from "./source-syntax";

/** About single sources that are valid but unwise. */
export const safetyRules: readonly SourceRule[] = [
  ...[unlistedKeyword, queryInSource, scriptScheme, localSource, httpSource, ftpSource, ipSource],
];

function queryInSource({ value, source }: Subject): Unplaced | undefined {
  if (source.kind !== "host" || !/[?#]/.test(value)) return undefined;
  const message = `Browsers ignore everything from ? or # on in ${visible(value)}: any query is allowed. Leave it out.`;
  return { ...fault("query-in-source", message), severity: "medium" };
}

function schemeOf({ source }: Subject): string | undefined {
  return source.kind === "host" || source.kind === "scheme" ? source.scheme : undefined;
}

function httpSource(subject: Subject): Unplaced | undefined {
  const scheme = schemeOf(subject);
  if (scheme !== "http" && scheme !== "ws") return undefined;
  const message =
    `${visible(subject.value)} also allows unencrypted loading, which anyone on the network path can change. ` +
    `Write ${scheme}s: it matches the encrypted form only.`;
  return advice("http-source", subject.isForScripts ? "medium" : "low", message);
}

/** Chrome 95 and Firefox 90 were the first without FTP. */
function ftpSource(subject: Subject): Unplaced | undefined {
  if (schemeOf(subject) !== "ftp") return undefined;
  const message = `Browsers no longer load anything over FTP, so ${visible(subject.value)} allows nothing. Leave it out.`;
  return advice("ftp-source", "info", message);
}

/** Where scripts on the web come from; `data:` and whole schemes of these are findings of their own. */
const scriptSchemes: ReadonlySet<string> = new Set(["http", "https", "ws", "wss", "data"]);

function scriptScheme(subject: Subject): Unplaced | undefined {
  const scheme = schemeOf(subject);
  if (!subject.isForScripts || scheme === undefined || scriptSchemes.has(scheme)) return undefined;
  const message = `${visible(subject.value)} allows scripts that ${whoseScripts(scheme)}. Leave it out.`;
  return advice("script-scheme", "medium", message);
}

function whoseScripts(scheme: string): string {
  if (scheme === "blob" || scheme === "filesystem") return "a page builds from text, including injected text";
  if (/extension$/.test(scheme)) return "any extension of a visitor's browser adds";
  return "do not come from the web";
}

function localSource({ value, source, isForScripts }: Subject): Unplaced | undefined {
  if (!isForScripts || source.kind !== "host" || !isLocalHost(source.host)) return undefined;
  const message =
    `${visible(value)} is a host on each visitor's own machine or network: whatever runs there may add scripts to the ` +
    "page. Leave it out of policies for the public.";
  return advice("local-source", "medium", message);
}

/** The values that the service lists as supported, besides hashes (public facts, CSP), and two that need no word here. */
const listedKeywords: ReadonlySet<string> = new Set([
  ...["none", "self", "unsafe-inline", "unsafe-eval"],
  // The first changes nothing, the second has a rule of its own.
  ...["report-sample", "strict-dynamic"],
]);

function unlistedKeyword({ value, source }: Subject): Unplaced | undefined {
  const isUnlisted =
    (source.kind === "keyword" && !listedKeywords.has(source.keyword)) ||
    (source.kind === "hash" && source.of !== "content");
  if (!isUnlisted) return undefined;
  const isUrlHash = source.kind === "hash" && source.of === "url";
  const message =
    `${visible(value)} is not one of the values that the service lists: 'none', 'self', 'unsafe-inline', 'unsafe-eval' and ` +
    "hashes of scripts and styles. Check that the header of a page contains it and that the browsers you support know it." +
    (isUrlHash ? " Beside it Chromium allows nothing by host or 'self'." : "");
  return advice("unlisted-keyword", "medium", message);
}

function ipSource({ value, source }: Subject): Unplaced | undefined {
  if (source.kind !== "host" || source.host === "127.0.0.1" || !/^\d{1,3}(\.\d{1,3}){3}$/.test(source.host)) {
    return undefined;
  }
  const message = `By the standard ${visible(value)} matches nothing, although some browsers do match it. Name a host.`;
  return advice("ip-source", "info", message);
}
