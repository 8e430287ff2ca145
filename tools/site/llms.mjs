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
  const items = pages.flatMap((file) => {
    const path = pagePath(file);
    const text = readFileSync(join(root, file), "utf8");
    if (path === "index.md") return [];
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), text);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
    return [{ path, line: `- [${title.replace(/[\\`]/g, "")}](/${path})\n` }];
  });
  const lists = parts.map(([name, belongs]) => {
    const lines = items.filter(({ path }) => belongs.test(path)).map(({ line }) => line);
    return `## ${name}\n\n${lines.join("")}`;
  });
  writeFileSync(join(outDir, "llms.txt"), [summary, ...lists].join("\n"));
}
