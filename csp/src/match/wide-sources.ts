import { schemesAllowing } from "../syntax/request-url";
import { type HostSource, parseSource, type Source } from "../syntax/source";
import { HostIndex, type Origins } from "./host-index";
import { networkSchemes } from "./source-match";

/** The sources of a list, searched for one that allows all that another one does, without comparing each pair. */
export class WideSources {
  readonly #sources: ReadonlyMap<string, Source>;
  /** Made for the first that needs it. */
  #index: HostIndex | undefined;
  /** How many sources name a host. */
  readonly #named = new Map<string, number>();
  #hasWildcard = false;
  /** Scheme to the source that names it. */
  readonly #schemes = new Map<string, string>();
  #hasStar = false;

  /** Each text once; the sources are what the texts say. */
  constructor(sources: ReadonlyMap<string, Source>) {
    this.#sources = sources;
    for (const [text, source] of sources) {
      if (source.kind === "star") this.#hasStar = true;
      else if (source.kind === "scheme") this.#schemes.set(source.scheme, text);
      else if (source.kind === "host") {
        this.#named.set(source.host, (this.#named.get(source.host) ?? 0) + 1);
        this.#hasWildcard ||= source.isWildcard;
      }
    }
  }

  static of(texts: Iterable<string>): WideSources {
    return new WideSources(new Map([...texts].map((text) => [text, parseSource(text)])));
  }

  /** Whether one of them matches each URL that `narrow` matches, on whatever page. */
  covers(narrow: Source): boolean {
    if (narrow.kind === "invalid") return true;
    return narrow.kind === "star" ? this.#hasStar : this.coveredBy(narrow) !== undefined;
  }

  /** The text of one that matches each URL that `narrow` matches and is not `own`, its own text. */
  coveredBy(narrow: Source, own?: string): string | undefined {
    const star = this.#hasStar ? "*" : undefined;
    switch (narrow.kind) {
      case "keyword":
        return narrow.keyword === "self" ? star : undefined;
      case "scheme":
        return (isNetwork(narrow.scheme) ? star : undefined) ?? this.#byScheme(narrow.scheme, own);
      case "host":
        return (
          (isNetwork(narrow.scheme) ? star : undefined) ??
          // Without a scheme it is that of the page: http or https.
          this.#byScheme(narrow.scheme ?? "http", own) ??
          this.#byHost(narrow, own)
        );
      default:
        return undefined;
    }
  }

  #byScheme(scheme: string, own: string | undefined): string | undefined {
    if (this.#schemes.size === 0) return undefined;
    return schemesAllowing(scheme)
      .map((wide) => this.#schemes.get(wide))
      .find((text) => text !== undefined && text !== own);
  }

  #byHost(narrow: HostSource, own: string | undefined): string | undefined {
    // Most lists name each host once, and have no wildcard.
    if (!this.#hasWildcard && (this.#named.get(narrow.host) ?? 0) < (own === undefined ? 1 : 2))
      return undefined;
    if (this.#index === undefined) {
      this.#index = new HostIndex();
      for (const [text, source] of this.#sources) {
        if (source.kind === "host") this.#index.add({ ...source, text });
      }
    }
    // What `*.a.example` allows is below `a.example`, whatever its name.
    const host = narrow.isWildcard ? (narrow.host === "" ? "*" : `*.${narrow.host}`) : narrow.host;
    const origins = (): Origins => ({
      schemes: [undefined, ...schemesAllowing(narrow.scheme ?? "http")],
      ports: ["*", narrow.port, undefined],
    });
    let found: string | undefined;
    this.#index.some(host, narrow.path ?? "", origins, (wide) => {
      if (wide.text === own || !coversOrigin(wide, narrow)) return false;
      found = wide.text;
      return true;
    });
    return found;
  }
}

/** Undefined: the scheme of the page, which `*` always matches. */
function isNetwork(scheme: string | undefined): boolean {
  return scheme === undefined || networkSchemes.has(scheme);
}

function coversOrigin(wide: HostSource, narrow: HostSource): boolean {
  const isAnyPort = wide.port === "*";
  if (wide.scheme === narrow.scheme) return isAnyPort || wide.port === narrow.port;
  if (wide.scheme === undefined) return false;
  // An upgrade of the scheme goes only with one of the port: both left open, or any.
  const areOpen = wide.port === undefined && narrow.port === undefined;
  return schemesAllowing(narrow.scheme ?? "http").includes(wide.scheme) && (isAnyPort || areOpen);
}
