import { calm } from "../blocks/calm";
import type { Chapter } from "../blocks/document";
import { fitted, type Section } from "../blocks/fitted";
import { sectionsOf } from "../blocks/markdown";
import { attentionOf, severityWords } from "./attention";
import { chaptersOf } from "./chapters";
import { factsOf, titleOf } from "./head";
import type { AuditReport } from "./report-data";

/** The summary of a job on GitHub takes a MiB; a report in a repository is read by people. */
const longest = 900_000;

/** Nothing that someone else wrote is markup in it; what is cut is counted. */
export function markdown(report: AuditReport): string {
  const needs = attentionOf(report);
  const facts = factsOf(report).map(([name, value]) => `| ${calm(name)} | ${calm(value, 2000)} |\n`);
  const limits = report.head.notCovered.map(
    ({ title, text }) => `- **${calm(title)}.** ${calm(text, 1000)}\n`,
  );
  const head = `# ${calm(titleOf(report))}\n\n| | |\n| --- | --- |\n${facts.join("")}\n## Not covered by this report\n\n${limits.join("")}`;
  const foot = `\n<sub>pulumi-page-guard ${calm(report.head.version, 30)}</sub>\n`;
  const items = needs.map(({ severity, text, zones }) => {
    const where =
      zones.length === 0 || report.data.zones.length === 1
        ? ""
        : ` (${zones.map((zone) => calm(zone, 70)).join(", ")})`;
    return `- **${severityWords[severity]}** ${calm(text, 1000)}${where}\n`;
  });
  const first: Section = {
    before: "\n## What needs a person\n\n",
    items: items.length === 0 ? ["Nothing.\n"] : items,
    after: "",
    what: "what needs a person",
  };
  return fitted(head, [first, ...chaptersOf(report).flatMap(withDetails)], foot, longest);
}

function withDetails(chapter: Chapter): Section[] {
  const { details = [] } = chapter;
  const title =
    details.length > 0 && chapter.entries.length === 0 && !chapter.table ? [] : sectionsOf(chapter);
  return [...title, ...details.flatMap(withDetails)];
}
