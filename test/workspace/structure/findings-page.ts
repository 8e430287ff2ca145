import type { Concern, FindingMeaning } from "../../../provider/src/errors/findings";

/** Whom it concerns, as `page-guard review` groups findings. */
const concerns: Readonly<Record<Concern, string>> = {
  undone: "cannot be undone",
  malicious: "malicious let in",
  visitors: "visitors",
  others: "others",
  beside: "created beside it",
  taken: "adopted",
  rest: "",
};

/** The text of docs/findings.md with these rows. */
export function withTable(page: string, findings: Readonly<Record<string, FindingMeaning>>): string {
  const rows = Object.entries(findings)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, { severity, concern, means, wayOut }]) =>
      row(`\`${code}\``, severity, means, concerns[concern], wayOut),
    );
  const head = [
    row("Code", "Severity", "What it means", "Whom it concerns", "Way out"),
    "|---|---|---|---|---|",
  ];
  return page.replace(/^\| Code \|(?:.*\n)+?(?!\|)/m, () => `${[...head, ...rows].join("\n")}\n`);
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
