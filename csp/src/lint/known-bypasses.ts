import { SourceList } from "../match/source-list";
import { type RequestUrl, toRequestUrl, unknownPage } from "../syntax/request-url";
import { parseSource } from "../syntax/source";
import { grouped } from "../texts";
import { callingUrls, gadgetUrls, jsonpUrls } from "./bypass-urls";
import { evaluatorSpelling } from "./evaluator-spelling";

/** What a source allows that helps an attacker, by the lists of csp_evaluator and of `bypass-urls`. */
export interface Bypass {
  /** Of the first known URL that it allows. */
  readonly host: string;
  /** `JSONP endpoints`, `Angular libraries`. */
  readonly serves: ReadonlySet<string>;
  /** All that an attacker gets is a call of one function of the page, without arguments. */
  readonly isWeak: boolean;
}

/**
 * Those of the sources that allow a URL which is known to bypass policies. The evaluator's own check compares each
 * source with each of its URLs; this one looks each URL up among the sources.
 */
export function bypassesAmong(sources: Iterable<string>, withEval: boolean): ReadonlyMap<string, Bypass> {
  const hosts = [...new Set(sources)].flatMap((source) => {
    const spelling = parseSource(source).kind === "host" ? evaluatorSpelling(source) : undefined;
    // Another rule reports `*`.
    return spelling === undefined || spelling === "*" ? [] : [{ source, spelling }];
  });
  const bySpelling = grouped(hosts, ({ spelling }) => spelling);
  const spellings = [...bySpelling.keys()];
  const list = new SourceList(spellings);
  const allowed = knownAt(spellings)
    // Some serve what is useless without `'unsafe-eval'`.
    .filter(({ needsEval }) => !needsEval || withEval)
    .flatMap((known) => list.allowing(known.url, unknownPage).map((spelling) => ({ ...known, spelling })));
  const bypasses = [...grouped(allowed, ({ spelling }) => spelling)].flatMap(([spelling, all]) => {
    const strong = all.filter(({ isWeak }) => !isWeak);
    // Beside a strong one the weak ones are not reported.
    const [first = all[0], ...others] = strong.length > 0 ? strong : all;
    const serves = new Set([first, ...others].map((one) => one.serves));
    const bypass = { host: first.url.host, serves, isWeak: first.isWeak };
    return (bySpelling.get(spelling) ?? []).map(({ source }) => [source, bypass] as const);
  });
  return new Map(bypasses);
}

interface KnownUrl {
  /** In the order of the lists. */
  readonly place: number;
  readonly url: RequestUrl;
  readonly serves: string;
  readonly needsEval: boolean;
  readonly isWeak: boolean;
}

/** Read once: they are the same for every policy, and a program may have hundreds, whose hosts are mostly not known. */
let known: ReturnType<typeof readKnownUrls> | undefined;

/** Those on a host that one of the sources names, or one above it. */
function knownAt(spellings: readonly string[]): KnownUrl[] {
  known ??= readKnownUrls();
  const { byHost, byParent } = known;
  const found = spellings.flatMap((spelling) => {
    const source = parseSource(spelling);
    return (source.kind === "host" && (source.isWildcard ? byParent : byHost).get(source.host)) || [];
  });
  return [...new Set(found)].sort((a, b) => a.place - b.place);
}

/** By the host, which sources may name, and by what may follow `*.`. */
function readKnownUrls() {
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
  const all = [
    ...jsonp.URLS.flatMap(read("JSONP endpoints", { mayNeedEval: true })),
    ...angular.URLS.flatMap(read("Angular libraries")),
    ...jsonpUrls.flatMap(read("JSONP endpoints")),
    ...gadgetUrls.flatMap(read("libraries that run code from attributes")),
    ...callingUrls.flatMap(read("scripts that call a function named in the URL", { isWeak: true })),
  ].map((one, place): KnownUrl => ({ ...one, place }));
  const below = all.flatMap((one) => {
    const labels = one.url.host.split(".");
    return labels.slice(1).map((_, index) => ({ one, parent: labels.slice(index + 1).join(".") }));
  });
  const byParent = [...grouped(below, ({ parent }) => parent)];
  return {
    byHost: grouped(all, ({ url }) => url.host),
    byParent: new Map(byParent.map(([parent, those]) => [parent, those.map(({ one }) => one)])),
  };
}
