import { isAboveOwners, publishedBy } from "../hosts/anyone-publishes";
import { SourceList } from "../match/source-list";
import { networkSchemes } from "../match/source-match";
import { decidingDirective, missingPermission } from "../syntax/directives";
import type { ParsedDirective, ParsedPolicy } from "../syntax/parse";
import { type HostSource, parseSource, type Source } from "../syntax/source";
import { enumerate, groupBy, toAsciiLowerCase, toVisible } from "../texts";
import { findBypass, findKnownBad } from "./known-bypasses";
import {
  type Finding,
  type LintRuleId,
  placeInDirective,
  placeInPolicy,
  say,
  type Unplaced,
} from "./lint-rules";

/** Finds sources and keywords that let injected code run or send data. Loads the data about hosts on first use. */
export function* lintSecurity(policy: ParsedPolicy): Iterable<Finding> {
  yield* lintInline(policy);
  if (policy.directives.length === 0) return;
  yield* lintSending(policy);
  const scripts = findDeciders(policy, "script-src", "script-src-elem", "script-src-attr");
  for (const [name, ruleId] of missing) {
    const isThere = name === "script-src" ? scripts.size > 0 : decidingDirective(policy, name);
    if (isThere || missingPermission(policy, name)) continue;
    const verdict = say(ruleId);
    // Scripts that are allowed by a nonce or a hash may load other scripts relative to the base URL.
    const isWorse = name === "base-uri" && trustsScripts(policy);
    yield {
      ...placeInPolicy(policy, isWorse ? { ...verdict, severity: "medium" } : verdict),
      directive: name,
    };
  }
  const ofUrls = scriptLists(policy);
  for (const directive of scripts) yield* lintScripts(directive, ofUrls.has(directive));
  for (const base of findDeciders(policy, "base-uri"))
    for (const [index, value] of base.values.entries()) {
      const verdict = fromAnywhere(parseSource(value), value, base.name);
      if (verdict !== undefined) yield placeInDirective(base, verdict, index);
    }
  const objects = decidingDirective(policy, "object-src");
  const open = objects?.values.findIndex((value) => loads.has(parseSource(value).kind)) ?? -1;
  if (objects !== undefined && open !== -1) yield placeInDirective(objects, say("security-object-src"), open);
}

/** Returns the directives that decide about scripts with a URL: two if the policy has its own list for script elements. */
export function scriptLists(policy: ParsedPolicy): ReadonlySet<ParsedDirective> {
  return findDeciders(policy, "script-src", "script-src-elem");
}

function findDeciders(policy: ParsedPolicy, ...names: readonly string[]): ReadonlySet<ParsedDirective> {
  return new Set(names.flatMap((name) => decidingDirective(policy, name) ?? []));
}

const missing: readonly (readonly [string, LintRuleId])[] = [
  ["base-uri", "missing-base-uri"],
  ["form-action", "missing-form-action"],
  ["frame-ancestors", "missing-frame-ancestors"],
  ["script-src", "security-missing-script-src"],
  ["object-src", "security-missing-object-src"],
];

const loads: ReadonlySet<Source["kind"]> = new Set(["star", "host", "scheme"] as const);

const inlineKinds = [
  ["script-src-elem", "inline scripts"],
  ["script-src-attr", "event handlers"],
  ["style-src-elem", "inline styles"],
  ["style-src-attr", "style attributes"],
] as const;

function* lintInline(policy: ParsedPolicy): Iterable<Finding> {
  const deciding = groupBy(inlineKinds, ([directive]) => decidingDirective(policy, directive));
  for (const [list, kinds] of deciding) {
    if (list === undefined) continue;
    const what = enumerate(kinds.map(([, kind]) => kind));
    const index = list.values.findIndex((value) => toAsciiLowerCase(value) === "'unsafe-inline'");
    if (index === -1) yield placeInDirective(list, say("blocks-inline", list.name, what));
    else if (list.values.some(isHash)) yield placeInDirective(list, say("dead-unsafe-inline", what), index);
  }
}

/** Finds lists that let the page send data to any host. */
function* lintSending(policy: ParsedPolicy): Iterable<Finding> {
  const [connections, images, forms] = ["connect-src", "img-src", "form-action"].map((name) => {
    const list = decidingDirective(policy, name);
    const open = list?.values.map((value) => openTo(parseSource(value))) ?? ["any host"];
    return { list, to: open.find((to) => to !== undefined) };
  });
  const everywhere = say("unrestricted-sending");
  const [open, how] = connections?.to
    ? [connections, ""]
    : [images?.to ? images : undefined, " in the URL of an image, whatever connect-src says"];
  if (connections?.to && images?.to && forms?.to) yield placeInPolicy(policy, everywhere);
  // A list that also decides about scripts already has a finding.
  else if (open?.list !== undefined && open.list !== decidingDirective(policy, "script-src")) {
    const message = `${open.list.name} allows ${open.to}, so an injected script can send data there${how}. Name the hosts.`;
    yield placeInDirective(open.list, { ...everywhere, message });
  }
  // An open form-action is as bad as a missing one. Other rules report `*` in base-uri and frame-ancestors.
  if (forms?.to && forms.list !== undefined) {
    const message = `form-action allows ${forms.to}, as if it were missing: forms may be sent anywhere. Write form-action 'self', or the hosts that receive forms.`;
    yield placeInDirective(forms.list, { ...say("missing-form-action"), message });
  }
}

