import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pagePath } from "./pages.mjs";

/**
 * Pages link to files of the repository, relative to themselves, so that a forge shows them too. On the site a link to a
 * page leads to that page, to a folder to its README, and to another file to a copy of it below /files.
 */
export function repositoryLinks({ root, isPage, files }) {
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
          // Not a page: the browser opens it, not the site's router.
          token.attrSet("target", "_self");
        }
        // Else it stays as it is, and the build ends with it as a dead link.
      }
    });
  };

  function pageOf(path) {
    if (path === "README.md" || path === "") return "docs/index.md";
    if (isPage(path)) return path;
    if (!existsSync(join(root, path)) || !statSync(join(root, path)).isDirectory()) return undefined;
    const readme = join(path, "README.md");
    if (isPage(readme)) return readme;
    // A folder without a page of its own is described by the page of the folder around it.
    return path === "examples" || path === "templates" ? "docs/guides/README.md" : pageOf(dirname(path));
  }
}
