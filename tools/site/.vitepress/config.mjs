import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deadLinks } from "../dead-links.mjs";
import { fencedCode, plainHeads } from "../elements.mjs";
import { repositoryLinks } from "../links.mjs";
import { writeForMachines } from "../llms.mjs";
import { anchor, notShown, pagePath } from "../pages.mjs";
import { sections, sidebars } from "../sidebars.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const { version } = JSON.parse(readFileSync(join(root, "provider/package.json"), "utf8"));
/** Files that pages link to and that are not pages. */
const files = new Set();

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2563eb" d="M8 0l6 2v5c0 4-2.500 7-6 9C4.500 14 2 11 2 7V2z"/><path fill="none" stroke="#fff" stroke-width="2" d="M5 8l2 2 4-5"/></svg>`;

/** Adds the main landmark to the home page: the theme adds this landmark only to other pages. */
const homeInMain = {
  name: "home-in-main",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/VPHome.vue")) return undefined;
    return code
      .replace(/(<template>\s*<)div/, "$1main")
      .replace(/(<\/)div(>\s*<\/template>\s*<style)/, "$1main$2");
  },
};

/** The source folder is the whole repository, because pages stay in the places where a forge shows them. */
export default {
  srcDir: "../..",
  srcExclude: notShown,
  rewrites: pagePath,
  outDir: "dist",
  cacheDir: "node_modules/.cache",
  // Keeps the list of all pages in one file instead of in each page.
  metaChunk: true,

  lang: "en",
  title: "pulumi-page-guard",
  description:
    "Pulumi resources for page security: settings, CSP policies, managed WAF rules and the migration to them",
  vite: { plugins: [homeInMain] },
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  markdown: {
    // The contrast of the default light theme is below 4.5 to 1 on this background.
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    anchor: { slugify: anchor },
    config: (md) => md.use(plainHeads).use(fencedCode).use(repositoryLinks({ root, files })),
  },
  themeConfig: {
    nav: [...sections, { text: `v${version}`, link: "/CHANGELOG" }],
    sidebar: sidebars(root),
    outline: [2, 3],
    search: { provider: "local" },
    externalLinkIcon: true,
  },

  async buildEnd({ outDir, pages }) {
    for (const path of files) {
      mkdirSync(dirname(join(outDir, "files", path)), { recursive: true });
      copyFileSync(join(root, path), join(outDir, "files", path));
    }
    writeForMachines({ root, outDir, pages });
    const dead = deadLinks(outDir);
    if (dead.length > 0) throw new Error(`Dead links:\n${dead.join("\n")}`);
  },
};
