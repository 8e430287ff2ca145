import { forMarkdownCode } from "../escape";
import { calm } from "./calm";
import { type Chapter, type Entry, type Inline, type Line, type Table, withEdges } from "./document";
import type { Section } from "./fitted";

/** Names in one line; the rest is counted. */
const mostNames = 6;

/** Lines of one message. */
const mostLines = 40;

/** Characters, as written, of what cannot be undone: first of the heads, then of what belongs to them. */
const roomOfHeads = 20_000;
const roomOfDetails = 20_000;
const mostDetails = 20;

/** A chapter in Markdown. */
export function sectionsOf(chapter: Chapter): Section[] {
  return chapter.look === "alarm" ? box(chapter) : [sectionOf(chapter)];
}

function sectionOf({ title, count, look, entries, table, what, share }: Chapter): Section {
  const name = count === undefined ? title : `${title} (${count})`;
  const [before, after] =
    look === "folded"
      ? [`\n<details><summary>${name}</summary>\n`, "\n</details>\n"]
      : [`\n### ${name}\n`, ""];
  const lines = entries.map((entry) => `\n- ${entryText(entry).replace(/\n(?=.)/g, "\n  ")}`);
  if (table === undefined)
    return { before, items: lines, after, what, ...(share !== undefined && { most: share }) };
  const intro = entries.map((entry) => `\n${entryText(entry)}`).join("");
  return { before: `${before}${intro}\n${headOf(table)}`, items: rowsOf(table), after, what };
}

/** A box on GitHub and GitLab, a quotation elsewhere. Its heads are never left out, the rest has its share of the room. */
function box({ title, entries, details = [] }: Chapter): Section[] {
  const shown = details.slice(0, mostDetails);
  const share = Math.floor(roomOfDetails / Math.max(1, shown.length));
  const left = details.length - shown.length;
  const note = left === 0 ? "" : `\n_What is sent for ${left} more is in the HTML report._\n`;
  return [
    {
      before: `\n> [!CAUTION]\n> **${calm(title, 100)}.**\n>\n${quoted(`${heads(entries)}${note}`)}`,
      ...{ items: [], after: "", what: "migrations" },
    },
    ...shown.map((chapter): Section => {
      const { title: name, count, entries: remarks, table, what } = chapter;
      const size = count === undefined ? "" : ` (${count})`;
      const lines = remarks.flatMap((entry) => entry.lines.map((one) => `\n${lineText(one, 150)}\n`));
      return {
        before: quoted(
          `\n<details><summary>${short(calm, name, 100)}${size}</summary>\n\n${table ? headOf(table) : ""}`,
        ),
        items: [...(table ? rowsOf(table) : []), ...lines].map(quoted),
        after: quoted("\n</details>\n"),
        ...{ what, edge: "> ", most: share },
      };
    }),
  ];
}

/** All of them: in full, in brief, or, of so many that a comment cannot have them, their number. */
function heads(entries: readonly Entry[]): string {
  const whole = entries.map((entry) => `- ${entryText(entry)}`).join("");
  if (whole.length <= roomOfHeads) return whole;
  let room = 2 * roomOfHeads;
  const briefs = entries.map(({ brief }) => (brief === undefined ? "" : `- ${lineText(brief, 40)}\n`));
  const kept = briefs.filter((one) => {
    room -= one.length;
    return room > 0;
  });
  const left = briefs.length - kept.length;
  return `${kept.join("")}${left === 0 ? "" : `- and ${left} more\n`}`;
}

function quoted(text: string): string {
  return text.replace(/^(?=.)/gm, "> ").replace(/^$\n/gm, ">\n");
}

function entryText({ lines, table }: Entry): string {
  const shown = lines.slice(0, mostLines).map((one) => lineText(one));
  if (lines.length > mostLines) shown.push(`… ${lines.length - mostLines} more lines`);
  const below = table === undefined ? "" : `\n${headOf(table)}${rowsOf(table).join("")}`;
  return `${shown.join("<br>")}\n${below}`;
}

function lineText({ depth, parts }: Line, most?: number): string {
  return `${"&nbsp;".repeat(Math.min(2 * depth, 8))}${parts.map((part) => inlineText(part, most)).join("")}`;
}

/** What a page has in the second line of a row is one column here. */
const below = { name: "more", isNumber: false };

function headOf({ heads: all }: Table): string {
  const heads = [
    ...all.filter(({ isBelow }) => !isBelow),
    ...(all.some(({ isBelow }) => isBelow) ? [below] : []),
  ];
  const rule = heads.map(({ isNumber }) => (isNumber ? "--:" : "---"));
  return `| ${heads.map(({ name }) => calm(name, 60)).join(" | ")} |\n| ${rule.join(" | ")} |\n`;
}

function rowsOf({ heads, rows }: Table): string[] {
  return rows.map((row) => {
    const cells = row.map((cell, at) => ({
      ...heads[at],
      text: cell.map((part) => inlineText(part)).join(""),
    }));
    const more = cells.filter(({ isBelow, text }) => isBelow && text !== "");
    const last = more.map(({ name = "", text }) => `${calm(name, 60)}: ${text}`).join("<br>");
    const texts = cells.filter(({ isBelow }) => !isBelow).map(({ text }) => text);
    return `| ${[...texts, ...(heads.some(({ isBelow }) => isBelow) ? [last] : [])].join(" | ")} |\n`;
  });
}

/** Cut by what is written in the end: one character may become a dozen. `most`: where there is little room. */
function inlineText(part: Inline, most?: number): string {
  if (typeof part === "string") return withEdges(part, (text) => short(calm, text, most ?? 600));
  if ("strong" in part) return `**${short(calm, part.strong, most ?? 200)}**`;
  if ("tag" in part) return `[${short(calm, part.tag, most ?? 100)}]`;
  if ("link" in part) return short(forMarkdownCode, part.link, most ?? 300);
  if ("code" in part) return short(forMarkdownCode, part.code, part.isWhole ? 8000 : (most ?? 300));
  const { names, isWhole, isCode, isStrong, areLines } = part;
  const shown = isWhole || areLines ? names : names.slice(0, mostNames);
  const texts = shown.map((name) =>
    short(isCode ? forMarkdownCode : calm, name, most ?? (areLines ? 400 : 120)),
  );
  if (areLines) return texts.join("<br>");
  const rest = names.length - shown.length;
  const list = `${texts.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return isStrong ? `**${list}**` : list;
}

function short(render: (text: string, most: number) => string, text: string, most: number): string {
  let written = render(text, most);
  for (let room = most; written.length > 2 * most && room > 1; ) {
    room = Math.floor(room / 2);
    written = render(text, room);
  }
  return written;
}
