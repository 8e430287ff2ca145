import { createHash } from "node:crypto";
import { parseUrl } from "pulumi-page-guard/tools";
import { forHtml } from "../escape";
import { type Chapter, type Entry, type Inline, type Table, withEdges } from "./document";
import { style } from "./style";

/** A list of more names than this is folded. */
const mostNames = 6;

/** Maximum number of characters of one string. */
const longest = 8000;

/** Number of rows that a searchable table shows at first. A browser shows this many rows quickly. */
export const firstRows = 100;

/** Style that shows all rows if no script runs. */
const withoutScript = "tbody.rest { display: table-row-group; }";

/** Returns a page as one file, which loads nothing and runs only `script`. `main` is HTML. */
export function page(title: string, main: string, script = ""): string {
  const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const scriptSource = script === "" ? "'none'" : digest(script);
  const scriptElement = script === "" ? "" : `<script>${script}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${digest(style)} ${digest(withoutScript)}; script-src ${scriptSource}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${forHtml(title)}</title>
<style>${style}</style>
<noscript><style>${withoutScript}</style></noscript>
</head>
<body>
<main>
${main}</main>
${scriptElement}</body>
</html>
`;
}

/** Returns a chapter in HTML. With `isOpen`, folded chapters inside it are open at first. `level` is the level of its heading. */
export function section(
  { title, count, look, entries = [], table: rows, details = [], id }: Chapter,
  isOpen = false,
  level = 2,
): string {
  const countNote = count === undefined ? "" : ` (${count})`;
  const name = `${forHtml(title, 400)}${countNote}`;
  const list = entries.length === 0 ? "" : `<ul>${entries.map(item).join("\n")}</ul>`;
  const cells = rows === undefined ? "" : table(rows);
  const anchor = id === undefined ? "" : ` id="${forHtml(id)}"`;
  if (look === "folded") {
    const open = isOpen && level > 2 ? " open" : "";
    return `<details${open}${anchor}><summary>${name}</summary>${cells}${list}</details>`;
  }
  const inside = details.map((one) => section(one, isOpen, level + 1)).join("");
  const kind = look === undefined ? anchor : ` class="undone" aria-label="${name}"`;
  return `<section${kind}><h${level}>${name}</h${level}>${list}${cells}${inside}</section>`;
}

function item({ lines, table: rows }: Entry): string {
  const texts = lines.map(({ depth, parts }) => {
    const indent = depth === 0 ? "" : ` in-${Math.min(depth, 2)}`;
    return `<div class="line${indent}">${parts.map(inline).join("")}</div>`;
  });
  const cells = rows === undefined ? "" : table(rows);
  return `<li>${texts.join("")}${cells}</li>`;
}

/** Returns a table in HTML. Each row is a `tbody`, which keeps the cells of the row together with the `isBelow` line under them. */
function table({ heads, rows, search }: Table): string {
  const columns = heads.map((head, at) => ({ ...head, at, name: forHtml(head.name) }));
  const above = columns.filter(({ isBelow }) => !isBelow);
  const kind = (name: string | undefined): string => (name ? ` class="${name}"` : "");
  const cells = above.map(
    ({ name, isNumber, width }) => `<th scope="col"${kind(isNumber ? "number" : width)}>${name}</th>`,
  );
  const bodies = rows.map((row, index) => {
    const texts = row.map((cell) => cell.map(inline).join(""));
    const first = above.map(
      ({ name, isNumber, at }) =>
        `<td data-name="${name}"${kind(isNumber ? "number" : "")}>${texts[at]}</td>`,
    );
    const second = columns
      .filter(({ isBelow, at }) => isBelow && texts[at] !== "")
      .map(({ name, at }) => `<span><b>${name}</b>&nbsp;${texts[at]}</span>`)
      .join(" ");
    const more = second && `<tr class="below"><td colspan="${above.length}">${second}</td></tr>`;
    const rest = search !== undefined && index >= firstRows ? "rest" : "";
    return `<tbody${kind(rest)}><tr>${first.join("")}</tr>${more}</tbody>`;
  });
  const tools = search === undefined ? "" : ` data-search="${forHtml(search)}"`;
  return `<table${tools}><thead><tr>${cells.join("")}</tr></thead>${bodies.join("\n")}</table>`;
}

/** Returns a link for an https URL without a user name or password. Any other string may be harmful, so it stays plain text. */
function link(target: string): string {
  const url = parseUrl(target);
  const text = forHtml(target, longest);
  if (url?.protocol !== "https:" || url.username || url.password || url.href.length > longest) return text;
  return `<a href="${forHtml(url.href, longest)}" rel="noreferrer">${text}</a>`;
}

function inline(part: Inline): string {
  if (typeof part === "string") return withEdges(part, (text) => forHtml(text, longest));
  if ("strong" in part) {
    const tone = part.tone ? ` class="${part.tone}"` : "";
    return `<strong${tone}>${forHtml(part.strong)}</strong>`;
  }
  if ("tag" in part) return `<span class="code">[${forHtml(part.tag)}]</span>`;
  if ("link" in part)
    return part.to ? `<a href="#${part.to}">${forHtml(part.link, longest)}</a>` : link(part.link);
  if ("code" in part) return `<code>${forHtml(part.code, longest)}</code>`;
  const { names, isCode, isStrong, areLines } = part;
  const shown = names.map((name) => (isCode ? `<code>${forHtml(name)}</code>` : forHtml(name, 400)));
  if (areLines) return shown.join("<br>");
  const [first, ...rest] = shown;
  const list =
    shown.length <= mostNames
      ? shown.join(", ")
      : `<details class="names"><summary>${first} and ${rest.length} more</summary>${rest.join(", ")}</details>`;
  return isStrong ? `<strong>${list}</strong>` : list;
}
