import { decidingDirective, findDirective, type ParsedPolicy, parse, splitPolicies } from "../syntax/parse";
import { type RequestUrl, toRequestUrl, unknownPage, upgraded, withScheme } from "../syntax/request-url";
import type { ExplainRequest } from "./request-kind";
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
  /** The last one that was read: requests come page by page. */
  #page: Page = toPage("");

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
  read({ kind, url: text, pageUrl }: ExplainRequest): ReadRequest | undefined {
    if (this.#page.text !== pageUrl) this.#page = toPage(pageUrl);
    const { base, url: page } = this.#page;
    const url = toRequestUrl(text, base);
    if (url === undefined) return undefined;
    return { url: this.#isUpgrading || isUpgradedAnyway(kind, url, page) ? upgraded(url) : url, page };
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

/** A page that carries a policy. */
export interface Page {
  readonly text: string;
  readonly url: RequestUrl;
  /** Absent where it cannot be read; then its host is empty. */
  readonly base?: string;
}

export function toPage(text: string): Page {
  const base = withScheme(text);
  const url = toRequestUrl(base);
  // A page that cannot be read has no host that `'self'` could be.
  return url === undefined ? { text, url: unknownPage } : { text, url, base };
}
