import { compile, parse, toDirectives } from "page-guard-csp";

/** A script that an inventory has approved. */
export interface ApprovedScript {
  /** A URL that its `match` fits. */
  readonly url: string;
  /** A page on which it may be loaded. */
  readonly pageUrl: string;
}

/**
 * Returns the sources that allow scripts, none of them an approved one: the policy is wider than the inventory. Keywords other
 * than `'self'`, nonces and hashes are left to lint rules.
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
