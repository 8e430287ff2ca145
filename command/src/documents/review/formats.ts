import { type Chapter, type Entry, type Inline, type Table, withEdges } from "../blocks/document";
import { page, section } from "../blocks/html";
import { escapeForForge, fitSections, renderSections } from "../blocks/markdown";
import { forHtml, forMarkdownCode, forTerminal } from "../escape";
import { makeChapters } from "./chapters";
import type { Review } from "./review";

/** Returns the whole review as one HTML file that loads nothing and runs nothing. */
export function html(review: Review): string {
  const { stack, project, version, result, headline, alerts, zones, isFleet } = review;
  const title = isFleet ? "Review of the fleet" : `Review of stack ${stack ?? "(not known)"}`;
  const mark = result === "succeeded" ? "" : ' class="failed"';
  const projectLine = project === undefined ? "" : `<p class="soft">Project ${forHtml(project)}</p>\n`;
  const urgent = alerts.map((one) => `<li>${forHtml(one, 1000)}</li>`).join("");
  const alertList = urgent === "" ? "" : `<ul class="alerts">${urgent}</ul>\n`;
  const isOpen = zones.length <= 1;
  return page(
    title,
    `<h1${mark}>${forHtml(title)}</h1>
${projectLine}<p class="lead">${forHtml(headline, 1000)}</p>
${alertList}${makeChapters(review)
  .map((chapter) => section(chapter, isOpen))
  .join("\n")}
<footer>pulumi-page-guard ${forHtml(version)}. The codes are explained in its docs/findings.md.</footer>
`,
  );
}

/** Maximum number of characters of a comment. GitHub accepts 65,536. */
const longest = 60_000;

/** Returns the comment for a pull request, without mentions and markup from outside. Notes count the omitted entries. */
export function markdown(review: Review): string {
  const { stack, version, headline, alerts, isFleet } = review;
  const chapters = makeChapters(review);
  // Later runs find the comment by this marker, an HTML comment. The name of the stack must not be able to end the marker.
  const name = (stack ?? "").replace(/[^\w./]+/g, "-").slice(0, 100) || "unknown";
  const marker = `<!-- page-guard:review ${name} -->`;
  const title = isFleet ? "of the fleet" : `of stack ${forMarkdownCode(stack ?? "(not known)")}`;
  if (isQuiet(review, chapters)) return `${marker}\n**page-guard review** ${title}: nothing changes.\n`;
  const urgent = alerts.map((one) => `- **${escapeForForge(one, 400)}**\n`).join("");
  const alertList = urgent === "" ? "" : `\n${urgent}`;
  const head = `${marker}\n## Review ${title}\n\n**${escapeForForge(headline, 600)}**\n${alertList}`;
  const foot = `\n<sub>pulumi-page-guard ${escapeForForge(version, 30)}. The codes in brackets are explained in its docs/findings.md.</sub>\n`;
  return fitSections(head, chapters.flatMap(renderSections), foot, longest);
}

/** Returns the review for a terminal or a CI log, with all chapters in order. For a folded chapter, shows only the count. */
export function text(review: Review): string {
  const { stack, headline, alerts, isFleet } = review;
  const chapters = makeChapters(review);
  const name = isFleet ? "Fleet" : `Stack ${forTerminal(stack ?? "(not known)")}`;
  if (isQuiet(review, chapters)) return `${name}: nothing changes.\n`;
  const lines = [
    `${name}: ${forTerminal(headline, 1000)}`,
    ...alerts.map((one) => `! ${forTerminal(one, 1000)}`),
    ...chapters.flatMap(({ title, count, look, details = [], ...content }) => {
      if (look === "folded")
        return [`\n${forTerminal(title)}: ${count ?? content.entries?.length ?? 0} (in the reports)`];
      const inside = details.flatMap((one) => [`  ${forTerminal(one.title, 400)}`, ...contentLines(one)]);
      return ["", look === "alarm" ? title.toUpperCase() : title, ...contentLines(content), ...inside];
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function isQuiet({ isUnchanged }: Review, chapters: readonly Chapter[]): boolean {
  return isUnchanged && chapters.length === 0;
}

function contentLines({ entries = [], table }: Pick<Chapter, "entries" | "table">): string[] {
  return [...entries.flatMap(entryLines), ...tableLines(table)];
}

function entryLines({ lines, table }: Entry): string[] {
  const texts = lines.map(({ depth, parts }) => `  ${"  ".repeat(depth)}${parts.map(inlineText).join("")}`);
  return [...texts, ...tableLines(table).map((one) => `  ${one}`)];
}

/** Returns each row as one line, without empty cells. */
function tableLines(table: Table | undefined): string[] {
  if (table === undefined) return [];
  return table.rows.map((row) => {
    const [first, ...rest] = row.map((cell) => cell.map(inlineText).join(""));
    const cells = rest.flatMap((cell, at) => (cell === "" ? [] : `${table.heads[at + 1]?.name} ${cell}`));
    return `  ${first}: ${cells.join("; ")}`;
  });
}

/** Maximum number of names in one line; the rest is counted. */
const mostNames = 20;

function inlineText(part: Inline): string {
  if (typeof part === "string") return withEdges(part, (inner) => forTerminal(inner, 1000));
  if ("strong" in part) return forTerminal(part.strong);
  if ("tag" in part) return `[${forTerminal(part.tag)}]`;
  if ("link" in part) return forTerminal(part.link, 300);
  if ("code" in part) return forTerminal(part.code, 300);
  if (part.areLines) return part.names.map((name) => forTerminal(name, 300)).join("; ");
  const shown = part.names.slice(0, mostNames).map((name) => forTerminal(name));
  const rest = part.names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
