import { page, section } from "../blocks/html";
import { forHtml } from "../escape";
import { type Attention, attentionOf, severityWords } from "./attention";
import { chaptersOf } from "./chapters";
import { factsOf, titleOf } from "./head";
import type { AuditReport } from "./report-data";
import { tableScript } from "./table-script";

/** One file with everything in it, which loads nothing. Without its script all of it is there, too. */
export function html(report: AuditReport): string {
  const title = titleOf(report);
  const chapters = chaptersOf(report);
  const links = [
    { id: "glance", title: "At a glance" },
    { id: "not-covered", title: "Not covered" },
    ...chapters.map(({ id = "", title: name }) => ({ id, title: name })),
  ];
  return page({
    title,
    script: tableScript,
    main: `<h1>${forHtml(title)}</h1>
<dl class="facts">${factsOf(report)
      .map(([name, value]) => `<div><dt>${forHtml(name)}</dt><dd>${forHtml(value, 2000)}</dd></div>`)
      .join("")}</dl>
<nav aria-label="Parts"><ul>${links.map(({ id, title: name }) => `<li><a href="#${id}">${forHtml(name)}</a></li>`).join("")}</ul></nav>
${glance(report)}
${notCovered(report)}
${chapters.map((chapter, index) => section(chapter, { index })).join("\n")}
<footer>Made by pulumi-page-guard ${forHtml(report.head.version)}. The same data is in the JSON and CSV files of this report; SHA-256 ${forHtml(report.head.digest)}.</footer>
`,
  });
}

function notCovered({ head }: AuditReport): string {
  const items = head.notCovered.map(
    ({ title, text }) => `<li><strong>${forHtml(title)}.</strong> ${forHtml(text, 1000)}</li>`,
  );
  return `<section id="not-covered" class="limits"><h2>Not covered by this report</h2><ul>${items.join("")}</ul></section>`;
}

function glance(report: AuditReport): string {
  const needs = attentionOf(report);
  const list =
    needs.length === 0
      ? "<p>Nothing.</p>"
      : `<ul class="needs">${needs.map((need) => needItem(need, report.data.zones.length > 1)).join("")}</ul>`;
  return `<section id="glance"><h2>At a glance</h2><h3>What needs a person</h3>${list}</section>`;
}

function needItem({ severity, text, zones, chapter }: Attention, hasZones: boolean): string {
  const where =
    zones.length === 0 || !hasZones
      ? ""
      : zones.length > 6
        ? ` <details class="names"><summary>in ${zones.length} zones</summary>${zones.map((zone) => forHtml(zone)).join(", ")}</details>`
        : ` <span class="soft">(${zones.map((zone) => forHtml(zone)).join(", ")})</span>`;
  return `<li class="${severity}"><strong>${severityWords[severity]}</strong> <a href="#${chapter}">${forHtml(text, 2000)}</a>${where}</li>`;
}
