import { declaredAsIn } from "../../lifecycle/urn";
import { meaningOf } from "../../reports/finding-meanings";
import type { Report, ReportFinding } from "../../reports/report";
import type { PreviewRead } from "./preview-read";
import { relativeTo } from "./repository-root";

/** Findings and violations for machines, at the line of the `new`. */
export function reportOf(read: PreviewRead, root: string, version: string): Report {
  const subjectOf = (urn: string | undefined): Pick<ReportFinding, "subject"> =>
    urn === undefined ? {} : { subject: declaredAsIn(urn) };
  const findings = read.findings.map(
    ({ code, severity, zone, urn, property, text, file, line }): ReportFinding => ({
      code,
      severity: severity === "info" ? "note" : severity,
      message: property === "" ? text : `${property}: ${text}`,
      ...(zone !== undefined && { zone }),
      ...subjectOf(urn),
      ...positionIn(root, file, line),
    }),
  );
  const violations = read.violations.map(({ pack, policy, isMandatory, urn, text }): ReportFinding => {
    const at = urn === undefined ? undefined : read.positions.get(urn);
    return {
      code: `policy-${pack}-${policy}`.replace(/[^\w-]+/g, "-"),
      severity: isMandatory ? "error" : "warning",
      message: text,
      ...subjectOf(urn),
      ...positionIn(root, at?.file, at?.line),
    };
  });
  const failures = read.diagnostics
    .filter(({ severity, code }) => severity === "error" && code === undefined)
    .map(
      ({ urn, text }): ReportFinding => ({
        ...{ code: "engine-error", severity: "error", message: text },
        ...subjectOf(urn),
      }),
    );
  const rules = {
    ...Object.fromEntries(findings.map(({ code }) => [code, meaningOf(code).means])),
    ...Object.fromEntries(violations.map(({ code }) => [code, "A policy pack found something."])),
    ...(failures.length > 0 && { "engine-error": "The engine or another provider failed." }),
  };
  return {
    ...{ title: "page-guard review", version, rules },
    findings: [...findings, ...violations, ...failures],
    examined: read.steps.filter(({ isOurs }) => isOurs).map(({ urn }) => declaredAsIn(urn)),
  };
}

function positionIn(
  root: string,
  file: string | undefined,
  line: number | undefined,
): Pick<ReportFinding, "file" | "line"> {
  const path = file === undefined ? undefined : relativeTo(root, file);
  return path === undefined ? {} : { file: path, line };
}
