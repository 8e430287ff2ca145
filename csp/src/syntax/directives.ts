const supported = [
  "default-src",
  "script-src",
  "connect-src",
  "style-src",
  "img-src",
  "font-src",
  "media-src",
  "object-src",
  "frame-src",
  "child-src",
  "worker-src",
  "manifest-src",
  "base-uri",
  "form-action",
  "frame-ancestors",
  "upgrade-insecure-requests",
] as const;

/** The directives that the service supports (`public-facts`: the sixteen of its schema), in the order of canonical text. */
export const supportedDirectives: readonly string[] = supported;
export type SupportedDirective = (typeof supported)[number];

/** Directives of CSP Level 3 and its neighbours that browsers know and the service does not. */
const unsupported = [
  "script-src-elem",
  "script-src-attr",
  "style-src-elem",
  "style-src-attr",
  "prefetch-src",
  "fenced-frame-src",
  "sandbox",
  "report-uri",
  "report-to",
  "navigate-to",
  "webrtc",
  "plugin-types",
  "block-all-mixed-content",
  "require-sri-for",
  "require-trusted-types-for",
  "trusted-types",
  "referrer",
  "reflected-xss",
] as const;

export type KnownDirective = SupportedDirective | (typeof unsupported)[number];

/** Where browsers look, in this order, for the sources of a kind of request (CSP Level 3, 6.8.3 and 6.8.4). */
export const fallbacks: ReadonlyMap<string, readonly string[]> = new Map([
  ["script-src-elem", ["script-src-elem", "script-src", "default-src"]],
  ["script-src-attr", ["script-src-attr", "script-src", "default-src"]],
  ["script-src", ["script-src", "default-src"]],
  ["connect-src", ["connect-src", "default-src"]],
  ["style-src-elem", ["style-src-elem", "style-src", "default-src"]],
  ["style-src-attr", ["style-src-attr", "style-src", "default-src"]],
  ["style-src", ["style-src", "default-src"]],
  ["img-src", ["img-src", "default-src"]],
  ["font-src", ["font-src", "default-src"]],
  ["media-src", ["media-src", "default-src"]],
  ["object-src", ["object-src", "default-src"]],
  ["child-src", ["child-src", "default-src"]],
  ["frame-src", ["frame-src", "child-src", "default-src"]],
  ["fenced-frame-src", ["fenced-frame-src", "frame-src", "child-src", "default-src"]],
  ["worker-src", ["worker-src", "child-src", "script-src", "default-src"]],
  ["manifest-src", ["manifest-src", "default-src"]],
  ["prefetch-src", ["prefetch-src", "default-src"]],
  ["default-src", ["default-src"]],
  ["base-uri", ["base-uri"]],
  ["form-action", ["form-action"]],
  ["frame-ancestors", ["frame-ancestors"]],
]);

const supportedNames: ReadonlySet<string> = new Set(supported);
const knownNames: ReadonlySet<string> = new Set([...supported, ...unsupported]);

export function isSupportedDirective(name: string): boolean {
  return supportedNames.has(name);
}

/** Known to browsers, whether the service supports it or not. */
export function isKnownDirective(name: string): boolean {
  return knownNames.has(name);
}

/** Its value is a list of sources, whose order means nothing. */
export function isSourceListDirective(name: string): boolean {
  return fallbacks.has(name);
}