/**
 * Describes the hosts that a source allows, if an attacker can get one of them: any host, or any host below `com` or
 * `workers.dev`. Otherwise undefined. By the standard, `ws:` and `wss:` allow https too.
 */
function openTo(source: Source): string | undefined {
  const { kind } = source;
  if (kind === "star" || (kind === "scheme" && networkSchemes.has(source.scheme))) return "any host";
  if (kind !== "host" || !source.isWildcard || !networkSchemes.has(source.scheme ?? "https"))
    return undefined;
  if (source.host === "") return "any host";
  return isAboveOwners(source.host) ? `any host below ${source.host}` : undefined;
}

function trustsScripts(policy: ParsedPolicy): boolean {
  return (decidingDirective(policy, "script-src")?.values ?? []).some(
    (value) =>
      toAsciiLowerCase(value) === "'strict-dynamic'" || isHash(value) || parseSource(value).kind === "nonce",
  );
}

function isHash(value: string): boolean {
  const source = parseSource(value);
  return source.kind === "hash" && source.of === "content";
}

/** Checks a list that applies to scripts. Its hosts matter only if it decides about scripts with a URL (`isOfUrls`). */
function* lintScripts(directive: ParsedDirective, isOfUrls: boolean): Iterable<Finding> {
  const list = new SourceList(directive.values);
  const withEval = list.hasKeyword("unsafe-eval");
  for (const [index, value] of directive.values.entries()) {
    const source = parseSource(value);
    const ruleId = source.kind === "keyword" ? keywords.get(source.keyword) : undefined;
    const isInline = ruleId === "security-unsafe-inline";
    const isDead = isInline && (!list.allowsAllInline || list.isStrictDynamic);
    if (ruleId !== undefined && !isDead) yield placeInDirective(directive, say(ruleId), index);
    if (list.ignoresHostsOfScripts) continue;
    const open = fromAnywhere(source, value, directive.name);
    if (open !== undefined) yield placeInDirective(directive, open, index);
    if (source.kind !== "host" || !isOfUrls) continue;
    for (const verdict of lintSource(source, value, withEval))
      yield placeInDirective(directive, verdict, index);
  }
}

const keywords: ReadonlyMap<string, LintRuleId> = new Map([
  ["unsafe-inline", "security-unsafe-inline"],
  ["unsafe-eval", "security-unsafe-eval"],
  ["unsafe-hashes", "security-unsafe-hashes"],
] as const);

function fromAnywhere(source: Source, value: string, directive: string): Unplaced | undefined {
  const isData = source.kind === "scheme" && source.scheme === "data";
  // The rule `security-anyone-publishes` reports `*.com`, in more detail.
  if (!isData && openTo(source) !== "any host") return undefined;
  if (source.kind !== "scheme") return say("security-wildcard", directive);
  const what = isData ? "injected text as a script" : "scripts of any host";
  return say("security-plain-scheme", value, directive, what);
}

function* lintSource(source: HostSource, value: string, withEval: boolean): Iterable<Unplaced> {
  const bad = findKnownBad(source.host);
  if (bad !== undefined) {
    yield say("security-known-bad", toVisible(value), bad);
    return;
  }
  const bypass = findBypass(source, withEval);
  if (bypass !== undefined) {
    const serves = enumerate(bypass.serves);
    const { path = "/" } = source;
    const exact = path === "/" ? "the path or the exact URL" : "the exact URL";
    const wayOut = path.endsWith("/")
      ? `Name ${exact} that you need.`
      : "Load the script from your own host, or remove it.";
    const message = `${bypass.host} is known to host ${serves}: check that no function of the page does harm when it is called.`;
    const verdict = say("security-bypass", bypass.host, serves, wayOut);
    yield bypass.isWeak ? { ...verdict, severity: "low", message } : verdict;
  }
  const published = publishedBy(source);
  if (published === undefined) return;
  const verdict = say("security-anyone-publishes", published.why, published.instead);
  yield published.isWildcard ? { ...verdict, severity: "high" } : verdict;
}
