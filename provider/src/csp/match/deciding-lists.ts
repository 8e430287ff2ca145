import { fallbacks } from "../syntax/directives";
import { findDirective, type ParsedPolicy, parse, splitPolicies } from "../syntax/parse";
import { type RequestUrl, toRequestUrl, upgraded, withScheme } from "../syntax/request-url";
import { SourceList } from "./source-list";

/** The directive of one policy that decides about a kind of request. */
export interface Deciding {
  readonly directive: string;
  readonly values: readonly string[];
  readonly list: SourceList;
}

export interface ReadRequest {
  readonly url: RequestUrl;
  readonly page: RequestUrl;
}

/** The lists of a text, which holds several policies where it has commas, each read when it is first asked for. */
export class DecidingLists {
  readonly #policies: readonly ParsedPolicy[];
  readonly #isUpgrading: boolean;
  readonly #read = new Map<string, readonly Deciding[]>();
  /** Requests come page by page. */
  readonly #pageAt = memoizeLast(toPage);

  constructor(text: string) {
    this.#policies = splitPolicies(text).map(parse);
    this.#isUpgrading = this.#policies.some(
      (one) => findDirective(one, ["upgrade-insecure-requests"]) !== undefined,
    );
  }

  /** One for each policy that restricts what this directive is about: every one must allow. */
  of(directive: string): readonly Deciding[] {
    const known = this.#read.get(directive);
    if (known !== undefined) return known;
    const read = this.#policies.flatMap((policy) => {
      const found = findDirective(policy, fallbacks.get(directive) ?? []);
      return found === undefined
        ? []
        : [{ directive: found.name, values: found.values, list: new SourceList(found.values) }];
    });
    this.#read.set(directive, read);
    return read;
  }

  /** Undefined: what cannot be read cannot be requested. */
  read({ url: text, pageUrl }: { readonly url: string; readonly pageUrl: string }): ReadRequest | undefined {
    const page = this.#pageAt(pageUrl);
    const url = toRequestUrl(text, page.base);
    return url === undefined ? undefined : { url: this.#isUpgrading ? upgraded(url) : url, page: page.url };
  }
}

interface Page {
  readonly url: RequestUrl;
  readonly base?: string;
}

function toPage(text: string): Page {
  const base = withScheme(text);
  const url = toRequestUrl(base);
  // A page that cannot be read has no host that `'self'` could be.
  return url === undefined ? { url: { scheme: "https", host: "", path: "/" } } : { url, base };
}

function memoizeLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { text: string; result: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}
