import { forJson, forTerminal } from "./escape";
import { fingerprintOf, type Report, type ReportSeverity, sentenceOf } from "./report";

/** The Code Quality report of GitLab. It shows only what has a file; the project's own is the default. */
export function codeQuality({ findings }: Report): string {
  const entries = findings.map((finding) => ({
    description: forTerminal(sentenceOf(finding), 1000),
    check_name: finding.code,
    fingerprint: fingerprintOf(finding, "code-quality"),
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
