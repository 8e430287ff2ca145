import { createHash } from "node:crypto";
import { parseUrl } from "pulumi-page-guard/tools";
import { forHtml } from "../escape";
import { type Chapter, type Entry, type Inline, type Line, type Table, withEdges } from "./document";
import { style } from "./style";

/** Of a zone and of an object in it. */
const longestId = 66;

/** More names than these are folded. */
const mostNames = 6;

/** Characters of one text. */
const longest = 8000;

/** Rows of a searchable table that are on the screen before someone asks for more: a browser is quick with these. */
export const firstRows = 100;

/** Where no script runs, all rows are on the screen. */
const withoutScript = "tbody.rest { display: table-row-group; }";

interface PageParts {
  readonly title: string;
  /** HTML. */
  readonly main: string;
  /** Runs at the end of the page. */
  readonly script?: string;
}

/** A page in one file, which loads nothing and runs nothing but `script`. */
export function page({ title, main, script }: PageParts): string {
  const scripts = script === undefined ? "" : ` script-src 'sha256-${digest(script)}';`;
  const styles = [style, ...(script === undefined ? [] : [withoutScript])].map(
    (one) => `'sha256-${digest(one)}'`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${styles.join(" ")};${scripts} base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${forHtml(title)}</title>
<style>${style}</style>
${script === undefined ? "" : `<noscript><style>${withoutScript}</style></noscript>\n`}</head>
<body>
<main>
${main}</main>
${script === undefined ? "" : `<script>${script}</script>\n`}</body>
</html>
`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/**
 * A chapter in HTML. `index` tells sections with a name of their own apart; `isOpen`: what is folded inside is open; `level`:
 * of its heading.
 */
export function section(
  chapter: Chapter,
  { index = 0, isOpen = false, level = 2 }: { index?: number; isOpen?: boolean; level?: number } = {},
): string {
  const { title, count, look, entries, table: rows, details = [], id } = chapter;
  const name = `${forHtml(title, 400)}${count === undefined ? "" : ` (${count})`}`;
  const list = entries.length === 0 ? "" : `<ul>${entries.map(item).join("\n")}</ul>`;
  const cells = rows === undefined ? "" : table(rows);
  const anchor = id === undefined ? "" : ` id="${forHtml(id)}"`;
  if (look === "folded") {
    const open = isOpen && level > 2 ? " open" : "";
    return `<details${open}${anchor}><summary>${name}</summary>${cells}${list}</details>`;
  }
  const inside = details.map((one) => section(one, { index, isOpen, level: level + 1 })).join("");
  const within = `${list}${cells}${inside}`;
  const heading = (attributes = "") => `<h${level}${attributes}>${name}</h${level}>`;
  if (look === "open") return `<section${anchor}>${heading()}${within}</section>`;
  return `<section class="undone" aria-labelledby="alarm-${index}">${heading(` id="alarm-${index}"`)}${within}</section>`;
}

function item({ lines, table: rows }: Entry): string {
  return `<li>${lines.map(paragraph).join("")}${rows === undefined ? "" : table(rows)}</li>`;
}

function paragraph({ depth, parts }: Line): string {
  const kind = depth === 0 ? "line" : `line in-${Math.min(depth, 4)}`;
  return `<div class="${kind}">${parts.map(inline).join("")}</div>`;
}

/** Each row is a body of its own, which stays together. `data-name` is shown on a phone, where a row is a block of lines. */
function table({ heads, rows, search }: Table): string {
  const above = [...heads.entries()].filter(([, { isBelow }]) => !isBelow);
  const below = [...heads.entries()].filter(([, { isBelow }]) => isBelow);
  const kind = (...names: readonly (string | false | undefined)[]): string => {
    const known = names.filter((name) => name);
    return known.length === 0 ? "" : ` class="${known.join(" ")}"`;
  };
  const cells = above.map(
    ([, { name, isNumber, width }]) =>
      `<th scope="col"${kind(isNumber && "number", width)}>${forHtml(name)}</th>`,
  );
  const bodies = rows.map((row, index) => {
    const text = (column: number): string => (row[column] ?? []).map(inline).join("");
    const first = above.map(
      ([column, { name, isNumber }]) =>
        `<td data-name="${forHtml(name)}"${kind(isNumber && "number")}>${text(column)}</td>`,
    );
    const second = below.flatMap(([column, { name }]) =>
      text(column) === "" ? [] : [`<span><b>${forHtml(name)}</b> ${text(column)}</span>`],
    );
    const more =
      second.length === 0
        ? ""
        : `<tr class="below"><td colspan="${above.length}">${second.join(" ")}</td></tr>`;
    return `<tbody${kind(search !== undefined && index >= firstRows && "rest")}><tr>${first.join("")}</tr>${more}</tbody>`;
  });
  const tools = search === undefined ? "" : ` data-search="${forHtml(search)}"`;
  return `<table class="of-${above.length}"${tools}><thead><tr>${cells.join("")}</tr></thead>${bodies.join("\n")}</table>`;
}

/** Nothing but a page of the web: what others wrote may be any URL. */
function link(target: string): string {
  const url = parseUrl(target);
  const text = forHtml(target, longest);
  if (url?.protocol !== "https:" || url.username !== "" || url.href.length > longest) return text;
  return `<a href="${forHtml(url.href, longest)}" rel="noreferrer">${text}</a>`;
}

function inline(part: Inline): string {
  if (typeof part === "string") return withEdges(part, (text) => forHtml(text, longest));
  if ("strong" in part) return `<strong>${forHtml(part.strong)}</strong>`;
  if ("tag" in part) return `<span class="code">[${forHtml(part.tag)}]</span>`;
  if ("link" in part) return link(part.link);
  if ("code" in part) return `<code>${forHtml(part.code, longest)}</code>`;
  const { names, isCode, isStrong, areLines } = part;
  const shown = names.map((name) => (isCode ? `<code>${forHtml(name)}</code>` : forHtml(name, 400)));
  if (areLines) return shown.join("<br>");
  // A comma stays with what is before it, and an id in one piece.
  const texts = shown.map((text, at) => {
    const whole = `${text}${at < names.length - 1 ? "," : ""}`;
    return (names[at]?.length ?? 0) > longestId ? whole : `<span class="id">${whole}</span>`;
  });
  const list =
    texts.length <= mostNames
      ? texts.join(" ")
      : `<details class="names"><summary>${shown[0]} and ${texts.length - 1} more</summary>${texts.slice(1).join(" ")}</details>`;
  return isStrong ? `<strong>${list}</strong>` : list;
}
