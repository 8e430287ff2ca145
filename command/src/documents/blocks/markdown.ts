import { forMarkdown, forMarkdownCode } from "../escape";
import { type Chapter, type Entry, type Inline, type Line, type Table, withEdges } from "./document";

/** Maximum number of names in one line; the rest is counted. */
const mostNames = 6;

/** Maximum number of lines of one message. */
const mostLines = 40;

/** Limits of the box with changes that cannot be undone: characters of its Markdown, and number of entries. */
const roomOfBox = 20_000;
const mostHeads = 200;

/** Returns a chapter and the chapters inside it as sections of Markdown. */
export function renderSections(chapter: Chapter): Section[] {
  if (chapter.look === "alarm") return box(chapter);
  return [ownSection(chapter), ...(chapter.details ?? []).flatMap(renderSections)];
}

function ownSection({ title, count, look, entries = [], table, what, share: most }: Chapter): Section {
  const countNote = count === undefined ? "" : ` (${count})`;
  const name = `${short(escapeForForge, title, 100)}${countNote}`;
  const isFolded = look === "folded";
  const before = isFolded ? `\n<details><summary>${name}</summary>\n` : `\n### ${name}\n`;
  const after = isFolded ? "\n</details>\n" : "";
  const texts = entries.map((entry) => entryText(entry).replace(/\n(?=.)/g, "\n  "));
  if (table === undefined) return { before, items: texts.map((text) => `\n- ${text}`), after, what, most };
  const intro = texts.map((text) => `\n${text}`).join("");
  const [head, ...rows] = tableText(table);
  return { before: `${before}${intro}\n${head}`, items: rows, after, what };
}

/** Returns the entries of a chapter in a box, then its details. If the entries are too long, shows only their first lines. */
function box({ title, entries = [], what, details = [] }: Chapter): Section[] {
  const whole = entries.map((entry) => `- ${entryText(entry)}`).join("");
  const cut = entries.slice(0, mostHeads).map(({ lines: [head] }) => `- ${lineText(head, 40)}\n`);
  const more = entries.length > mostHeads ? `- and ${entries.length - mostHeads} more\n` : "";
  const heads = whole.length <= roomOfBox ? whole : `${cut.join("")}${more}`;
  const before = `\n> [!CAUTION]\n> **${escapeForForge(title, 100)}.**\n>\n${heads.replace(/^(?=.)/gm, "> ")}`;
  const below = details.map((one) => ({
    ...ownSection({ ...one, entries: [] }),
    items: (one.entries ?? []).flatMap(({ lines }) => lines.map((each) => `\n${lineText(each, 150)}\n`)),
    most: roomOfBox,
  }));
  return [{ before, items: [], after: "", what }, ...below];
}

function entryText({ lines, table }: Entry): string {
  const shown = lines.slice(0, mostLines).map((one) => lineText(one));
  if (lines.length > mostLines) shown.push(`… ${lines.length - mostLines} more lines`);
  const below = table === undefined ? "" : `\n${tableText(table).join("")}`;
  return `${shown.join("<br>")}\n${below}`;
}

function lineText({ depth, parts }: Line = { depth: 0, parts: [] }, most?: number): string {
  return `${"&nbsp;".repeat(Math.min(2 * depth, 8))}${parts.map((part) => inlineText(part, most)).join("")}`;
}

/** Returns the head and the rows of a table. Columns that an HTML page shows in a second line share one column, `more`. */
function tableText({ heads, rows }: Table): [head: string, ...rows: string[]] {
  const isSplit = heads.some(({ isBelow }) => isBelow);
  const above = heads.filter(({ isBelow }) => !isBelow);
  const renderRow = (cells: readonly string[], ...more: readonly string[]): string =>
    `| ${[...cells, ...(isSplit ? more : [])].join(" | ")} |\n`;
  const names = above.map(({ name }) => escapeForForge(name, 60));
  const rule = above.map(({ isNumber }) => (isNumber ? "--:" : "---"));
  return [
    `${renderRow(names, "more")}${renderRow(rule, "---")}`,
    ...rows.map((row) => {
      const texts = row.map((cell) => cell.map((part) => inlineText(part)).join(""));
      const second = heads.flatMap(({ name, isBelow }, at) =>
        isBelow && texts[at] ? [`${escapeForForge(name, 60)}: ${texts[at]}`] : [],
      );
      return renderRow(
        texts.filter((_, at) => !heads[at]?.isBelow),
        second.join("<br>"),
      );
    }),
  ];
}

