import { createHash } from "node:crypto";
import { forMarkdown, forMarkdownCode } from "../../reports/escape";
import { type CheckedZone, countsOf } from "./checked-zone";

/** A forge takes no more, and nobody reads more. */
const mostRows = 100;

/** For `page-guard comment` and `page-guard issue`: found again by its first line. */
export function checkMarkdown(zones: readonly CheckedZone[]): string {
  const chapters = zones.flatMap(({ zone, file, scripts, entries, findings }) => {
    const rows = findings
      .slice(0, mostRows)
      .map(({ severity, isNew, code, subject, text, line }) =>
        row(
          isNew ? `**new** ${severity}` : severity,
          forMarkdownCode(subject),
          forMarkdown(text, 500),
          line === undefined ? "" : String(line),
          forMarkdownCode(code),
        ),
      );
    const left = findings.length - rows.length;
    return [
      `### ${forMarkdown(zone.name)}`,
      "",
      `${scripts} scripts, ${entries} entries in ${forMarkdownCode(file)}: ${countsOf(findings)}.`,
      ...(rows.length === 0
        ? []
        : ["", row("", "Script", "What", "Line", "Code"), "|---|---|---|---|---|", ...rows]),
      ...(left > 0 ? ["", `And ${left} more.`] : []),
      "",
    ];
  });
  return [`<!-- page-guard:inventory ${markOf(zones)} -->`, "## Inventory of scripts", "", ...chapters].join(
    "\n",
  );
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** The same comment for the same zones. */
function markOf(zones: readonly CheckedZone[]): string {
  const ids = zones.map(({ zone }) => zone.id);
  const [only = ""] = ids;
  return ids.length === 1 ? only : createHash("sha256").update(ids.sort().join()).digest("hex").slice(0, 32);
}
