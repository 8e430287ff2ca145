import { pageUrlsOf, type SeenItem } from "../impact/seen-item";
import { type Page, type PolicyRequest, toPage } from "../match/matches";
import { type RequestUrl, toRequestUrl } from "../syntax/request-url";
import { parseUrl } from "../texts";

/** Directive that lists the sources of each kind. */
export const listOfKind = { script: "script-src", connection: "connect-src" } as const;

/** An item with its URL and its page, which are parsed only once. */
export interface ReadItem {
  readonly seen: SeenItem;
  readonly request: PolicyRequest;
  readonly page: Page;
  /** URL of the item; undefined if browsers cannot parse it. */
  readonly url: RequestUrl | undefined;
  /** Path of the URL, percent-encoded. */
  readonly pathname: string;
}

/** Reads items: each once for every host on whose pages it was seen, because `'self'` depends on the page. */
export function readItems(items: readonly SeenItem[]): readonly ReadItem[] {
  const pages = new Map<string, Page>();
  const sightings = items.flatMap((seen) => pageUrlsOf(seen).map((pageUrl) => ({ seen, pageUrl })));
  return sightings.map(({ seen, pageUrl }) => {
    const page = pages.get(pageUrl) ?? toPage(pageUrl);
    pages.set(pageUrl, page);
    const { url: text } = seen.item;
    const request = { kind: seen.kind, url: text, pageUrl };
    const url = toRequestUrl(text, page.base);
    // Most paths are the same encoded and decoded.
    const isPlain = url !== undefined && /^[\w/.@:-]*$/.test(url.path) && !text.includes("%");
    const pathname = isPlain ? url.path : (parseUrl(text, page.base)?.pathname ?? "");
    return { seen, request, page, url, pathname };
  });
}

/** Returns the folder of a path, with a slash at its end. */
export function toFolder(pathname: string): string {
  return pathname.slice(0, pathname.lastIndexOf("/") + 1);
}
