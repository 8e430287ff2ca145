import { existsSync } from "node:fs";
import { join } from "node:path";

/** Markdown of the repository that is no page: a site has `docs/index.md` for the README, and no tests. */
export const notShown = [
  "README.md",
  "{examples,templates}/*/*/**",
  "{examples,templates}/*/!(README).md",
  "{csp,provider,command,simulator}/**",
  "reports/**",
  "test/**",
  "tools/**",
];

/** Where the site shows a Markdown file of the repository: `docs/` is its root, a README is the page of its folder. */
export function pagePath(file) {
  return file.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

export function isPage(root, file) {
  const isShown =
    /^(?:docs\/.*|(?:examples|templates)\/[^/]+\/README|[^/]+)\.md$/.test(file) && file !== "README.md";
  return isShown && existsSync(join(root, file));
}

/** The anchor of a heading, as a forge makes it: the links of the pages work on both. */
export function anchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replace(/ /g, "-");
}
