import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const origin = "http://site.test/";

/**
 * Returns the links of the built pages that lead nowhere. Includes links of the home page and of sidebars, and links to
 * parts of pages: VitePress does not check these.
 */
export function deadLinks(folder) {
  const files = readdirSync(folder, { recursive: true }).map((file) => file.replaceAll("\\", "/"));
  const pages = files.filter((file) => file.endsWith(".html"));
  const parts = new Map(pages.map((file) => [file, partsOf(readFileSync(join(folder, file), "utf8"))]));
  return pages.flatMap((from) =>
    [...parts.get(from).links]
      .filter((link) => !leads(new URL(link, `${origin}${from}`)))
      .map((link) => `${from} links to ${link}`),
  );

  function leads({ pathname, hash }) {
    const file = decodeURI(pathname.slice(1));
    const page = [file, `${file}.html`, join(file, "index.html")].find((name) => parts.has(name));
    if (page === undefined) return existsSync(join(folder, file));
    return hash === "" || parts.get(page).ids.has(decodeURIComponent(hash.slice(1)));
  }
}

/** Returns the ids of a page and its links within the site: addresses with a scheme are left out. */
function partsOf(html) {
  const body = html.slice(html.indexOf("<body"));
  const values = (pattern) =>
    [...body.matchAll(pattern)].map(([, value]) =>
      value.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&"),
    );
  const links = values(/<a\b[^>]* href="([^"]+)"/g).filter((href) => !/^[a-z]+:/.test(href));
  return { ids: new Set(values(/ id="([^"]+)"/g)), links: new Set(links) };
}
