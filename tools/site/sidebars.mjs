import { readdirSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { importName } from "./import-name.mjs";
import { anchor, pagePath } from "./pages.mjs";

export const sections = [
  { text: "Guides", link: "/guides/", activeMatch: "^/(?:guides|examples|templates)/" },
  { text: "Resources", link: "/resources/", activeMatch: "^/resources/" },
  { text: "Commands", link: "/commands/", activeMatch: "^/commands/" },
  { text: "Topics", link: "/configuration", activeMatch: "^/[\\w-]+\\.html$" },
  { text: "API", link: "/reference/", activeMatch: "^/reference/" },
];

/** Pages outside of the sections, in groups. Pages that no group names come last, as "More". */
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

/** Returns a sidebar for each section. A common sidebar would repeat all pages in every page. */
export function sidebars(root) {
  const decisions = listedIn(root, "docs/decisions/README.md");
  const project = {
    text: "The project",
    items: [
      ...["docs/architecture.md", "docs/proof.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(
        (file) => entry(root, file),
      ),
      {
        text: "Decisions",
        link: "/decisions/",
        collapsed: true,
        items: decisions.flatMap(({ items }) => items),
      },
    ],
  };
  const guides = listedIn(root, "docs/guides/README.md");
  return {
    "/guides/": guides,
    "/examples/": guides,
    "/templates/": guides,
    "/resources/": listedIn(root, "docs/resources/README.md"),
    "/commands/": listedIn(root, "docs/commands/README.md"),
    ...reference(root),
    "/": [...topicGroups(root), project],
  };
}

/** Returns the pages in the README of a section: lines with `- [Title](file.md)` or `| [Title](file.md) |` below headings. */
function listedIn(root, readme) {
  const groups = [{ text: title(root, readme), link: linkTo(readme), items: [] }];
  for (const line of readFileSync(join(root, readme), "utf8").split("\n")) {
    const [, heading] = /^## (.+)$/.exec(line) ?? [];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    const [, text, file] = /^(?:- |\d+\. |\| )\[([^\]]+)\]\(([^)#:]+)\)/.exec(line) ?? [];
    if (file === undefined) continue;
    const page = posix.join(posix.dirname(readme), file.endsWith(".md") ? file : `${file}/README.md`);
    groups.at(-1).items.push({ text: text.replaceAll("`", ""), link: linkTo(page) });
  }
  return groups.filter(({ items, link }) => items.length > 0 || link !== undefined);
}

function topicGroups(root) {
  const listed = new Set([...Object.values(topics).flat(), "architecture", "proof", "index"]);
  const others = readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => basename(name, ".md"))
    .filter((name) => !listed.has(name));
  const groups = others.length === 0 ? topics : { ...topics, More: others };
  return Object.entries(groups).map(([text, names]) => ({
    text,
    items: names.map((name) => entry(root, `docs/${name}.md`)),
  }));
}

/** Returns a sidebar for each entry point in the output of TypeDoc. */
function reference(root) {
  const modules = JSON.parse(readFileSync(join(root, "docs/reference/navigation.json"), "utf8"));
  const all = modules.map(({ title: name, path }) => ({ text: importName(name), link: inReference(path) }));
  return Object.fromEntries([
    ["/reference/", [{ text: "API", items: all }]],
    ...modules.map(({ path, children = [] }) => [
      inReference(path),
      [
        { text: "API", items: all },
        ...children.map(({ title: kind, children: members = [] }) => ({
          text: kind,
          // With this link, only the arrow is a button that folds the group; without it, the text would be a second button.
          link: `${inReference(path)}#${anchor(kind)}`,
          collapsed: true,
          items: members.map((member) => ({ text: member.title, link: inReference(member.path) })),
        })),
      ],
    ]),
  ]);
}

function inReference(path) {
  return linkTo(`docs/reference/${path}`);
}

function entry(root, file) {
  return { text: title(root, file), link: linkTo(file) };
}

function title(root, file) {
  const [, heading] = /^# (.+)$/m.exec(readFileSync(join(root, file), "utf8")) ?? [];
  if (heading === undefined) throw new Error(`${file} has no title`);
  return heading.replaceAll("`", "");
}

function linkTo(file) {
  return `/${pagePath(file)}`.replace(/(?:index)?\.md$/, "");
}
