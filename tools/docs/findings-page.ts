import type { Concern, FindingMeaning } from "../../provider/src/errors/findings";

/** Groups of findings in `page-guard review`. */
const concerns: Readonly<Record<Concern, string>> = {
  undone: "cannot be undone",
  malicious: "malicious items let in",
  visitors: "visitors",
  others: "others",
  beside: "created beside a similar one",
  taken: "adopted",
  rest: "",
};

/** Returns the text of docs/findings.md with the rows of these findings. Keeps the last column, what to do, from the page. */
export function withTable(page: string, findings: Readonly<Record<string, FindingMeaning>>): string {
  const waysOut = new Map(
    [...page.matchAll(/^\| `([\w-]+)` \|.*\| (.+) \|$/gm)].map(([, code, way = ""]) => [code, way]),
  );
  const rows = Object.entries(findings)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, { severity, concern, means }]) =>
      row(`\`${code}\``, severity, means, concerns[concern], waysOut.get(code) ?? missing),
    );
  const head = [
    row("Code", "Severity", "What it means", "Group in the review", "What to do"),
    "|---|---|---|---|---|",
  ];
  return page.replace(/^\| Code \|(?:.*\n)+?(?!\|)/m, () => `${[...head, ...rows].join("\n")}\n`);
}

/** Text of the last column for a new code. */
export const missing = "TO BE WRITTEN";

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
