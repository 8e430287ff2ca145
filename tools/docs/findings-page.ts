import type { Concern, FindingMeaning } from "../../provider/src/errors/findings";

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

/** The text of docs/findings.md with these rows. The ways out, the last column, are written in the page itself. */
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
    row("Code", "Severity", "What it means", "Whom it concerns", "Way out"),
    "|---|---|---|---|---|",
  ];
  return page.replace(/^\| Code \|(?:.*\n)+?(?!\|)/m, () => `${[...head, ...rows].join("\n")}\n`);
}

/** Where a code is new. */
export const missing = "TO BE WRITTEN";

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
