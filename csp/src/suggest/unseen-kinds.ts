import { explainer } from "../match/explain";
import { DecidingLists } from "../match/matches";
import { calledKind, type RequestKind } from "../match/request-kind";

const pageUrl = "https://a.test:1/";
/** A URL on the network that only a source for all hosts, ports and paths allows. */
const anywhere = "https://b.test:1/x";
/** URLs that carry their content. */
const data = "data:,";
const blob = `blob:${pageUrl}`;

/**
 * Kinds of content that policies restrict and the service, which lists URLs of scripts and connections, never shows: URLs that
 * are all allowed where a policy does not restrict the kind. In the order of the pages that they break, most first.
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
  // Workers of another origin are blocked whatever a policy says.
  ["worker", [pageUrl, data, blob]],
  ["object", [anywhere]],
  ["manifest", [anywhere]],
  ["form", [anywhere]],
  ["base", [anywhere]],
];

/**
 * Returns kinds of content that an enforced policy restricts and the service does not show, so that their impact cannot be
 * known beforehand: inline scripts, event handlers, styles, images, frames … Words for a person, in the order of the pages that
 * they break; empty if the policy restricts only scripts by URL and connections. Assumes a page on https. Never throws.
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
  const names = restricted.map(([kind, , name = calledKind(kind)]) => name);
  // No request of the page is about those that frame it.
  const lists = new DecidingLists(text);
  const read = lists.read({ kind: "frame", url: anywhere, pageUrl });
  const isOpen = lists.of("frame-ancestors").every(({ list }) => read && list.allows(read.url, read.page));
  return isOpen ? names : [...names, "pages that frame this one"];
}
