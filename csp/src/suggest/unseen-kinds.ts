import { explainer } from "../match/explain";
import { DecidingLists } from "../match/matches";
import { nameKind, type RequestKind } from "../match/request-kind";

const pageUrl = "https://a.test/";
/** A URL on the network that only a source for all hosts, ports and paths allows. */
const anywhere = "https://b.test:1/x";
/** URLs of content that does not come from the network. */
const data = "data:,";
const blob = `blob:${pageUrl}`;

/**
 * Kinds of content that the service does not show, each with URLs to test: a policy restricts the kind if it blocks one of
 * these URLs. Kinds that break most pages when blocked come first.
 */
const everyKind: readonly (readonly [kind: RequestKind, urls: readonly string[], name?: string])[] = [
  ["script", ["inline"], "inline scripts"],
  ["event-handler", ["inline"]],
  ["script", ["eval"], "eval"],
  ["script", ["wasm-eval"], "WebAssembly"],
  ["style", ["inline"], "inline styles"],
  ["style-attribute", ["inline"]],
  ["style", [anywhere]],
  ["image", [anywhere, data, blob]],
  ["font", [anywhere, data]],
  ["media", [anywhere, data, blob]],
  ["frame", [anywhere, data, blob]],
  // Browsers block workers of another origin even if a policy allows them.
  ["worker", [pageUrl, data, blob]],
  ["object", [anywhere]],
  ["manifest", [anywhere]],
  ["form", [anywhere]],
  ["base", [anywhere]],
];

/**
 * Returns the kinds of content that an enforced policy restricts, but that the service does not show: inline scripts, event
 * handlers, styles, images, frames … The impact on these is unknown. Kinds that break most pages when blocked come first. Leaves
 * out connections and scripts with a URL. Assumes an https page. Never throws.
 *
 * @example
 * ```ts
 * unseenKinds("connect-src 'self'"); // []
 * unseenKinds("script-src 'self' 'unsafe-inline'; img-src 'self'"); // ["eval", "WebAssembly", "images", "workers"]
 * ```
 */
export function unseenKinds(text: string): readonly string[] {
  const explain = explainer(text);
  const restricted = everyKind.filter(([kind, urls]) =>
    urls.some((url) => explain({ kind, url, pageUrl }).verdict !== "allowed"),
  );
  const names = restricted.map(([kind, , name = nameKind(kind)]) => name);
  // `frame-ancestors` is not about requests of the page, but about the pages that frame it.
  const lists = new DecidingLists(text);
  const read = lists.read({ kind: "frame", url: anywhere, pageUrl });
  const isOpen = lists.of("frame-ancestors").every(({ list }) => read && list.allows(read.url, read.page));
  return isOpen ? names : [...names, "pages that frame this one"];
}
