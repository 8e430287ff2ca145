import { createHash } from "node:crypto";
import { forJson, forTerminal } from "./escape";
import type { Report, ReportFinding, ReportSeverity } from "./report";

/** The Code Quality report of GitLab. It shows only what has a file: without one the project's own stands for it. */
export function codeQuality({ findings }: Report): string {
  const entries = findings.map((finding) => ({
    description: forTerminal(sentence(finding), 1000),
    check_name: finding.code,
    fingerprint: fingerprint(finding),
    severity: severities[finding.severity],
    location: { path: finding.file ?? "Pulumi.yaml", lines: { begin: finding.line ?? 1 } },
  }));
  return forJson(entries);
}

const severities: Readonly<Record<ReportSeverity, string>> = {
  error: "critical",
  warning: "major",
  note: "info",
};

function sentence({ zone, subject, message }: ReportFinding): string {
  return [zone, subject, message].filter((part) => part !== undefined && part !== "").join(": ");
}

/** The same finding has the same one in the next run, wherever its line has moved to; two are never one. */
function fingerprint({ code, zone, subject, message }: ReportFinding): string {
  return createHash("sha256")
    .update(JSON.stringify(["code-quality", code, zone, subject, message]))
    .digest("hex")
    .slice(0, 32);
}
