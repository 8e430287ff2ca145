import { compile, parse, toDirectives } from "page-guard-csp";

/** A script that an inventory approves. */
export interface ApprovedScript {
  /** A URL that matches the pattern `match` of the inventory entry. */
  readonly url: string;
  /** URL of a page on which the script may be loaded. */
  readonly pageUrl: string;
}

/**
 * Returns the sources for scripts that allow no approved script, and so make the policy wider than the inventory. `value`: the
 * policy as a string. Leaves nonces, hashes and keywords other than `'self'` to lint rules.
 */
export function sourcesWithoutApproval(
  value: string,
  approved: readonly ApprovedScript[],
): readonly string[] {
  const sources = value
    .split(",")
    .map((one) => toDirectives(parse(one)))
    .flatMap((lists) => lists["script-src-elem"] ?? lists["script-src"] ?? lists["default-src"] ?? [])
    .filter((source) => !source.startsWith("'") || source.toLowerCase() === "'self'");
  return [...new Set(sources)].filter((source) => {
    const compiled = compile(`script-src ${source}`);
    return !approved.some(({ url, pageUrl }) => compiled.allows({ kind: "script", url, pageUrl }));
  });
}
