import { parseUrl } from "../texts";
import { evaluate, toFields } from "./hosts-of";
import { parseExpression } from "./parse-expression";
import { tokenize } from "./tokens";

/** A piece of a URL that hardly any expression contains. */
const unnamed = "-0z0-";

/**
 * Returns a page that none of the expressions selects; undefined if no such page is found. If `pages` ends with `*`, tries URLs
 * that begin with the text before the `*` and continue with a string from the expressions. May miss a page that only a
 * combination of tests excludes.
 *
 * @example
 * ```ts
 * findUnselected(['http.request.uri.path eq "/pay"'], "https://shop.example/pay"); // undefined
 * findUnselected(['http.request.uri.path eq "/pay"'], "https://shop.example/pay*"); // "https://shop.example/pay-0z0-"
 * ```
 */
export function findUnselected(expressions: readonly string[], pages: string): string | undefined {
  const parsed = expressions.map(parseExpression);
  return samplePages(pages, expressions).find((page) => {
    const fields = toFields(page);
    return fields && parsed.every((one) => !("fault" in one) && evaluate(one, fields) === false);
  });
}

/** Returns pages on which tests of the expressions may have different results. */
function samplePages(pages: string, expressions: readonly string[]): readonly string[] {
  if (!pages.endsWith("*")) return [pages];
  const start = toFields(pages.slice(0, -1))?.get("http.request.full_uri");
  if (start === undefined) return [];
  const tokens = expressions.flatMap(tokenize).filter(({ kind }) => kind !== "symbol");
  const texts = new Set(tokens.map(({ value }) => value.replaceAll("*", unnamed)));
  const origin = parseUrl(start)?.origin;
  const continued = [...texts].flatMap((text) => [start + text, `${start}?${text}`, origin + text, text]);
  const found = ["", unnamed, `?${unnamed}`].map((text) => start + text).concat(continued);
  return found.filter((page) => page.startsWith(start)).flatMap((page) => [page, page + unnamed]);
}
