import type { Connection, ItemStatus, Script } from "../api/client-types";
import { build, type Directives } from "./build";
import { MALICIOUS_BELOW, maliceOf } from "./malice";
import { compile } from "./matches";
import { lowerCase } from "./parse";
import { toRequestUrl, upgraded, withScheme } from "./request-url";
import { hostOf, pageUrlOf, type SeenItem } from "./seen-item";
import { canonicalSource } from "./source-text";
import { byReadingOrder, type Granularity, sourceOf, withoutCovered } from "./suggested-source";

export interface SuggestOptions {
  /** How much one source allows: a whole `host` (default), a `path` with all below it, or one `url`. */
  readonly granularity?: Granularity;
  /** Hosts of one's own whose items become `'self'` on their own pages; every page's own host when absent. */
  readonly firstParty?: readonly string[];
  /** Only items first seen at least so many days before `now`. */
  readonly minAgeDays?: number;
  /** Now, when absent. */
  readonly now?: Date;
  /** Statuses that count: `active` and `infrequent` when absent; an item without one counts. */
  readonly statuses?: readonly ItemStatus[];
  /** Integrity score below which a script counts as malicious; 50. */
  readonly threshold?: number;
  /** What the policy shall have besides; sources are added to its lists. */
  readonly base?: Directives;
}

/**
 * Why an item is not allowed: `malicious`; `status`; `too-new`; `unsafe-scheme`: a script in a `data:` URL, whose
 * permission would allow any script; `not-expressible`: no source can allow it.
 */
export type ExclusionReason = "malicious" | "status" | "too-new" | "unsafe-scheme" | "not-expressible";

export type Excluded = SeenItem & {
  readonly reason: ExclusionReason;
  /** The reason in words: `its integrity score is 12, below 50`. */
  readonly message: string;
};

export interface Suggestion {
  readonly directives: Record<string, string[]>;
  /** The canonical text of `directives`; empty when nothing was given. */
  readonly value: string;
  /** How many items it allows. */
  readonly included: { readonly scripts: number; readonly connections: number };
  /** In the order they were given, scripts first. */
  readonly excluded: readonly Excluded[];
}

const DIRECTIVE_OF = { script: "script-src", connection: "connect-src" } as const;
const SELF = compile("default-src 'self'");
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The smallest readable policy that allows what was seen, malicious items excepted. Every item that was given is
 * either allowed by it or in `excluded`. The same items in another order give the same policy. A kind of which
 * nothing was given gets no directive; one of which everything is excluded gets `'none'`.
 *
 * @throws CspError when `base` cannot be written as a policy.
 */
export function suggest(
  scripts: readonly Script[],
  connections: readonly Connection[],
  options: SuggestOptions = {},
): Suggestion {
  const items: readonly SeenItem[] = [
    ...scripts.map((item) => ({ kind: "script", item }) as const),
    ...connections.map((item) => ({ kind: "connection", item }) as const),
  ];
  const judged = items.map((seen) => ({ seen, excluded: exclude(seen, options) }));
  const wanted = judged.flatMap(({ seen, excluded }) => (excluded === undefined ? [seen] : []));

  const directives = new Map(
    Object.entries(options.base ?? {}).map(([name, values]) => [lowerCase(name), [...values]]),
  );
  for (const kind of ["script", "connection"] as const) {
    const ofKind = wanted.filter((seen) => seen.kind === kind);
    if (items.some((seen) => seen.kind === kind)) addSources(directives, kind, ofKind, options);
  }
  const plain = Object.fromEntries(directives);
  const value = build(plain);

  // Whatever was decided above: what the text does not allow is said.
  const compiled = compile(value);
  const excluded = judged.flatMap(({ seen, excluded: found }): Excluded[] => {
    if (found !== undefined) return [found];
    const isAllowed = compiled.allows({ kind: seen.kind, url: seen.item.url, pageUrl: pageUrlOf(seen) });
    return isAllowed ? [] : [because(seen, "not-expressible", "no source of a policy can allow its URL")];
  });
  const left = (kind: SeenItem["kind"], all: number) =>
    all - excluded.filter((one) => one.kind === kind).length;
  return {
    directives: plain,
    value,
    included: {
      scripts: left("script", scripts.length),
      connections: left("connection", connections.length),
    },
    excluded,
  };
}

function exclude(seen: SeenItem, options: SuggestOptions): Excluded | undefined {
  const { threshold = MALICIOUS_BELOW, statuses = ["active", "infrequent"], minAgeDays } = options;
  const { status, url, firstSeenAt, addedAt } = seen.item;
  const malice = maliceOf(seen, threshold);
  if (malice !== undefined) return because(seen, "malicious", malice);
  if (status !== undefined && !statuses.includes(status))
    return because(seen, "status", `its status is ${status}`);
  if (minAgeDays !== undefined) {
    const ageDays =
      ((options.now ?? new Date()).getTime() - Date.parse(firstSeenAt ?? addedAt ?? "")) / DAY_MS;
    // Not a number: nobody knows since when.
    if (!(ageDays >= minAgeDays)) {
      const since = firstSeenAt ?? addedAt;
      return because(
        seen,
        "too-new",
        since === undefined ? "its age is not known" : `it was first seen at ${since}`,
      );
    }
  }
  if (seen.kind === "script" && /^\s*data:/i.test(url)) {
    return because(seen, "unsafe-scheme", "allowing data: would allow any script that somebody injects");
  }
  return undefined;
}

function because(seen: SeenItem, reason: ExclusionReason, message: string): Excluded {
  return { ...seen, reason, message };
}

function addSources(
  directives: Map<string, string[]>,
  kind: SeenItem["kind"],
  items: readonly SeenItem[],
  options: SuggestOptions,
): void {
  const name = DIRECTIVE_OF[kind];
  const given = (directives.get(name) ?? []).filter((value) => canonicalSource(value) !== "'none'");
  // Without the other directives: a list of its own takes the place of default-src.
  const isUpgrading = directives.has("upgrade-insecure-requests");
  const compiled = compile([name, ...given].join(" ") + (isUpgrading ? "; upgrade-insecure-requests" : ""));
  const own = options.firstParty === undefined ? "all" : new Set(options.firstParty.map(lowerCase));
  const added = new Set<string>();
  for (const seen of items) {
    const page = pageUrlOf(seen);
    if (compiled.allows({ kind, url: seen.item.url, pageUrl: page })) continue;
    const source = isFirstParty(seen, page, own)
      ? "'self'"
      : suggestedSource(seen.item.url, page, isUpgrading, options.granularity ?? "host");
    if (source !== undefined) added.add(source);
  }
  const sources = [...given, ...withoutCovered(added).sort(byReadingOrder)];
  directives.set(name, sources.length === 0 ? ["'none'"] : sources);
}

type OwnHosts = ReadonlySet<string> | "all";

function isFirstParty({ kind, item }: SeenItem, pageUrl: string, own: OwnHosts): boolean {
  return (own === "all" || own.has(hostOf(item.url))) && SELF.allows({ kind, url: item.url, pageUrl });
}

function suggestedSource(
  urlText: string,
  pageUrl: string,
  isUpgrading: boolean,
  granularity: Granularity,
): string | undefined {
  const page = toRequestUrl(withScheme(pageUrl));
  const url = toRequestUrl(urlText, page === undefined ? undefined : withScheme(pageUrl));
  if (url === undefined) return undefined;
  const { pathname } = new URL(urlText, page === undefined ? undefined : withScheme(pageUrl));
  return sourceOf(isUpgrading ? upgraded(url) : url, pathname, page?.scheme ?? "https", granularity);
}
