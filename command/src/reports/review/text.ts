import { type Chapter, type Entry, type Inline, type Table, withEdges } from "../blocks/document";
import { forTerminal } from "../escape";
import { chaptersOf, isQuiet } from "./chapters";
import type { Review } from "./review";

/** Names in one line; the rest is counted. */
const mostNames = 20;

/** For a terminal or the log of a CI: the same order, without what is folded elsewhere. */
export function text(review: Review): string {
  const { stack, headline, alerts } = review;
  const chapters = chaptersOf(review);
  const name = forTerminal(stack ?? "(not known)");
  if (isQuiet(review, chapters)) return `Stack ${name}: nothing changes.\n`;
  const lines = [
    `Stack ${name}: ${forTerminal(headline, 1000)}`,
    ...alerts.map((one) => `! ${forTerminal(one, 1000)}`),
    ...chapters.flatMap(chapterLines),
  ];
  return `${lines.join("\n")}\n`;
}

function chapterLines({ title, count, look, entries, table, details = [] }: Chapter): string[] {
  if (look === "folded") return [`\n${forTerminal(title)}: ${count ?? entries.length} (in the reports)`];
  return [
    "",
    look === "alarm" ? title.toUpperCase() : title,
    ...entries.flatMap(entryLines),
    ...(table === undefined ? [] : tableLines(table)),
    ...details.flatMap((one) => [
      `  ${forTerminal(one.title, 400)}`,
      ...(one.table === undefined ? [] : tableLines(one.table)),
      ...one.entries.flatMap(entryLines),
    ]),
  ];
}

function entryLines({ lines, table }: Entry): string[] {
  const texts = lines.map(({ depth, parts }) => `  ${"  ".repeat(depth)}${parts.map(inlineText).join("")}`);
  return [...texts, ...(table === undefined ? [] : tableLines(table).map((one) => `  ${one}`))];
}

/** A row in one line; an empty cell is left out. */
function tableLines({ heads, rows }: Table): string[] {
  return rows.map((row) => {
    const [first = "", ...rest] = row.map((cell) => cell.map(inlineText).join(""));
    const named = rest.map((cell, column) => [heads[column + 1]?.name ?? "", cell] as const);
    const cells = named.filter(([, cell]) => cell !== "").map(([head, cell]) => `${head} ${cell}`.trim());
    return `  ${first}: ${cells.join("; ")}`;
  });
}

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
