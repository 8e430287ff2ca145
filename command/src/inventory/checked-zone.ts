import { createHash } from "node:crypto";
import { listed, plural } from "pulumi-page-guard/tools";
import { forMarkdown, forMarkdownCode, forTerminal } from "../reports/escape";
import type { ZoneRef } from "../zones";
import type { InventoryCode, InventoryFinding } from "./judge";

/** A finding as it is reported. */
export interface CheckFinding
  extends Pick<InventoryFinding, "code" | "severity" | "text" | "subject" | "line"> {
  /** The same in the next run, wherever its line has moved to. */
  readonly fingerprint: string;
  /** Whether the run of `--since` had it; undefined: not asked. */
  readonly isNew: boolean | undefined;
  /** URLs. */
  readonly scripts: readonly string[];
}

/** One zone and its file. */
export interface CheckedZone {
  readonly zone: ZoneRef;
  readonly file: string;
  readonly entries: number;
  readonly scripts: number;
  /** Whether all of it was compared. */
  readonly isComplete: boolean;
  readonly findings: readonly CheckFinding[];
}

/** `2 errors (1 new), 1 warning` */
export function countsOf(findings: readonly CheckFinding[]): string {
  const counts = (["error", "warning", "info"] as const).flatMap((severity) => {
    const some = findings.filter((finding) => finding.severity === severity);
    if (some.length === 0) return [];
    const fresh = some.filter(({ isNew }) => isNew === true).length;
    const name = severity === "info" ? "note" : severity;
    return [`${plural(some.length, name)}${fresh === 0 ? "" : ` (${fresh} new)`}`];
  });
  return counts.length === 0 ? "nothing to report" : counts.join(", ");
}

/** A forge takes no more, and nobody reads more. */
const mostRows = 100;

/** For `page-guard comment`, which finds it again by its first line, and `page-guard issue`. */
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
  const ids = zones.map(({ zone }) => zone.id).sort();
  const mark =
    ids.length === 1 ? ids.join() : createHash("sha256").update(ids.join()).digest("hex").slice(0, 32);
  const marker = `<!-- page-guard:inventory ${mark} -->`;
  return [marker, `## ${forMarkdown(headlineOf(zones), 190)}`, "", ...chapters].join("\n");
}

/** What nobody may miss comes first: in a list, and in the headline. */
const urgent: Readonly<Partial<Record<InventoryCode, readonly [one: string, many: string]>>> = {
  "inventory-malicious": ["a script counts as malicious", "scripts count as malicious"],
  "inventory-changed": ["an approved script changed", "approved scripts changed"],
  "inventory-incomplete": ["not all could be checked", "not all could be checked"],
  "inventory-invalid": ["the inventory cannot be read", "the inventory cannot be read"],
  "inventory-not-listed": ["a script is not in the inventory", "scripts are not in the inventory"],
};

const ranks = { error: 0, warning: 1, info: 2 } as const;

export function rankOf({ code, severity }: Pick<CheckFinding, "code" | "severity">): number {
  const place = Object.keys(urgent).indexOf(code);
  return place === -1 ? Object.keys(urgent).length + ranks[severity] : place;
}

/** `pay: an approved script changed`: the worst of each zone, the worst zones first. */
function headlineOf(zones: readonly CheckedZone[]): string {
  const worst = zones.flatMap(({ zone, findings }) => {
    const asked = findings.filter(({ severity }) => severity !== "info");
    const [first] = asked.toSorted((a, b) => rankOf(a) - rankOf(b));
    if (first === undefined) return [];
    const [one, many] = urgent[first.code] ?? ["an entry needs a person", "entries need a person"];
    const count = new Set(asked.filter(({ code }) => code === first.code).map(({ subject }) => subject)).size;
    const what = count === 1 || one === many ? one : `${count} ${many}`;
    return [{ rank: rankOf(first), text: `${forTerminal(zone.name, 60)}: ${what}` }];
  });
  const texts = worst.toSorted((a, b) => a.rank - b.rank).map(({ text }) => text);
  return texts.length === 0 ? "Inventory of scripts" : listed(texts, { most: 3, separator: "; " });
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
