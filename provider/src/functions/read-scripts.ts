import type { Script } from "../api/client-types";
import type { PageGuardClient } from "../api/create-client";
import { listPageForms, withHiddenOnes } from "./items-in-use";

/**
 * Reads a zone's scripts of every status, including hidden scripts. With `pages` (URLs that may end with `*`), reads one list for
 * each page, and returns only scripts of these pages. `hidden`: see `ItemsInUse`.
 */
export async function readScripts(
  client: Pick<PageGuardClient, "listAll">,
  zoneId: string,
  pages: readonly string[] = [],
) {
  if (pages.length === 0) {
    const { items, hidden } = await withHiddenOnes(client, "scripts", zoneId, { status: "all" });
    return { scripts: items, pages: undefined, hidden };
  }
  const scripts = new Map<string, Script>();
  const pagesByScriptId = new Map<string, string[]>();
  let hidden: string | undefined;
  for (const page of pages) {
    const read = await withHiddenOnes(client, "scripts", zoneId, {
      status: "all",
      pageUrl: listPageForms(page),
    });
    hidden ??= read.hidden;
    for (const script of read.items) {
      scripts.set(script.id, script);
      pagesByScriptId.set(script.id, [...(pagesByScriptId.get(script.id) ?? []), page]);
    }
  }
  return { scripts: [...scripts.values()], pages: pagesByScriptId, hidden };
}
