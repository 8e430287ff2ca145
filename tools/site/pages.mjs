import { existsSync } from "node:fs";
import { join } from "node:path";

/** Markdown files of the repository that are not pages. For README.md, the site has `docs/index.md`. */
export const notShown = [
  "README.md",
  "{examples,templates}/*/*/**",
  "{examples,templates}/*/!(README).md",
  "{csp,provider,command,simulator}/**",
  "reports/**",
  "test/**",
  "tools/**",
];

/** Returns the path of a Markdown file on the site: `docs/` is the root, and a README is the page of its folder. */
export function pagePath(file) {
  return file.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

export function isPage(root, file) {
  const isShown =
    /^(?:docs\/.*|(?:examples|templates)\/[^/]+\/README|[^/]+)\.md$/.test(file) && file !== "README.md";
  return isShown && existsSync(join(root, file));
}

/** Returns the anchor of a heading, in the form of a forge, so that links work on both. */
export function anchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replace(/ /g, "-");
}

/** Returns the name by which programs import a module of TypeDoc. */
export function importName(module) {
  if (module.startsWith("page-guard-")) return module;
  return module === "index" ? "pulumi-page-guard" : `pulumi-page-guard/${module}`;
}
