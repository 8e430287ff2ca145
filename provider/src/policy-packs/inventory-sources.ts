import { compile, DecidingLists } from "page-guard-csp";

/** A script that an inventory has approved. */
export interface ApprovedScript {
  /** A URL that its `match` fits. */
  readonly url: string;
  /** A page on which it may be loaded. */
  readonly pageUrl: string;
}

/**
 * The approved scripts of an inventory, as `page-guard inventory` writes it; those that are gone are left out. It needs the
 * package's dependencies, which a pack has where it installs `pulumi-page-guard`.
 *
 * @throws Error with the line of the first fault.
 */
export function approvedScripts(inventory: string): readonly ApprovedScript[] {
  // Loaded for packs that have an inventory alone.
  const { parseInventory } =
    require("../inventory/inventory-file") as typeof import("../inventory/inventory-file");
  const { entries, faults } = parseInventory(inventory);
  const [fault] = faults;
  if (fault) throw new Error(`line ${fault.line}: ${fault.message}`);
  return entries
    .filter(({ approved, gone }) => approved !== undefined && gone === undefined)
    .flatMap(({ match, host }) => {
      const url = match.text.replaceAll("*", "x");
      return (host.length === 0 ? [url] : host.map((one) => `https://${one}/`)).map((pageUrl) => ({
        url,
        pageUrl,
      }));
    });
}

/**
 * The sources by which a policy's text allows scripts, of which none allows an approved one: it is wider than what was
 * approved. Keywords other than `'self'`, nonces and hashes are left to lint rules.
 */
export function sourcesWithoutApproval(
  value: string,
  approved: readonly ApprovedScript[],
): readonly string[] {
  const sources = new DecidingLists(value)
    .of("script-src-elem")
    .flatMap(({ values }) => values)
    .filter((source) => !source.startsWith("'") || source.toLowerCase() === "'self'");
  return [...new Set(sources)].filter((source) => {
    const compiled = compile(`script-src ${source}`);
    return !approved.some(({ url, pageUrl }) => compiled.allows({ kind: "script", url, pageUrl }));
  });
}