/** Renders a piece of a line. `most` replaces the usual limit where there is little room, except for code with `isWhole`. */
function inlineText(part: Inline, most?: number): string {
  if (typeof part === "string") return withEdges(part, (text) => short(escapeForForge, text, most ?? 600));
  if ("strong" in part) return `**${short(escapeForForge, part.strong, most ?? 200)}**`;
  if ("tag" in part) return `[${short(escapeForForge, part.tag, most ?? 100)}]`;
  if ("link" in part)
    return part.to
      ? short(escapeForForge, part.link, most ?? 1000)
      : short(forMarkdownCode, part.link, most ?? 300);
  if ("code" in part) return short(forMarkdownCode, part.code, part.isWhole ? 8000 : (most ?? 300));
  const { names, isWhole, isCode, isStrong, areLines } = part;
  const shown = isWhole || areLines ? names : names.slice(0, mostNames);
  const texts = shown.map((name) =>
    short(isCode ? forMarkdownCode : escapeForForge, name, most ?? (areLines ? 400 : 120)),
  );
  if (areLines) return texts.join("<br>");
  const rest = names.length - shown.length;
  const more = rest > 0 ? ` and ${rest} more` : "";
  const list = `${texts.join(", ")}${more}`;
  return isStrong ? `**${list}**` : list;
}

/** Renders at most `most` characters of a string, and fewer if escapes would make the result longer than `2 * most`. */
function short(render: (text: string, most: number) => string, text: string, most: number): string {
  let written = render(text, most);
  for (let room = most; written.length > 2 * most && room > 1; ) {
    room = Math.floor(room / 2);
    written = render(text, room);
  }
  return written;
}

/**
 * Escapes a string for the Markdown of GitHub and GitLab. Except in code, both services search the rendered text again for
 * mentions, issues and links. By then the escapes are gone, but the zero-width characters that this function adds remain.
 */
export function escapeForForge(text: string, most = 300): string {
  return forMarkdown(text, most)
    .replaceAll("&#64;", "&#64;&#8203;")
    .replaceAll("&#58;", "&#58;&#8203;")
    .replaceAll("&#46;", "&#46;&#8203;")
    .replace(/(\\[#~^$]|[!%]|&amp;)(?=\w)/g, "$1&#8203;")
    .replace(/\b(GH|gl)-(?=\d)/gi, "$1-&#8203;");
}

const entities = { "#8203": "", "#64": "@", "#58": ":", "#46": ".", lt: "<", gt: ">", amp: "&" };

/** Returns the first heading of level 2 as plain text, without the escapes of `escapeForForge`; undefined if there is none. */
export function readTitle(markdown: string): string | undefined {
  const heading = /^## (.+)$/m.exec(markdown)?.[1];
  return heading?.replace(
    /\\([\\`*_{}[\]#|~$^])|&(#8203|#64|#58|#46|lt|gt|amp);/g,
    (_, sign: string | undefined, entity: keyof typeof entities) => sign ?? entities[entity],
  );
}

/** A part of a document. If the document is too long, the part loses items, but never its heading. */
interface Section {
  readonly before: string;
  readonly items: readonly string[];
  readonly after: string;
  /** Noun for the items, for the note about items that are left out. */
  readonly what: string;
  /** Maximum number of characters of its items if the document has to be cut. */
  readonly most?: number | undefined;
}

/** Room for the note on items left out of one section, in characters. */
const noteRoom = 200;

/** Cuts a document to `most` characters. Items of earlier sections have priority. Notes count the items left out. */
export function fitSections(head: string, sections: readonly Section[], foot: string, most: number): string {
  const whole = [head, ...sections.map((one) => one.before + one.items.join("") + one.after), foot].join("");
  if (whole.length <= most) return whole;
  const [all, frame] = [sections.flatMap(({ items }) => items), noteRoom * (sections.length + 1)];
  let room = most - (whole.length - all.join("").length) - frame;
  let leftOut = 0;
  const parts = sections.map(({ before, items, after, what, most: own = room }) => {
    let left = Math.min(own, room);
    const cutAt = items.findIndex((item) => {
      left -= item.length;
      return left < 0;
    });
    const kept = (cutAt === -1 ? items : items.slice(0, cutAt)).join("");
    room -= kept.length;
    const cut = cutAt === -1 ? 0 : items.length - cutAt;
    leftOut += cut;
    const note = cut && `\n_… ${cut} of ${items.length} are not shown here (${what})._\n`;
    return `${before}${kept}${note || ""}${after}`;
  });
  const note = `\n**Cut to fit a comment: ${leftOut} of ${all.length} entries are not shown. The HTML report has them all.**\n`;
  return [head, ...parts, note, foot].join("");
}
