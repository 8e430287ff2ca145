import { type ParsedDirective, type ParsedPolicy, parse } from "./parse";

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

/** Directives that the service supports (the sixteen in its public schema), in the order of canonical text. */
export const supportedDirectives: readonly string[] = supported;
export type SupportedDirective = (typeof supported)[number];

/** Directives of CSP Level 3 and related specifications that browsers know but the service does not support. */
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

/** Kinds of content whose directive, such as `img-src`, has `default-src` as its only fallback. */
const plainKinds = "script connect style img font media object child manifest prefetch".split(" ");

/** Directives to look for, by the directive of a request. The first one in the policy decides (CSP Level 3, 6.8.3, 6.8.4). */
export const fallbacks: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["script-src-elem", ["script-src-elem", "script-src", "default-src"]],
  ["script-src-attr", ["script-src-attr", "script-src", "default-src"]],
  ["style-src-elem", ["style-src-elem", "style-src", "default-src"]],
  ["style-src-attr", ["style-src-attr", "style-src", "default-src"]],
  ["frame-src", ["frame-src", "child-src", "default-src"]],
  ["fenced-frame-src", ["fenced-frame-src", "frame-src", "child-src", "default-src"]],
  ["worker-src", ["worker-src", "child-src", "script-src", "default-src"]],
  ...plainKinds.map((kind) => [`${kind}-src`, [`${kind}-src`, "default-src"]] as const),
  ...["default-src", "base-uri", "form-action", "frame-ancestors"].map((name) => [name, [name]] as const),
]);

const knownNames: ReadonlySet<string> = new Set([...supported, ...unsupported]);

/** Whether browsers know a directive, even if the service does not support it. */
export function isKnownDirective(name: string): boolean {
  return knownNames.has(name);
}

/** Whether the value of a directive is a list of sources. The order of such a list has no meaning. */
export function isSourceListDirective(name: string): boolean {
  return fallbacks.has(name);
}

/** Returns the more general directive: `script-src` for `script-src-elem`. Returns all other names unchanged. */
export function generalName(name: string): string {
  return name.replace(/-(?:elem|attr)$/, "");
}

export function allDirectives(policy: ParsedPolicy): readonly ParsedDirective[] {
  return [...policy.directives, ...policy.ignored];
}

/** Returns the directive for the first of `names` that the policy has; undefined if it has none. */
export function findDirective(policy: ParsedPolicy, names: readonly string[]): ParsedDirective | undefined {
  const found = names.map((name) => policy.directives.find((one) => one.name === name));
  return found.find((directive) => directive !== undefined);
}

/** Returns the directive of a policy that decides about requests of `name`: `name` itself, or the first fallback that exists. */
export function decidingDirective(policy: ParsedPolicy, name: string): ParsedDirective | undefined {
  return findDirective(policy, fallbacks.get(name) ?? []);
}

/** For each directive, the keyword without which `sandbox` blocks everything that the directive decides about. */
const permissions: ReadonlyMap<string, string> = new Map([
  ...["script-src", "script-src-elem", "script-src-attr", "worker-src"].map(
    (name) => [name, "allow-scripts"] as const,
  ),
  ["form-action", "allow-forms"],
]);

/** Returns the keyword that `sandbox` lacks, and without which it blocks everything that the directive `name` decides about. */
export function missingPermission(policy: ParsedPolicy, name: string): string | undefined {
  const sandbox = findDirective(policy, ["sandbox"]);
  const keyword = permissions.get(name);
  return sandbox?.values.some((value) => value.toLowerCase() === keyword) === false ? keyword : undefined;
}

const upgrading = "upgrade-insecure-requests";

/** Whether a page with these policies, separated by commas, upgrades its requests. One upgrading policy is enough. */
export function upgradesRequests(text: string): boolean {
  return policiesOf(text).some((policy) => findDirective(policy, [upgrading]));
}

/** Adds a policy that upgrades the requests of a page. */
export function withUpgrade(text: string): string {
  return `${text}, ${upgrading}`;
}

/** Returns the policies in the value of a header, in which commas separate them. */
export function policiesOf(text: string): readonly ParsedPolicy[] {
  return text.split(",").map(parse);
}
