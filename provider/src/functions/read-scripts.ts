import type { Script } from "../api/client-types";
import type { PageGuardClient } from "../api/create-client";
import { withHiddenOnes } from "../api/paging/items-in-use";

/**
 * All scripts of a zone, of every status and with the hidden ones, or those seen on these pages (URLs, `*` at their ends): one
 * list a page. `isPartial`: the service hides some, for it does not take the filters that show them.
 */
export async function readScripts(
  client: Pick<PageGuardClient, "listAll">,
  zoneId: string,
  pages: readonly string[] = [],
) {
  if (pages.length === 0) {
    const { items, isPartial } = await withHiddenOnes(client, "scripts", zoneId, { status: "all" });
    return { scripts: items, pages: undefined, isPartial };
  }
  const scripts = new Map<string, Script>();
  /** Pages of each script by its id. */
  const pagesOf = new Map<string, string[]>();
  let isPartial = false;
  for (const page of pages) {
    const read = await withHiddenOnes(client, "scripts", zoneId, { status: "all", pageUrl: [page] });
    isPartial ||= read.isPartial;
    for (const script of read.items) {
      scripts.set(script.id, script);
      pagesOf.set(script.id, [...(pagesOf.get(script.id) ?? []), page]);
    }
  }
  return { scripts: [...scripts.values()], pages: pagesOf, isPartial };
}
