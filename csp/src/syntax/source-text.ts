import { encodedSlashes } from "./request-url";
import { parseSource } from "./source";

/**
 * The one spelling of a source for comparing by meaning: schemes, hosts and keywords in lower case, paths as browsers
 * compare them, no query. What browsers cannot read stays as it is.
 */
export function canonicalSource(text: string, source = parseSource(text)): string {
  switch (source.kind) {
    case "star":
      return "*";
    case "scheme":
      return `${source.scheme}:`;
    case "keyword":
      return `'${source.keyword}'`;
    case "nonce":
      return `'nonce-${source.nonce}'`;
    case "hash":
      return `'${source.of === "content" ? "" : `${source.of}-`}${source.algorithm}-${source.value}'`;
    case "host": {
      const scheme = source.scheme === undefined ? "" : `${source.scheme}://`;
      const host = source.isWildcard ? (source.host === "" ? "*" : `*.${source.host}`) : source.host;
      const port = source.port === undefined ? "" : `:${source.port}`;
      // Of the root everything is below.
      const path = source.path === "/" ? "" : encodedSlashes(source.path ?? "");
      const canonical = `${scheme}${host}${port}${path}`;
      // `*/` is any host with the scheme and port of the page; `*` alone is more.
      return canonical === "*" ? "*/" : canonical;
    }
    case "invalid":
      return text;
  }
}
