import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { anchor, importName, pagePath } from "./pages.mjs";

export const sections = [
  { text: "Guides", link: "/guides/", activeMatch: "^/(?:guides|examples|templates)/" },
  { text: "Resources", link: "/resources/", activeMatch: "^/resources/" },
  { text: "Commands", link: "/commands/", activeMatch: "^/commands/" },
  { text: "Topics", link: "/configuration", activeMatch: "^/[\\w-]+\\.html$" },
  { text: "API", link: "/reference/", activeMatch: "^/reference/" },
];

/** Pages outside of the sections, in groups. */
const topics = {
  "Set up": [
    "configuration",
    "compatibility",
    "guarantees",
    "non-goals",
    "resource-options",
    "languages",
    "automation-api",
  ],
  Run: ["pipelines", "adoption", "scale", "audit"],
  Policies: ["csp-lint-rules", "csp-matching"],
  "Look up": ["findings", "errors", "waf-migration-refusals", "upstream"],
};
const aboutProject = [
  "docs/architecture.md",
  "docs/proof.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
];

/** Returns a sidebar for each section. A common sidebar would repeat all pages in every page. */
export function sidebars(root) {
  const read = (file) => readFileSync(join(root, file), "utf8");
  const entry = (file) => {
    const [, heading] = /^# (.+)$/m.exec(read(file)) ?? [];
    if (heading === undefined) throw new Error(`${file} has no title`);
    return { text: heading.replaceAll("`", ""), link: linkTo(file) };
  };

  /** Returns the pages in a README: lines with `- [Title](file.md)` or `| [Title](file.md) |` below headings. */
  const listedIn = (readme) => {
    const groups = [{ ...entry(readme), items: [] }];
    for (const line of read(readme).split("\n")) {
      const [, heading] = /^## (.+)$/.exec(line) ?? [];
      if (heading !== undefined) groups.push({ text: heading, items: [] });
      const [, text, file] = /^(?:- |\d+\. |\| )\[([^\]]+)\]\(([^)#:]+)\)/.exec(line) ?? [];
      if (file === undefined) continue;
      const page = posix.join(posix.dirname(readme), file.endsWith(".md") ? file : `${file}/README.md`);
      groups.at(-1).items.push({ text: text.replaceAll("`", ""), link: linkTo(page) });
    }
    return groups.filter(({ items, link }) => items.length > 0 || link !== undefined);
  };

  const decisions = {
    text: "Decisions",
    link: "/decisions/",
    collapsed: true,
    items: listedIn("docs/decisions/README.md").flatMap(({ items }) => items),
  };
  const guides = listedIn("docs/guides/README.md");
  return {
    "/guides/": guides,
    "/examples/": guides,
    "/templates/": guides,
    "/resources/": listedIn("docs/resources/README.md"),
    "/commands/": listedIn("docs/commands/README.md"),
    ...reference(JSON.parse(read("docs/reference/navigation.json"))),
    "/": [
      ...Object.entries(topics).map(([text, names]) => ({
        text,
        items: names.map((name) => entry(`docs/${name}.md`)),
      })),
      { text: "The project", items: [...aboutProject.map(entry), decisions] },
    ],
  };
}

/** Returns a sidebar for each entry point in the output of TypeDoc. */
function reference(modules) {
  const itemOf = ({ title, path, children = [] }, parent) => {
    // With a link, only the arrow is a button that folds a group; without it, the text would be a second button.
    const link = path ? linkTo(`docs/reference/${path}`) : `${parent}#${anchor(title)}`;
    const items = children.map((child) => itemOf(child, link));
    return { text: title, link, ...(items.length > 0 && { collapsed: true, items }) };
  };
  const entryPoints = modules.map((module) => itemOf({ ...module, title: importName(module.title) }));
  const api = { text: "API", items: entryPoints.map(({ text, link }) => ({ text, link })) };
  return Object.fromEntries([
    ["/reference/", [api]],
    ...entryPoints.map(({ link, items = [] }) => [link, [api, ...items]]),
  ]);
}

function linkTo(file) {
  return `/${pagePath(file)}`.replace(/(?:index)?\.md$/, "");
}
