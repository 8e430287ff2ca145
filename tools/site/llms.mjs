import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pagePath } from "./pages.mjs";

const summary = `# pulumi-page-guard

> Pulumi resources for a zone's page security: script monitoring, Content Security Policies, managed WAF rules and the
> one-way migration to the new WAF; and the command page-guard, which adopts, reviews and reports.
`;

const parts = [
  ["Guides", /^guides\//],
  ["Examples", /^(?:examples|templates)\//],
  ["Resources", /^resources\//],
  ["Commands", /^commands\//],
  ["Topics", /^[^/]+$/],
  ["API", /^reference\//],
  ["Optional", /^(?:decisions|reviews)\//],
];

/** Writes `llms.txt` (https://llmstxt.org): the pages by title, with links to Markdown copies beside the HTML. */
export function writeForMachines({ root, outDir, pages }) {
  const known = pages
    .map((file) => ({ path: pagePath(file), text: readFileSync(join(root, file), "utf8") }))
    .filter(({ path }) => path !== "index.md");
  for (const { path, text } of known) {
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), text);
  }
  const lists = parts.map(([name, belongs]) => {
    const items = known
      .filter(({ path }) => belongs.test(path))
      .map(({ path, text }) => `- [${titleOf(text) ?? path}](/${path})`);
    return `## ${name}\n\n${items.join("\n")}\n`;
  });
  writeFileSync(join(outDir, "llms.txt"), [summary, ...lists].join("\n"));
}

function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll("\\", "").replaceAll("`", "");
}
