import { evaluatorSpelling } from "./evaluator-spelling";
import { toRequestUrl } from "./request-url";
import { parseSource } from "./source";
import { SourceList } from "./source-list";

/** What of use to an attacker a source allows, by the lists of csp_evaluator. */
export interface Bypass {
  /** Of the first known URL that it allows. */
  readonly host: string;
  /** `JSONP endpoints`, `Angular libraries`. */
  readonly serves: ReadonlySet<string>;
}

const PAGE = { scheme: "https", host: "", path: "/" };

/**
 * Those of the sources that allow a URL which is known to get around policies. The evaluator's own check takes each
 * source with each of its URLs; this one looks each URL up among the sources.
 */
export function bypassesAmong(sources: Iterable<string>, withEval: boolean): ReadonlyMap<string, Bypass> {
  const bySpelling = new Map<string, Set<string>>();
  for (const source of sources) {
    const spelling = parseSource(source).kind === "host" ? evaluatorSpelling(source) : undefined;
    // That `*` allows anything is said elsewhere.
    if (spelling === undefined || spelling === "*") continue;
    const same = bySpelling.get(spelling);
    if (same === undefined) bySpelling.set(spelling, new Set([source]));
    else same.add(source);
  }
  const list = new SourceList([...bySpelling.keys()]);
  const found = new Map<string, { host: string; serves: Set<string> }>();
  for (const { url, serves } of knownUrls(withEval)) {
    for (const spelling of list.allowing(url, PAGE)) {
      for (const source of bySpelling.get(spelling) ?? []) {
        const known = found.get(source);
        if (known === undefined) found.set(source, { host: url.host, serves: new Set([serves]) });
        else known.serves.add(serves);
      }
    }
  }
  return found;
}

/** Some serve what is of use to nobody without `'unsafe-eval'`. */
function knownUrls(withEval: boolean) {
  const jsonp =
    require("csp_evaluator/dist/allowlist_bypasses/jsonp") as typeof import("csp_evaluator/dist/allowlist_bypasses/jsonp");
  const angular =
    require("csp_evaluator/dist/allowlist_bypasses/angular") as typeof import("csp_evaluator/dist/allowlist_bypasses/angular");
  const read = (serves: string) => (text: string) => {
    const url = toRequestUrl(`https:${text}`);
    return url === undefined ? [] : [{ url, serves }];
  };
  return [
    ...jsonp.URLS.flatMap(read("JSONP endpoints")).filter(
      ({ url }) => withEval || !jsonp.NEEDS_EVAL.includes(url.host),
    ),
    ...angular.URLS.flatMap(read("Angular libraries")),
  ];
}
