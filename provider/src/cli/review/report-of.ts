import { declaredAsIn } from "../../lifecycle/urn";
import { meaningOf } from "../../reports/finding-meanings";
import type { Report, ReportFinding } from "../../reports/report";
import { relativeTo } from "./changes";
import type { PreviewRead } from "./preview-read";

/** What machines read of a review: findings and violations, at the line of the `new`. */
export function reportOf(read: PreviewRead, root: string, version: string): Report {
  const findings = read.findings.map(
    ({ code, severity, zone, urn, property, text, file, line }): ReportFinding => ({
      code,
      severity: severity === "info" ? "note" : severity,
      message: property === "" ? text : `${property}: ${text}`,
      ...(zone !== undefined && { zone }),
      ...(urn !== undefined && { subject: declaredAsIn(urn) }),
      ...positionIn(root, file, line),
    }),
  );
  const violations = read.violations.map(({ pack, policy, isMandatory, urn, text }): ReportFinding => {
    const at = urn === undefined ? undefined : read.positions.get(urn);
    return {
      code: `policy-${pack}-${policy}`.replace(/[^\w-]+/g, "-"),
      severity: isMandatory ? "error" : "warning",
      message: text,
      ...(urn !== undefined && { subject: declaredAsIn(urn) }),
      ...positionIn(root, at?.file, at?.line),
    };
  });
  const failures = read.diagnostics
    .filter(({ severity, code }) => severity === "error" && code === undefined)
    .map(
      ({ urn, text }): ReportFinding => ({
        code: "engine-error",
        severity: "error",
        message: text,
        ...(urn !== undefined && { subject: declaredAsIn(urn) }),
      }),
    );
  const all = [...findings, ...violations, ...failures];
  const rules = Object.fromEntries(
    all.map(({ code }) => [
      code,
      code.startsWith("policy-")
        ? "A policy pack has found something."
        : code === "engine-error"
          ? "The engine or another provider has failed."
          : meaningOf(code).means,
    ]),
  );
  const examined = read.steps.filter(({ isOurs }) => isOurs).map(({ urn }) => declaredAsIn(urn));
  return { title: "page-guard review", version, findings: all, examined, rules };
}

function positionIn(
  root: string,
  file: string | undefined,
  line: number | undefined,
): Pick<ReportFinding, "file" | "line"> {
  const path = file === undefined ? undefined : relativeTo(root, file);
  return path === undefined ? {} : { file: path, line };
}
