import { enumerate } from "pulumi-page-guard/tools";
import { page, section } from "../blocks/html";
import { escapeForForge, fitSections, renderSections } from "../blocks/markdown";
import { forHtml, forJson } from "../escape";
import { dayAndTime } from "./cadence";
import { makeChapters } from "./chapters";
import { csv } from "./csv";
import type { AuditReport } from "./report-data";
import { tableScript } from "./table-script";

/** Functions that render a report, by format. Each returns the contents of files by name. */
export const documents = {
  html: (report: AuditReport) => ({ "report.html": html(report) }),
  md: (report: AuditReport) => ({ "report.md": markdown(report) }),
  csv,
  json: (report: AuditReport) => ({ "report.json": forJson(report) }),
} satisfies Record<string, (report: AuditReport) => Readonly<Record<string, string>>>;

/** Returns the report as one HTML file that loads nothing. Even if its script does not run, people can read the whole report. */
export function html(report: AuditReport): string {
  const title = makeTitle(report);
  const chapters = makeChapters(report);
  const facts = listFacts(report).map(
    ([name, value]) => `<div><dt>${forHtml(name)}</dt><dd>${forHtml(value, 2000)}</dd></div>`,
  );
  const links = chapters.map(({ id = "", title: name }) => `<li><a href="#${id}">${forHtml(name)}</a></li>`);
  const { version, digest } = report.head;
  return page(
    title,
    `<h1>${forHtml(title)}</h1>
<dl class="facts">${facts.join("")}</dl>
<nav aria-label="Parts"><ul>${links.join("")}</ul></nav>
${chapters.map((chapter) => section(chapter)).join("\n")}
<footer>Made by pulumi-page-guard ${forHtml(version)}. The same data is in the JSON and CSV files of this report; SHA-256 ${forHtml(digest)}.</footer>
`,
    tableScript,
  );
}

/** Maximum number of characters of the Markdown. The summary of a GitHub job accepts 1 MiB. */
const longest = 900_000;

/** Returns the report as Markdown. Strings from outside are escaped. A note counts entries that are left out. */
export function markdown(report: AuditReport): string {
  const facts = listFacts(report).map(
    ([name, value]) => `| ${escapeForForge(name)} | ${escapeForForge(value, 2000)} |\n`,
  );
  const head = `# ${escapeForForge(makeTitle(report))}\n\n| | |\n| --- | --- |\n${facts.join("")}`;
  const foot = `\n<sub>pulumi-page-guard ${escapeForForge(report.head.version, 30)}</sub>\n`;
  return fitSections(head, makeChapters(report).flatMap(renderSections), foot, longest);
}

function makeTitle({ data: { zones } }: AuditReport): string {
  const names = zones.map(({ name }) => name);
  return `Page security report: ${enumerate(names, { most: 3, separator: ", " })}`;
}

/** Returns the facts at the top of every format, by name. */
function listFacts({ head, data: { zones } }: AuditReport): readonly (readonly [string, string])[] {
  const { period, madeBy, counts, since } = head;
  const to = dayAndTime(period.to);
  const { system, person, run, repository, commit } = madeBy ?? {};
  const of = [repository, commit && `commit ${commit}`, run].filter((one) => one).join(", ");
  const maker = madeBy
    ? `${person ?? "a job"} in ${system}${of && ` (${of})`}`
    : "hand, or in a CI other than GitHub Actions and GitLab CI";
  // The part on monitored pages lists all zones.
  const names = zones.map(({ id, name }) => (id === name ? id : `${name} (${id})`));
  // `zonesNotWhollyRead` becomes `zones not wholly read`.
  const counted = Object.entries(counts).map(
    ([name, value]) => `${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`,
  );
  return [
    ["Zones", enumerate(names, { most: 6, separator: ", " })],
    [
      "Period",
      period.from ? `${dayAndTime(period.from)} to ${to}` : `as of ${to}; no earlier data was given`,
    ],
    ["Made", `${dayAndTime(head.madeAt)} by ${maker}`],
    ["Tool", `page-guard report ${head.version}, which only reads zones`],
    [`Counts on ${head.madeAt.slice(0, 10)}`, counted.join(", ")],
    [
      "Malicious",
      `items that the service reports as malicious, or whose integrity score is below ${head.threshold}`,
    ],
    ["SHA-256 of the other fields", head.digest],
    ...(since
      ? [["Compared with", `the report of ${dayAndTime(since.madeAt)}, ${since.digest}`] as const]
      : []),
  ];
}
