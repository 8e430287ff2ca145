import { HostIndex } from "./host-index";
import { schemesAllowing } from "./request-url";
import { type HostSource, parseSource, type Source } from "./source";
import { canonicalSource } from "./source-text";

/** A host source as it is written. */
interface Written extends HostSource {
  readonly text: string;
}

/** The sources of a list, asked for one that allows all that another one does, without going through all of them. */
export class WideSources {
  readonly #hosts = new HostIndex<Written>();
  /** Scheme to the source that names it. */
  readonly #schemes = new Map<string, string>();
  readonly #hasStar: boolean;

  constructor(texts: readonly string[]) {
    this.#hasStar = texts.includes("*");
    for (const text of texts) {
      const source = parseSource(text);
      if (source.kind === "scheme") this.#schemes.set(source.scheme, text);
      else if (source.kind === "host") this.#hosts.add({ ...source, text });
    }
  }

  /** Whether one of them matches each URL that `narrow` matches, on whatever page. */
  covers(narrow: string): boolean {
    const source = parseSource(narrow);
    if (source.kind === "invalid") return true;
    return source.kind === "star" ? this.#hasStar : this.#covering(source, undefined) !== undefined;
  }

  /** Another one of them that matches each URL that `narrow` matches, as it is written. */
  coveredBy(narrow: string): string | undefined {
    return this.#covering(parseSource(narrow), canonicalSource(narrow));
  }

  #covering(narrow: Source, own: string | undefined): string | undefined {
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
    return schemesAllowing(scheme)
      .map((wide) => this.#schemes.get(wide))
      .find((text) => text !== undefined && canonicalSource(text) !== own);
  }

  #byHost(narrow: HostSource, own: string | undefined): string | undefined {
    const candidates = this.#hosts.candidates({
      // What `*.a.example` allows is below `a.example`, whatever its name.
      host: narrow.isWildcard ? (narrow.host === "" ? "*" : `*.${narrow.host}`) : narrow.host,
      path: narrow.path ?? "",
      schemes: [undefined, ...schemesAllowing(narrow.scheme ?? "http")],
      ports: ["*", narrow.port, undefined],
    });
    for (const wide of candidates)
      if (coversOrigin(wide, narrow) && (own === undefined || canonicalSource(wide.text) !== own))
        return wide.text;
    return undefined;
  }
}

/** Undefined: the scheme of the page, which `*` always matches. */
function isNetwork(scheme: string | undefined): boolean {
  return scheme === undefined || ["http", "https", "ws", "wss"].includes(scheme);
}

function coversOrigin(wide: HostSource, narrow: HostSource): boolean {
  const isAnyPort = wide.port === "*";
  if (wide.scheme === narrow.scheme) return isAnyPort || wide.port === narrow.port;
  if (wide.scheme === undefined) return false;
  // An upgrade of the scheme goes only with one of the port: both left open, or any.
  const areOpen = wide.port === undefined && narrow.port === undefined;
  return schemesAllowing(narrow.scheme ?? "http").includes(wide.scheme) && (isAnyPort || areOpen);
}
