import type { Concern, FindingMeaning } from "../../provider/src/errors/findings";

/** Titles in `page-guard review`, as in command/src/review/make-review.ts. */
const titles: Readonly<Record<Concern, string>> = {
  undone: "Cannot be undone, according to messages of the preview only",
  malicious: "Malicious items that are let in",
  visitors: "What else visitors may notice",
  others: "Unmanaged policies and rules",
  beside: "Created although a close match exists",
  taken: "Other messages",
  rest: "Other messages",
};

/** Codes of findings about losses. If a review has not read the zone, it shows these under a title of their own. */
const losses: readonly string[] = ["csp-undeclared-deleted", "waf-rules-overwritten"];

/** Returns the title under which a review shows a finding; `none` for findings that a review does not show. */
function titleOf(code: string, { severity, concern }: FindingMeaning): string {
  if (code.startsWith("inventory-") || code === "program-refused") return "none";
  if (losses.includes(code)) return "Unmanaged objects lost, according to messages of the preview only";
  return severity === "error" ? "What stops the update" : titles[concern];
}

/** Returns the text of docs/findings.md with the rows of these findings. Keeps the last column of the page (what to do). */
export function withTable(page: string, findings: Readonly<Record<string, FindingMeaning>>): string {
  const waysOut = new Map(
    [...page.matchAll(/^\| `([\w-]+)` \|.*\| (.+) \|$/gm)].map(([, code, way = ""]) => [code, way]),
  );
  const rows = Object.entries(findings)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, one]) =>
      row(`\`${code}\``, one.severity, one.means, titleOf(code, one), waysOut.get(code) ?? missing),
    );
  const head = [
    row("Code", "Severity", "What it means", "Title in the review", "What to do"),
    "|---|---|---|---|---|",
  ];
  return page.replace(/^\| Code \|(?:.*\n)+?(?!\|)/m, () => `${[...head, ...rows].join("\n")}\n`);
}

/** Text of the last column for a new code. */
export const missing = "TO BE WRITTEN";

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
