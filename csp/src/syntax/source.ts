import { toAsciiLowerCase } from "../texts";
import { decodePath, encodePath } from "./request-url";

/** A source that names a host: `https://*.example.com:8443/js/`. */
export interface HostSource {
  readonly kind: "host";
  /** Scheme in lower case. Undefined: the scheme of the page, or its more secure form. */
  readonly scheme?: string | undefined;
  /** Whether the source matches every host below `host`, or every host at all if `host` is empty. */
  readonly isWildcard: boolean;
  /** Host in lower case, without `*.`. */
  readonly host: string;
  /** Port; undefined for the default port of the URL's scheme. */
  readonly port?: number | "*" | undefined;
  /** Path, percent-decoded as in `RequestUrl`; undefined if every path is allowed. A trailing `/` makes it a prefix. */
  readonly path?: string | undefined;
}

const hashAlgorithms = ["sha256", "sha384", "sha512"] as const;

export type Source =
  | { readonly kind: "star" }
  | { readonly kind: "scheme"; readonly scheme: string }
  | HostSource
  /** Keyword in lower case, without quotes: `self`, `unsafe-inline`. */
  | { readonly kind: "keyword"; readonly keyword: string }
  | { readonly kind: "nonce"; readonly nonce: string }
  | {
      readonly kind: "hash";
      /** Subject of the hash: `url` is a script's URL (`'url-sha256-…'`), `eval` is evaluated code (both Chromium only). */
      readonly of: "content" | "url" | "eval";
      readonly algorithm: (typeof hashAlgorithms)[number];
      readonly value: string;
    }
  /** Source that browsers ignore, because they cannot read its `part`. */
  | {
      readonly kind: "invalid";
      readonly part: "keyword" | "nonce" | "hash" | "scheme" | "host" | "port";
    };

/** Keywords of source lists, without quotes. */
export const allKeywords: readonly string[] = (
  "self none unsafe-inline unsafe-eval unsafe-hashes strict-dynamic strict-dynamic-url report-sample wasm-unsafe-eval " +
  "inline-speculation-rules report-sha256 report-sha384 report-sha512 trusted-types-eval"
).split(" ");

/** Reads one source expression by the grammar of CSP Level 3, 2.3.1. Never throws. */
export function parseSource(text: string): Source {
  if (text === "*") return { kind: "star" };
  if (text.startsWith("'")) return parseQuoted(text);
  const colon = text.indexOf(":");
  const slash = text.indexOf("/");
  const hasSlashes = slash === colon + 1 && text.startsWith("//", slash);
  // A scheme is followed by `//`, or its colon ends the text. Any other text is a host, maybe with a port or a path.
  if (colon === -1 || (slash !== -1 && slash < colon) || !(hasSlashes || colon === text.length - 1))
    return parseHostSource(text, undefined);
  const name = toAsciiLowerCase(text.slice(0, colon));
  if (!/^[a-z][a-z0-9+.-]*$/.test(name)) return { kind: "invalid", part: "scheme" };
  return hasSlashes ? parseHostSource(text.slice(colon + 3), name) : { kind: "scheme", scheme: name };
}

function parseQuoted(text: string): Source {
  const quoted = /^'(.*)'$/s.exec(text)?.[1];
  if (quoted === undefined) return { kind: "invalid", part: "keyword" };
  const lower = toAsciiLowerCase(quoted);
  if (allKeywords.includes(lower)) return { kind: "keyword", keyword: lower };
  const [prefix] = /^(?:nonce|(?:url-|eval-)?sha(?:256|384|512))-/.exec(lower) ?? [];
  if (prefix === undefined) return { kind: "invalid", part: "keyword" };
  const value = quoted.slice(prefix.length);
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(value);
  if (prefix === "nonce-")
    return isBase64 ? { kind: "nonce", nonce: value } : { kind: "invalid", part: "nonce" };
  const algorithm = hashAlgorithms.find((one) => prefix.endsWith(`${one}-`));
  if (!isBase64 || algorithm === undefined) return { kind: "invalid", part: "hash" };
  const of = prefix.startsWith("url") ? "url" : prefix.startsWith("eval") ? "eval" : "content";
  return { kind: "hash", of, algorithm, value };
}

function parseHostSource(text: string, scheme: string | undefined): Source {
  // Browsers cut off the query and the fragment.
  const [, hostText = "", portText, pathText = ""] = /^([^:/]*)(?::([^/]*))?([^?#]*)/.exec(text) ?? [];
  const isWildcard = hostText === "*" || hostText.startsWith("*.");
  const host = toAsciiLowerCase(isWildcard ? hostText.slice(2) : hostText);
  if (host === "" ? hostText !== "*" : !hostPattern.test(host)) return { kind: "invalid", part: "host" };
  const port = portText === "*" ? portText : Number(portText);
  // Browsers read the port into a 32-bit integer.
  if (portText !== undefined && port !== "*" && (!/^[0-9]+$/.test(portText) || port > 0x7fffffff))
    return { kind: "invalid", part: "port" };
  const path = decodePath(pathText);
  return {
    kind: "host",
    isWildcard,
    host,
    ...(scheme !== undefined && { scheme }),
    ...(portText !== undefined && { port }),
    ...(path !== "" && { path }),
  };
}

/** Labels of letters, digits and dashes, separated by dots, with an optional dot at the end. */
const hostPattern = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?$/;

/**
 * Returns the canonical spelling of a source, which is equal for sources of equal meaning: schemes, hosts and keywords in lower
 * case, paths percent-encoded in one way, no query. A source that browsers cannot read is returned unchanged.
 */
export function canonicalizeSource(text: string, source = parseSource(text)): string {
  switch (source.kind) {
    case "star":
      return "*";
    case "scheme":
      return `${source.scheme}:`;
    case "keyword":
      return `'${source.keyword}'`;
    case "nonce":
      return `'nonce-${source.nonce}'`;
    case "hash": {
      const prefix = source.of === "content" ? "" : `${source.of}-`;
      return `'${prefix}${source.algorithm}-${source.value}'`;
    }
    case "host": {
      const scheme = source.scheme === undefined ? "" : `${source.scheme}://`;
      const host = source.isWildcard ? (source.host === "" ? "*" : `*.${source.host}`) : source.host;
      const port = source.port === undefined ? "" : `:${source.port}`;
      // The path `/` allows every path, like no path at all.
      const path = source.path === "/" ? "" : encodePath(source.path ?? "");
      const canonical = `${scheme}${host}${port}${path}`;
      // A host source `*` means any host with the scheme and port of the page. Spell it `*/`, because `*` alone allows more.
      return canonical === "*" ? "*/" : canonical;
    }
    case "invalid":
      return text;
  }
}
