import { explainer } from "../match/explain";
import { DecidingLists } from "../match/matches";
import { calledKind, type ExplainRequest, type RequestKind } from "../match/request-kind";

const pageUrl = "https://a.test:1/";
/** A URL on the network that only a source for all hosts, ports and paths allows. */
const anywhere = "https://b.test:1/x";
/** URLs that carry their content. */
const data = "data:,";
const blob = `blob:${pageUrl}`;

interface UnseenKind {
  readonly name: string;
  /** Requests of the kind. A policy that allows all of them does not restrict it. */
  readonly requests: readonly ExplainRequest[];
}

function called(name: string, kind: RequestKind, ...urls: readonly string[]): UnseenKind {
  return { name, requests: urls.map((url) => ({ kind, url, pageUrl })) };
}

function loaded(kind: RequestKind, ...urls: readonly string[]): UnseenKind {
  return called(calledKind(kind), kind, anywhere, ...urls);
}

/**
 * Kinds of content that policies restrict and the service, which lists URLs of scripts and connections, never shows. In the
 * order of the pages that they break, most first.
 */
const everyKind: readonly UnseenKind[] = [
  called("inline scripts", "script", "inline"),
  called("event handlers", "event-handler", "inline"),
  called("eval", "script", "eval"),
  called("WebAssembly", "script", "wasm-eval"),
  called("inline styles", "style", "inline"),
  called("style attributes", "style-attribute", "inline"),
  loaded("style"),
  loaded("image", data, blob),
  loaded("font", data),
  loaded("media", data, blob),
  loaded("frame", data, blob),
  // Workers of another origin are blocked whatever a policy says.
  called("workers", "worker", pageUrl, data, blob),
  loaded("object"),
  loaded("manifest"),
  loaded("form"),
  loaded("base"),
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
  const restricted = everyKind.filter(({ requests }) =>
    requests.some((request) => explain(request).verdict !== "allowed"),
  );
  const names = restricted.map(({ name }) => name);
  // No request of the page is about those that frame it.
  const lists = new DecidingLists(text);
  const read = lists.read({ kind: "frame", url: anywhere, pageUrl });
  const isOpen = lists.of("frame-ancestors").every(({ list }) => read && list.allows(read.url, read.page));
  return isOpen ? names : [...names, "pages that frame this one"];
}
