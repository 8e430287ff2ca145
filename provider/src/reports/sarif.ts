import { createHash } from "node:crypto";
import { forJson, forTerminal } from "./escape";
import type { Report, ReportFinding } from "./report";

/** SARIF 2.1.0: what code scanning reads. */
export function sarif({ title, version, findings, rules = {} }: Report): string {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const document = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: title,
            semanticVersion: version,
            rules: codes.map((id) => ({ id, shortDescription: { text: rules[id] ?? id } })),
          },
        },
        results: findings.map((finding) => ({
          ruleId: finding.code,
          level: finding.severity,
          message: { text: forTerminal(sentence(finding), 1000) },
          locations: [locationOf(finding)],
          partialFingerprints: { "pageGuard/v1": fingerprint(finding) },
        })),
      },
    ],
  };
  return forJson(document);
}

function sentence({ zone, subject, message }: ReportFinding): string {
  return [zone, subject, message].filter((part) => part !== undefined && part !== "").join(": ");
}

/** Code scanning shows only what has a file: without one the project's own stands for it. */
function locationOf({ file = "Pulumi.yaml", line = 1, column, zone, subject }: ReportFinding): object {
  const logical = [zone, subject].filter((part) => part !== undefined).join("/");
  return {
    physicalLocation: {
      artifactLocation: { uri: encodeURI(wellFormed(file)) },
      region: { startLine: line, ...(column !== undefined && { startColumn: column }) },
    },
    ...(logical !== "" && { logicalLocations: [{ fullyQualifiedName: forTerminal(logical) }] }),
  };
}

/** The same finding has the same one in the next run, wherever its line has moved to. */
function fingerprint({ code, zone, subject, message }: ReportFinding): string {
  return createHash("sha256")
    .update(JSON.stringify([code, zone, subject, message]))
    .digest("hex")
    .slice(0, 32);
}

/** Half of a pair is in no URI. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
