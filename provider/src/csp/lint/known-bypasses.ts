import { SourceList } from "../match/source-list";
import { type RequestUrl, toRequestUrl } from "../syntax/request-url";
import { parseSource } from "../syntax/source";
import { callingUrls, gadgetUrls, jsonpUrls } from "./bypass-urls";
import { evaluatorSpelling } from "./evaluator-spelling";

/** What a source allows that helps an attacker, by the lists of csp_evaluator and cspbypass.com. */
export interface Bypass {
  /** Of the first known URL that it allows. */
  readonly host: string;
  /** `JSONP endpoints`, `Angular libraries`. */
  readonly serves: ReadonlySet<string>;
  /** All that an attacker gets is a call of one function of the page, without arguments. */
  readonly isWeak: boolean;
}

const anyPage = { scheme: "https", host: "", path: "/" };

/**
 * Those of the sources that allow a URL which is known to bypass policies. The evaluator's own check compares each
 * source with each of its URLs; this one looks each URL up among the sources.
 */
export function bypassesAmong(sources: Iterable<string>, withEval: boolean): ReadonlyMap<string, Bypass> {
  const bySpelling = new Map<string, Set<string>>();
  for (const source of sources) {
    const spelling = parseSource(source).kind === "host" ? evaluatorSpelling(source) : undefined;
    // Another rule reports `*`.
    if (spelling === undefined || spelling === "*") continue;
    const same = bySpelling.get(spelling);
    if (same === undefined) bySpelling.set(spelling, new Set([source]));
    else same.add(source);
  }
  const spellings = [...bySpelling.keys()];
  const list = new SourceList(spellings);
  const found = new Map<string, { host: string; serves: Set<string>; isWeak: boolean }>();
  for (const { url, serves, needsEval, isWeak } of knownAt(spellings)) {
    // Some serve what is useless without `'unsafe-eval'`.
    if (needsEval && !withEval) continue;
    for (const spelling of list.allowing(url, anyPage)) {
      for (const source of bySpelling.get(spelling) ?? []) {
        const before = found.get(source);
        // Beside a strong one the weak ones are not reported.
        if (before === undefined || (before.isWeak && !isWeak))
          found.set(source, { host: url.host, serves: new Set([serves]), isWeak });
        else if (before.isWeak === isWeak) before.serves.add(serves);
      }
    }
  }
  return found;
}

interface KnownUrl {
  readonly url: RequestUrl;
  readonly serves: string;
  readonly needsEval: boolean;
  readonly isWeak: boolean;
}

/** The known URLs, in the order of the lists, and their places in it by the hosts that sources may name. */
interface KnownUrls {
  readonly all: readonly KnownUrl[];
  readonly byHost: ReadonlyMap<string, readonly number[]>;
  /** By what may follow `*.`. */
  readonly byParent: ReadonlyMap<string, readonly number[]>;
}

/** Read once: they are the same for every policy, and a program may have hundreds, whose hosts are mostly not known. */
let known: KnownUrls | undefined;

/** Those on a host that one of the sources names, or one above it. */
function knownAt(spellings: readonly string[]): KnownUrl[] {
  known ??= indexed(readKnownUrls());
  const { all, byHost, byParent } = known;
  const places = new Set<number>();
  for (const spelling of spellings) {
    const source = parseSource(spelling);
    if (source.kind !== "host") continue;
    for (const place of (source.isWildcard ? byParent : byHost).get(source.host) ?? []) places.add(place);
  }
  return [...places].sort((a, b) => a - b).flatMap((place) => all[place] ?? []);
}

function indexed(all: readonly KnownUrl[]): KnownUrls {
  const byHost = new Map<string, number[]>();
  const byParent = new Map<string, number[]>();
  const note = (index: Map<string, number[]>, key: string, place: number): void => {
    const places = index.get(key);
    if (places) places.push(place);
    else index.set(key, [place]);
  };
  for (const [place, { url }] of all.entries()) {
    note(byHost, url.host, place);
    const labels = url.host.split(".");
    for (const first of labels.keys()) if (first > 0) note(byParent, labels.slice(first).join("."), place);
  }
  return { all, byHost, byParent };
}

function readKnownUrls(): readonly KnownUrl[] {
  const jsonp =
    require("csp_evaluator/dist/allowlist_bypasses/jsonp") as typeof import("csp_evaluator/dist/allowlist_bypasses/jsonp");
  const angular =
    require("csp_evaluator/dist/allowlist_bypasses/angular") as typeof import("csp_evaluator/dist/allowlist_bypasses/angular");
  const needEval: ReadonlySet<string> = new Set(jsonp.NEEDS_EVAL);
  const read =
    (serves: string, { mayNeedEval = false, isWeak = false } = {}) =>
    (text: string) => {
      const url = toRequestUrl(`https://${text.replace(/^\/\//, "")}`);
      const needsEval = mayNeedEval && url !== undefined && needEval.has(url.host);
      return url === undefined ? [] : [{ url, serves, needsEval, isWeak }];
    };
  return [
    ...jsonp.URLS.flatMap(read("JSONP endpoints", { mayNeedEval: true })),
    ...angular.URLS.flatMap(read("Angular libraries")),
    ...jsonpUrls.flatMap(read("JSONP endpoints")),
    ...gadgetUrls.flatMap(read("libraries that run code from attributes")),
    ...callingUrls.flatMap(read("scripts that call a function named in the URL", { isWeak: true })),
  ];
}
