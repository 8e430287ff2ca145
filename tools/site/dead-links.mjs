import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * Returns the links of the built pages that lead nowhere. Includes links of the home page and of sidebars, and links to
 * parts of pages: VitePress does not check these.
 */
export function deadLinks(folder) {
  const pages = readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".html"))
    .map((file) => file.replaceAll("\\", "/"));
  const parts = new Map(pages.map((file) => [file, partsOf(readFileSync(join(folder, file), "utf8"))]));
  return pages.flatMap((from) =>
    [...(parts.get(from)?.links ?? [])]
      .filter((link) => !leads(from, link))
      .map((link) => `${from} links to ${link}`),
  );

  function leads(from, link) {
    const [target = "", part = ""] = link.split("#");
    const path = decodeURI(
      target === "" ? from : posix.join(target.startsWith("/") ? "" : posix.dirname(from), target),
    );
    const file = path.replace(/^\//, "");
    const page = file === "" || file.endsWith("/") ? `${file}index.html` : file;
    const named = parts.has(page) ? page : `${page}.html`;
    if (!parts.has(named)) return existsSync(join(folder, file));
    return part === "" || parts.get(named)?.ids.has(decodeURIComponent(part));
  }
}

/** Returns the ids of a page and its links within the site: addresses with a scheme are left out. */
function partsOf(html) {
  const body = html.slice(html.indexOf("<body"));
  return {
    ids: new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => unescaped(id))),
    links: new Set(
      [...body.matchAll(/<a\b[^>]* href="([^"]+)"/g)]
        .map(([, href]) => unescaped(href))
        .filter((href) => !/^[a-z]+:/.test(href)),
    ),
  };
}

function unescaped(text) {
  return text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}
