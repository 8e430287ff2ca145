import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { isPage, pagePath } from "./pages.mjs";

/**
 * Rewrites links of pages. Pages link to files of the repository with relative paths, which a forge follows too. On the
 * site, a link leads to the page, to the README of a folder, or to a copy of any other file below /files.
 */
export function repositoryLinks({ root, files }) {
  return (md) => {
    md.core.ruler.push("repository-links", ({ tokens, env }) => {
      for (const token of tokens.flatMap(({ children }) => children ?? [])) {
        const href = token.type === "link_open" ? token.attrGet("href") : undefined;
        if (!href || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
        const [target, part] = href.split("#");
        const source = env.realPath ?? env.path;
        const path = normalize(join(dirname(source), decodeURI(target))).slice(root.length + 1);
        const page = pageOf(path);
        if (page !== undefined) token.attrSet("href", `/${pagePath(page)}${part ? `#${part}` : ""}`);
        else if (existsSync(join(root, path))) {
          files.add(path);
          token.attrSet("href", `/files/${path}`);
          // Opened by the browser, not by the router of the site, because it is not a page.
          token.attrSet("target", "_self");
        }
        // Any other link stays as it is, and the build reports it as a dead link.
      }
    });
  };

  function pageOf(path) {
    if (path === "README.md" || path === "") return "docs/index.md";
    if (isPage(root, path)) return path;
    if (!existsSync(join(root, path)) || !statSync(join(root, path)).isDirectory()) return undefined;
    const readme = join(path, "README.md");
    if (isPage(root, readme)) return readme;
    // The page of the parent folder describes a folder without a page of its own.
    return path === "examples" || path === "templates" ? "docs/guides/README.md" : pageOf(dirname(path));
  }
}
