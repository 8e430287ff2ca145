import { generalName } from "../syntax/directives";
import type { SourceList } from "./source-list";

/** For each kind, the directive that browsers look for first, and the plural name for messages. */
const everyKind = {
  script: { directive: "script-src-elem", called: "scripts" },
  connection: { directive: "connect-src", called: "connections" },
  style: { directive: "style-src-elem", called: "stylesheets" },
  image: { directive: "img-src", called: "images" },
  font: { directive: "font-src", called: "fonts" },
  media: { directive: "media-src", called: "audio and video" },
  frame: { directive: "frame-src", called: "frames" },
  worker: { directive: "worker-src", called: "workers" },
  object: { directive: "object-src", called: "objects and embeds" },
  manifest: { directive: "manifest-src", called: "app manifests" },
  form: { directive: "form-action", called: "forms" },
  base: { directive: "base-uri", called: "base URLs" },
  "event-handler": { directive: "script-src-attr", called: "event handlers" },
  "style-attribute": { directive: "style-src-attr", called: "style attributes" },
};

/** Kind of a request, or of content in the page itself. */
export type RequestKind = keyof typeof everyKind;

/** A request of a page, or content in the page itself. */
export interface ExplainRequest {
  readonly kind: RequestKind;
  /**
   * URL of the request. `/a.js`, `./a.js` and `//host/a.js` are relative to the page; a host without a scheme gets https; other
   * text that is not a URL is blocked. As in reports, `inline`, `eval` and `wasm-eval` mean content without a URL.
   */
  readonly url: string;
  /** URL of the page that carries the policy; https is assumed if it has no scheme. */
  readonly pageUrl: string;
}

export const REQUEST_KINDS: readonly RequestKind[] = Object.keys(everyKind).filter(isRequestKind);

function isRequestKind(text: string): text is RequestKind {
  return Object.hasOwn(everyKind, text);
}

/** Returns the directive that browsers look for first for a kind. `fallbacks` lists the directives that may replace it. */
export function toDirective(kind: RequestKind): string {
  return everyKind[kind].directive;
}

export function nameKind(kind: RequestKind): string {
  return everyKind[kind].called;
}

/** Whether browsers ignore the hosts, schemes and `'self'` of a list for requests of this kind. */
export function isClosedTo(list: SourceList, kind: RequestKind): boolean {
  if (kind === "script") return list.ignoresHostsOfScripts;
  return kind !== "frame" && kind !== "form" && list.hasUrlHash;
}

/** Returns the kind of request that a report with this directive is about; undefined if the directive concerns no URL. */
export function kindDecidedBy(directive: string): RequestKind | undefined {
  const asked = directive === "child-src" ? "frame-src" : directive;
  return REQUEST_KINDS.find((kind) => [toDirective(kind), generalName(toDirective(kind))].includes(asked));
}
