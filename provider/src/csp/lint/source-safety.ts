import { shown } from "../finding";
import { isLocalHost } from "../match/local-host";
import type { HostSource } from "../syntax/source";
import type { Subject, Verdict } from "./source-rule";

// Rules about single sources that can be read, and are unwise.

export function queryInSource({ value, source }: Subject): Verdict | undefined {
  if (source.kind !== "host" || !/[?#]/.test(value)) return undefined;
  return {
    ruleId: "query-in-source",
    severity: "medium",
    message: `Browsers ignore everything from ? or # on in ${shown(value)}: any query is allowed. Leave it out.`,
    syntax: true,
  };
}

export function httpSource({ value, source, isForScripts }: Subject): Verdict | undefined {
  if (
    (source.kind !== "host" && source.kind !== "scheme") ||
    (source.scheme !== "http" && source.scheme !== "ws")
  ) {
    return undefined;
  }
  return {
    ruleId: "http-source",
    severity: isForScripts ? "medium" : "low",
    message:
      `${shown(value)} also allows unencrypted loading, which anybody on the way can change. ` +
      `Write ${source.scheme}s: it matches the encrypted form only.`,
    syntax: false,
  };
}

/** Chrome 95 and Firefox 90 were the first without FTP. */
export function ftpSource({ value, source }: Subject): Verdict | undefined {
  if ((source.kind !== "host" && source.kind !== "scheme") || source.scheme !== "ftp") return undefined;
  return {
    ruleId: "ftp-source",
    severity: "info",
    message: `Browsers load nothing over FTP any more, so ${shown(value)} allows nothing. Leave it out.`,
    syntax: false,
  };
}

/** What scripts come from on the web; `data:` and whole schemes of these are findings of their own. */
const SCRIPT_SCHEMES: ReadonlySet<string> = new Set(["http", "https", "ws", "wss", "data"]);

export function scriptScheme({ value, source, isForScripts }: Subject): Verdict | undefined {
  if (!isForScripts || (source.kind !== "host" && source.kind !== "scheme")) return undefined;
  if (source.scheme === undefined || SCRIPT_SCHEMES.has(source.scheme)) return undefined;
  return {
    ruleId: "script-scheme",
    severity: "medium",
    message: `${shown(value)} allows scripts that ${whoseScripts(source.scheme)}. Leave it out.`,
    syntax: false,
  };
}

function whoseScripts(scheme: string): string {
  if (scheme === "blob" || scheme === "filesystem") return "a page makes of texts, injected ones too";
  if (/extension$/.test(scheme)) return "any extension of a visitor's browser brings along";
  return "do not come from the web";
}

export function localSource({ value, source, isForScripts }: Subject): Verdict | undefined {
  if (!isForScripts || source.kind !== "host" || !isLocalHost(source.host)) return undefined;
  return {
    ruleId: "local-source",
    severity: "medium",
    message:
      `${shown(value)} is a host of each visitor's own machine or network: whatever runs there may put scripts into the ` +
      "page. Leave it out of policies for the public.",
    syntax: false,
  };
}

/** Those of the table of values that the service supports; hashes besides (public facts, CSP). */
const LISTED_KEYWORDS: ReadonlySet<string> = new Set(["none", "self", "unsafe-inline", "unsafe-eval"]);

export function unlistedKeyword({ value, source }: Subject): Verdict | undefined {
  const isUnlisted =
    (source.kind === "keyword" && !LISTED_KEYWORDS.has(source.keyword)) ||
    (source.kind === "hash" && source.of !== "content");
  if (!isUnlisted) return undefined;
  const isUrlHash = source.kind === "hash" && source.of === "url";
  return {
    ruleId: "unlisted-keyword",
    severity: "medium",
    message:
      `${shown(value)} is not among what the service lists: 'none', 'self', 'unsafe-inline', 'unsafe-eval' and hashes of ` +
      "scripts and styles. See that the header of a page really has it, and that all browsers know it." +
      (isUrlHash ? " Beside it Chromium lets nothing in for its host, nor for 'self'." : ""),
    syntax: false,
  };
}

export function ipSource({ value, source }: Subject): Verdict | undefined {
  if (source.kind !== "host" || !isIpv4(source)) return undefined;
  return {
    ruleId: "ip-source",
    severity: "info",
    message: `By the standard ${shown(value)} matches nothing, although some browsers do match it. Name a host.`,
    syntax: false,
  };
}

function isIpv4({ host }: HostSource): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(host) && host !== "127.0.0.1";
}
