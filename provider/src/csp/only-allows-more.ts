import { FALLBACKS, isSourceListDirective } from "./directives";
import { equalPolicies, sourceMap } from "./equal";
import { findDirective, type ParsedPolicy, parse } from "./parse";
import { type HostSource, parseSource, type Source } from "./source";

/** They say where reports go, or whether they show a sample: nothing is allowed or blocked by them. */
const REPORTING: ReadonlySet<string> = new Set([
  "'report-sample'",
  "'report-sha256'",
  "'report-sha384'",
  "'report-sha512'",
]);

/**
 * Whether everything that the old policy allows is surely allowed by the new one. Decided source by source, never by
 * several together, so false may also mean "not seen": of what is true nothing gets blocked that was not before.
 */
export function onlyAllowsMore(oldValue: string, newValue: string): boolean {
  if (equalPolicies(oldValue, newValue)) return true;
  // Several policies in one text, or directives that browsers cannot read: too odd to reason about.
  if (oldValue.includes(",") || newValue.includes(",")) return false;
  const before = parse(oldValue);
  const after = parse(newValue);
  if ([...before.ignored, ...after.ignored].some(({ reason }) => reason !== "duplicate")) return false;
  return sameOthers(before, after) && [...FALLBACKS].every(([, names]) => coversList(before, after, names));
}

/** Directives that are no source lists (`sandbox`, `upgrade-insecure-requests`): as they were. */
function sameOthers(before: ParsedPolicy, after: ParsedPolicy): boolean {
  const others = (policy: ParsedPolicy) =>
    policy.directives
      .filter(({ name }) => !isSourceListDirective(name))
      .map(({ name, values }) => [name, ...values].join(" "))
      .sort()
      .join(";");
  return others(before) === others(after);
}

function coversList(before: ParsedPolicy, after: ParsedPolicy, names: readonly string[]): boolean {
  const newList = findDirective(after, names);
  if (newList === undefined) return true;
  const oldList = findDirective(before, names);
  if (oldList === undefined) return false;
  const oldSources = sourceMap(oldList.values);
  const newSources = sourceMap(newList.values);
  const candidates = [...newSources.values()].map(parseSource);
  const isCovered = ([canonical, text]: [string, string]) =>
    newSources.has(canonical) || REPORTING.has(canonical) || coversSource(candidates, parseSource(text));
  return [...oldSources].every(isCovered) && keepsInline(oldSources, newSources);
}

type Sources = ReadonlyMap<string, string>;

/** A hash, a nonce or `'strict-dynamic'` that is added takes `'unsafe-inline'`, or all hosts, away. */
function keepsInline(before: Sources, after: Sources): boolean {
  if (after.has("'strict-dynamic'") && !before.has("'strict-dynamic'")) return false;
  const hasHash = (sources: Sources) => [...sources.keys()].some((text) => /^'(nonce|sha\d+)-/.test(text));
  return !before.has("'unsafe-inline'") || hasHash(before) || !hasHash(after);
}

function coversSource(candidates: readonly Source[], source: Source): boolean {
  return source.kind === "invalid" || candidates.some((candidate) => covers(candidate, source));
}

/** Whether `wide` matches each URL that `narrow` matches, on whatever page. */
function covers(wide: Source, narrow: Source): boolean {
  if (wide.kind === "star") {
    if (narrow.kind === "keyword") return narrow.keyword === "self";
    return (narrow.kind === "scheme" || narrow.kind === "host") && isNetwork(narrow.scheme);
  }
  if (wide.kind === "scheme") {
    if (narrow.kind === "scheme") return isSameOrUpgrade(wide.scheme, narrow.scheme);
    // Without a scheme it is that of the page: http or https.
    return narrow.kind === "host" && isSameOrUpgrade(wide.scheme, narrow.scheme ?? "http");
  }
  return wide.kind === "host" && narrow.kind === "host" && coversHost(wide, narrow);
}

/** Undefined: the scheme of the page, which `*` always matches. */
function isNetwork(scheme: string | undefined): boolean {
  return scheme === undefined || ["http", "https", "ws", "wss"].includes(scheme);
}

function isSameOrUpgrade(from: string, to: string): boolean {
  return from === to || (from === "http" && to === "https") || (from === "ws" && to === "wss");
}

function coversHost(wide: HostSource, narrow: HostSource): boolean {
  return coversOrigin(wide, narrow) && coversName(wide, narrow) && coversPath(wide.path, narrow.path);
}

function coversOrigin(wide: HostSource, narrow: HostSource): boolean {
  const isAnyPort = wide.port === "*";
  if (wide.scheme === narrow.scheme) return isAnyPort || wide.port === narrow.port;
  if (wide.scheme === undefined) return false;
  // An upgrade of the scheme goes only with one of the port: both left open, or any.
  const areOpen = wide.port === undefined && narrow.port === undefined;
  return isSameOrUpgrade(wide.scheme, narrow.scheme ?? "http") && (isAnyPort || areOpen);
}

function coversName(wide: HostSource, narrow: HostSource): boolean {
  if (!wide.isWildcard) return !narrow.isWildcard && wide.host === narrow.host;
  if (wide.host === "") return true;
  if (narrow.isWildcard && wide.host === narrow.host) return true;
  return narrow.host.endsWith(`.${wide.host}`);
}

function coversPath(wide: string | undefined, narrow: string | undefined): boolean {
  if (wide === undefined || wide === narrow) return true;
  if (narrow === undefined) return false;
  return wide.endsWith("/") && narrow.startsWith(wide);
}
