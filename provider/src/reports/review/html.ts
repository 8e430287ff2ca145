import { page, section } from "../blocks/html";
import { forHtml } from "../escape";
import { documentOf } from "./chapters";
import type { Review } from "./review";

/** One complete file: it loads nothing, runs nothing, and leaves nothing out. */
export function html(review: Review): string {
  const { stack, project, version, isFailed, headline, alerts, remark, chapters } = documentOf(review);
  const title = `Review of stack ${stack ?? "(not known)"}`;
  const urgent = alerts.map((one) => `<li>${forHtml(one, 1000)}</li>`).join("");
  return page({
    title,
    main: `<h1${isFailed ? ' class="failed"' : ""}>${forHtml(title)}</h1>
${project === undefined ? "" : `<p class="soft">Project ${forHtml(project)}</p>\n`}<p class="lead">${forHtml(headline, 1000)}</p>
${urgent === "" ? "" : `<ul class="alerts">${urgent}</ul>\n`}${chapters.map((chapter, index) => section(chapter, { index, isOpen: review.zones.length <= 1 })).join("\n")}
<footer>${remark === "" ? "" : `${forHtml(remark, 400)} `}pulumi-page-guard ${forHtml(version)}. The codes are explained in its docs/findings.md.</footer>
<<<<<<< HEAD
</main>
</body>
</html>
`;
}

/** `isOnly`: of one zone, whose details may be open. */
function section(chapter: Chapter, index: number, isOnly: boolean, isDetail = false): string {
  const { title, count, look, entries, table: rows, details = [] } = chapter;
  const name = `${forHtml(title, 400)}${count === undefined ? "" : ` (${count})`}`;
  const list = entries.length === 0 ? "" : `<ul>${entries.map(item).join("\n")}</ul>`;
  const cells = rows === undefined ? "" : table(rows);
  if (look === "folded") {
    const open = isOnly && isDetail ? " open" : "";
    return `<details${open}><summary>${name}</summary>${cells}${list}</details>`;
  }
  const within = `${list}${cells}${details.map((one) => section(one, index, isOnly, true)).join("")}`;
  if (look === "open") return `<section><h2>${name}</h2>${within}</section>`;
  return `<section class="undone" aria-labelledby="alarm-${index}"><h2 id="alarm-${index}">${name}</h2>${within}</section>`;
}

function item({ lines, table: rows }: Entry): string {
  return `<li>${lines.map(paragraph).join("")}${rows === undefined ? "" : table(rows)}</li>`;
}

function paragraph({ depth, parts }: Line): string {
  const kind = depth === 0 ? "line" : `line in-${Math.min(depth, 4)}`;
  return `<div class="${kind}">${parts.map(inline).join("")}</div>`;
}

/** `data-name` is shown on a phone, where a row is a block of lines. */
function table({ heads, rows }: Table): string {
  const cells = heads.map(({ name }) => `<th scope="col">${forHtml(name)}</th>`).join("");
  const lines = rows.map((row) =>
    row.map((cell, column) => {
      const { name = "", isNumber } = heads[column] ?? {};
      return `<td data-name="${forHtml(name)}"${isNumber ? ' class="number"' : ""}>${cell.map(inline).join("")}</td>`;
    }),
  );
  const body = lines.map((row) => `<tr>${row.join("")}</tr>`).join("\n");
  return `<table class="of-${heads.length}"><thead><tr>${cells}</tr></thead><tbody>${body}</tbody></table>`;
}

function inline(part: Inline): string {
  if (typeof part === "string") return withEdges(part, (text) => forHtml(text, longest));
  if ("strong" in part) return `<strong>${forHtml(part.strong)}</strong>`;
  if ("tag" in part) return `<span class="code">[${forHtml(part.tag)}]</span>`;
  if ("code" in part) return `<code>${forHtml(part.code, longest)}</code>`;
  const { names, isCode, isStrong, areLines } = part;
  const shown = names.map((name) => (isCode ? `<code>${forHtml(name)}</code>` : forHtml(name, 400)));
  if (areLines) return shown.join("<br>");
  // A comma stays with what is before it, and an id in one piece.
  const texts = shown.map((text, at) => {
    const whole = `${text}${at < names.length - 1 ? "," : ""}`;
    return (names[at]?.length ?? 0) > longestId ? whole : `<span class="id">${whole}</span>`;
=======
`,
>>>>>>> origin/main
  });
}
