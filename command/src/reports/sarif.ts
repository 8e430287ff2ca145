import { distinct } from "../values";
import { forJson, forTerminal } from "./escape";
import { fingerprintOf, type Report, type ReportFinding, sentenceOf } from "./report";

/** SARIF 2.1.0: what code scanning reads. */
export function sarif({ title, version, findings, rules = {} }: Report): string {
  const codes = distinct(findings.map(({ code }) => code)).sort();
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
          message: { text: forTerminal(sentenceOf(finding), 1000) },
          locations: [locationOf(finding)],
          partialFingerprints: { "pageGuard/v1": fingerprintOf(finding) },
        })),
      },
    ],
  };
  return forJson(document);
}

/** Code scanning shows only what has a file; the project's own is the default. */
function locationOf({ file = "Pulumi.yaml", line = 1, column, zone, subject }: ReportFinding): object {
  const logical = [zone, subject].filter((part) => part !== undefined).join("/");
  return {
    physicalLocation: {
      // A URI cannot hold half a surrogate pair.
      artifactLocation: { uri: encodeURI(Buffer.from(file).toString()) },
      region: { startLine: line, ...(column !== undefined && { startColumn: column }) },
    },
    ...(logical !== "" && { logicalLocations: [{ fullyQualifiedName: forTerminal(logical) }] }),
  };
}
