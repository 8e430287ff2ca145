import { createHash } from "node:crypto";
import { forHtml } from "../escape";
import {
  type BlockedHost,
  hasNotes,
  headline,
  isUrgent,
  type Place,
  type Review,
  type ReviewChange,
  type ReviewNote,
  type ReviewPart,
  type ReviewZone,
  sidesOf,
  subjectsByKind,
} from "./review";
import { style } from "./style";

/** One file with everything in it: it loads nothing, runs nothing, and leaves nothing out. */
export function html(review: Review): string {
  const { stack, project, version, undone, zones, parts, result } = review;
  const name = forHtml(stack ?? "(not known)");
  const hash = createHash("sha256").update(style).digest("base64");
  const failed = result === "succeeded" ? "" : ' class="failed"';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Review of stack ${name}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1${failed}>Review of stack ${name}</h1>
${project === undefined ? "" : `<p class="soft">Project ${forHtml(project)}</p>\n`}<p class="lead">${forHtml(headline(review), 1000)}</p>
${undone.length === 0 ? "" : `<section class="undone" aria-labelledby="undone"><h2 id="undone">This cannot be undone</h2><ul>${undone.map(noteItem).join("")}</ul></section>\n`}${parts.filter(isUrgent).map(section).join("\n")}
${zones.length === 0 ? "" : zoneTable(zones)}${parts
  .filter((part) => !isUrgent(part))
  .map(section)
  .join("\n")}
<footer>pulumi-page-guard ${forHtml(version)}. The codes are explained in its docs/findings.md.</footer>
</main>
</body>
</html>
`;
}

function section(part: ReviewPart): string {
  const title = `${forHtml(part.title)} (${count(part)})`;
  const items = hasNotes(part) ? part.notes.map(noteItem) : part.changes.map(changeItem);
  const list = `<ul>${items.join("\n")}</ul>`;
  return part.isFolded
    ? `<details><summary>${title}</summary>${list}</details>`
    : `<section><h2>${title}</h2>${list}</section>`;
}

function count(part: ReviewPart): number {
  return hasNotes(part) ? part.notes.length : part.changes.reduce((sum, { names }) => sum + names.length, 0);
}

function noteItem(note: ReviewNote): string {
  const { subjects, code, text, hosts, moreHosts } = note;
  const of = subjects.length === 0 ? "" : `<strong>${all(subjectsByKind(subjects))}</strong>${place(note)} `;
  const end = code === undefined ? "" : ` <span class="code">[${forHtml(code)}]</span>`;
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "" && (hosts.length === 0 || !/^\s/.test(line)));
  const [first = "", ...rest] = lines.map((line) => [line, forHtml(line.trim(), 4000)] as const);
  const below = rest.map(([line, shown]) => `<p${/^\s/.test(line) ? ' class="in"' : ""}>${shown}</p>`);
  const table = hosts.length === 0 ? "" : hostTable(hosts, moreHosts);
  return `<li><p>${of}${first === "" ? "" : first[1]}</p>${table}${below.join("")}${end}</li>`;
}

function hostTable(hosts: readonly BlockedHost[], more: number): string {
  const rows = hosts.map(({ host, scripts, connections, isMalicious, firstPage, lastSeen }) =>
    row([
      [
        "would be blocked",
        `<code>${forHtml(host)}</code>${isMalicious ? " <strong>malicious</strong>" : ""}`,
      ],
      ["scripts", String(scripts), "number"],
      ["connections", String(connections), "number"],
      ["first seen on", firstPage === undefined ? "" : `<code>${forHtml(firstPage)}</code>`],
      ["last seen", forHtml(lastSeen ?? "")],
    ]),
  );
  const note = more > 0 ? `<p class="soft">and ${more} more hosts</p>` : "";
  return table(["would be blocked", "scripts", "connections", "first seen on", "last seen"], rows) + note;
}

function changeItem(change: ReviewChange): string {
  const { kind, names, zones, differences, isProtected } = change;
  const where = zones.length === 0 ? "" : ` <span class="soft">zone ${all(zones)}</span>`;
  const guard = isProtected ? ' <span class="soft">protected</span>' : "";
  const head = `<p><strong>${forHtml(kind)} ${all(names)}</strong>${place(change)}${where}${guard}</p>`;
  if (differences.length === 0) return `<li>${head}</li>`;
  const side = (text: string | undefined): string =>
    text === undefined ? "" : `<code>${forHtml(text, 4000)}</code>`;
  const heads = sidesOf(differences);
  const rows = differences.map(({ path, before, after }) => {
    const sides = { value: after, was: before, is: before, becomes: after };
    const cells = heads.map((name) => [name, side(sides[name])] as const);
    return row([["property", `<code>${forHtml(path)}</code>`], ...cells]);
  });
  return `<li>${head}${table(["property", ...heads], rows, ' class="sides"')}</li>`;
}

function zoneTable(zones: readonly ReviewZone[]): string {
  const heads = ["zone", "create", "update", "replace", "delete", "said of it"];
  const rows = zones.map(({ zone, creates, updates, replaces, deletes, codes }) =>
    row([
      ["zone", `<code>${forHtml(zone)}</code>`],
      ["create", number(creates), "number"],
      ["update", number(updates), "number"],
      ["replace", number(replaces), "number"],
      ["delete", number(deletes), "number"],
      ["said of it", forHtml(codes.join(", "), 2000)],
    ]),
  );
  return `<section><h2>Zones (${zones.length})</h2>${table(heads, rows)}</section>\n`;
}

function number(count: number): string {
  return count === 0 ? "" : String(count);
}

/** `data-name` is shown on a phone, where a row is a block of lines. */
function row(cells: readonly (readonly [name: string, content: string, kind?: string])[]): string {
  const shown = cells.map(
    ([name, content, kind]) =>
      `<td data-name="${name}"${kind === undefined ? "" : ` class="${kind}"`}>${content}</td>`,
  );
  return `<tr>${shown.join("")}</tr>`;
}

function table(heads: readonly string[], rows: readonly string[], attributes = ""): string {
  const cells = heads.map((head) => `<th scope="col">${head}</th>`).join("");
  return `<table${attributes}><thead><tr>${cells}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
}

function all(texts: readonly string[]): string {
  return texts.map((text) => forHtml(text)).join(", ");
}

function place({ file, line }: Place): string {
  if (file === undefined) return "";
  return ` <code>${forHtml(line === undefined ? file : `${file}:${line}`)}</code>`;
}
