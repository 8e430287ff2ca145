import { forJson, forSlackCode } from "../../reports/escape";
import { type CheckedZone, countsOf } from "./checked-zone";

/** Slack cuts a message at 40,000 characters. */
const mostLines = 20;

/** The body of a message for an incoming webhook: with --since only what is new. */
export function checkSlack(zones: readonly CheckedZone[]): string {
  const chapters = zones.map(({ zone, findings }) => {
    const told = findings.filter(({ severity, isNew }) => severity !== "info" && isNew !== false);
    const lines = told
      .slice(0, mostLines)
      .map(({ severity, code, subject }) => `• ${severity} ${forSlackCode(subject)} ${code}`);
    const left = told.length - lines.length;
    return [
      `Inventory of ${forSlackCode(zone.name)}: ${countsOf(findings)}.`,
      ...lines,
      ...(left > 0 ? [`and ${left} more`] : []),
    ].join("\n");
  });
  return forJson({ text: cut(chapters.join("\n\n")), unfurl_links: false, unfurl_media: false });
}

function cut(text: string): string {
  const most = 30_000;
  return text.length <= most ? text : `${text.slice(0, text.lastIndexOf("\n", most))}\n…`;
}
