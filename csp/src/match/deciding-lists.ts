import { decidingDirective, findDirective, type ParsedPolicy, parse, splitPolicies } from "../syntax/parse";
import { type RequestUrl, toRequestUrl, unknownPage, upgraded, withScheme } from "../syntax/request-url";
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

  constructor(policy: string | ParsedPolicy) {
    this.#policies = splitPolicies(textOf(policy)).map(parse);
    this.#isUpgrading = this.#policies.some(
      (one) => findDirective(one, ["upgrade-insecure-requests"]) !== undefined,
    );
  }

  /** One for each policy that restricts what this directive is about: every one must allow. */
  of(directive: string): readonly Deciding[] {
    const known = this.#read.get(directive);
    if (known !== undefined) return known;
    const read = this.#policies.flatMap((policy) => {
      const { name, values } = decidingDirective(policy, directive) ?? {};
      return name && values ? [{ directive: name, values, list: new SourceList(values) }] : [];
    });
    this.#read.set(directive, read);
    return read;
  }

  /** Undefined: what cannot be read cannot be requested. */
  read(request: {
    readonly kind: string;
    readonly url: string;
    readonly pageUrl: string;
  }): ReadRequest | undefined {
    const page = this.#pageAt(request.pageUrl);
    const url = toRequestUrl(request.url, page.base);
    if (url === undefined) return undefined;
    const isUpgraded = this.#isUpgrading || isUpgradedAnyway(request.kind, url, page.url);
    return { url: isUpgraded ? upgraded(url) : url, page: page.url };
  }
}

/** Browsers load images, audio and video of a page on https by https, but not those of an IP address (Mixed Content, 4.1). */
function isUpgradedAnyway(kind: string, { host, scheme }: RequestUrl, page: RequestUrl): boolean {
  const isMedia = kind === "image" || kind === "media";
  return isMedia && scheme === "http" && page.scheme === "https" && !/^[\d.]+$|^\[/.test(host);
}

export function textOf(policy: string | ParsedPolicy): string {
  return typeof policy === "string" ? policy : policy.text;
}

function toPage(text: string) {
  const base = withScheme(text);
  const url = toRequestUrl(base);
  // A page that cannot be read has no host that `'self'` could be.
  return url === undefined ? { url: unknownPage } : { url, base };
}

function memoizeLast<T>(compute: (text: string) => T): (text: string) => T {
  let last: { text: string; result: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}
