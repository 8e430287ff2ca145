import { declaredAsIn } from "../../lifecycle/urn";
import { meaningOf } from "../../reports/finding-meanings";
import { type Report, type ReportFinding, reportSeverity } from "../../reports/report";
import { engineFindings } from "./notes";
import { type PreviewRead, type ReadFinding, shownFinding, withProperty } from "./preview-read";
import { relativeTo } from "./repository-root";

/** Findings and violations for machines, at the line of the `new`. */
export function reportOf(read: PreviewRead, root: string, version: string): Report {
  const violations = read.violations.map(({ pack, policy, isMandatory, urn, text }) => {
    const code = `policy-${pack}-${policy}`.replace(/[^\w-]+/g, "-");
    const position = read.positions.get(urn ?? "");
    return shownFinding({ code, severity: isMandatory ? "error" : "warning", urn, text, ...position });
  });
  const failures = engineFindings(read)
    .filter(({ severity }) => severity === "error")
    .map((failure) => ({ ...failure, code: "engine-error" }));
  const rules = {
    ...Object.fromEntries(read.findings.map(({ code }) => [code, meaningOf(code).means])),
    ...Object.fromEntries(violations.map(({ code }) => [code, "A policy pack found something."])),
    ...(failures.length > 0 && { "engine-error": "The engine or another provider failed." }),
  };
  return {
    ...{ title: "page-guard review", version, rules },
    findings: [...read.findings, ...violations, ...failures].map((finding) => asReported(finding, root)),
    examined: read.steps.filter(({ isOurs }) => isOurs).map(({ urn }) => declaredAsIn(urn)),
  };
}

function asReported(finding: ReadFinding, root: string): ReportFinding {
  const { code, severity, zone, urn, file, line } = finding;
  const path = file === undefined ? undefined : relativeTo(root, file);
  return {
    ...{ code, severity: reportSeverity(severity), message: withProperty(finding) },
    ...(zone !== undefined && { zone }),
    ...(urn !== undefined && { subject: declaredAsIn(urn) }),
    ...(path !== undefined && { file: path, line }),
  };
}
