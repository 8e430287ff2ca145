import { createHash } from "node:crypto";
import { distinct } from "../shared/values";
import { forHtml, forJson, forTerminal } from "./escape";

/** Returns the severity for a report, where `info` is called `note`. */
export function toReportSeverity(severity: "error" | "warning" | "info"): ReportFinding["severity"] {
  return severity === "info" ? "note" : severity;
}

/** A finding for every format. Its strings may come from outside, so each format escapes them. */
export interface ReportFinding {
  /** Stable, kebab case: `drift-undeclared`. Becomes the rule of SARIF and the type of a JUnit failure. */
  readonly code: string;
  /** An `error` calls for action, a `warning` for a check; a `note` is for people who read everything. */
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  /** Name of the zone. */
  readonly zone?: string | undefined;
  /** Subject of the finding: the name of a resource, a file, a check. */
  readonly subject?: string | undefined;
  /** File that a person would edit to fix the finding, relative to the project. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface Report {
  /** Name of the command: `page-guard drift`. */
  readonly title: string;
  readonly version: string;
  readonly findings: readonly ReportFinding[];
  /** Checked items, with or without findings: zones, files, checks. */
  readonly examined: readonly string[];
  /** One sentence for each rule, by code. */
  readonly rules?: Readonly<Record<string, string>> | undefined;
}

const join = (separator: string, ...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part).join(separator);

function renderSentence({ zone, subject, message }: ReportFinding): string {
  return forTerminal(join(": ", zone, subject, message), 1000);
}

/** Returns a fingerprint that stays the same for the same finding in the next run, even if its line has moved. */
function computeFingerprint({ code, zone, subject, message }: ReportFinding, ...format: string[]): string {
  return shortDigest([...format, code, zone, subject, message]);
}

export function shortDigest(values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 32);
}

/** File shown for findings that have no file, because code scanning and Code Quality show only findings with a file. */
const project = "Pulumi.yaml";

/** Returns the Code Quality report of GitLab. */
export function codeQuality({ findings }: Pick<Report, "findings">): string {
  const severities = { error: "critical", warning: "major", note: "info" };
  return forJson(
    findings.map((finding) => ({
      description: renderSentence(finding),
      check_name: finding.code,
      fingerprint: computeFingerprint(finding, "code-quality"),
      severity: severities[finding.severity],
      location: { path: finding.file ?? project, lines: { begin: finding.line ?? 1 } },
    })),
  );
}

/** Returns SARIF 2.1.0, the format of code scanning. */
export function sarif({ title, version, findings, rules: meanings = {} }: Report): string {
  const rules = distinct(findings.map(({ code }) => code))
    .sort()
    .map((id) => ({ id, shortDescription: { text: meanings[id] ?? id } }));
  const results = findings.map((finding) => {
    const { file = project, line: startLine = 1, column: startColumn, zone, subject } = finding;
    const logical = forTerminal(join("/", zone, subject));
    // A URI cannot contain half a surrogate pair.
    const artifactLocation = { uri: encodeURI(Buffer.from(file).toString()) };
    const region = { startLine, ...(startColumn !== undefined && { startColumn }) };
    return {
      ruleId: finding.code,
      level: finding.severity,
      message: { text: renderSentence(finding) },
      locations: [
        {
          physicalLocation: { artifactLocation, region },
          ...(logical && { logicalLocations: [{ fullyQualifiedName: logical }] }),
        },
      ],
      partialFingerprints: { "pageGuard/v1": computeFingerprint(finding) },
    };
  });
  const driver = { name: title, semanticVersion: version, rules };
  return forJson({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results }],
  });
}

/** Returns JUnit XML, which every CI can show. Each finding, and each item without findings, is a test case. Notes never fail. */
export function junit({ title, findings, examined }: Report): string {
  const joinPlace = ({ zone, subject }: ReportFinding) => join(" ", zone, subject);
  const named = new Set(findings.map(joinPlace));
  const renderCase = (name: string): string =>
    `testcase classname="${forHtml(title)}" name="${forHtml(name)}"`;
  const cases = [
    ...examined.filter((name) => !named.has(name)).map((name) => `<${renderCase(name)}/>`),
    ...findings.map((finding) => {
      const { code, message, file, line, severity } = finding;
      const name = renderCase(join(" ", joinPlace(finding), code));
      if (severity === "note") return `<${name}/>`;
      const where = file === undefined ? "" : ` (${join(":", file, line?.toString())})`;
      const text = forHtml(`${message}${where}`, 1000);
      return `<${name}><failure type="${forHtml(code)}" message="${text}">${text}</failure></testcase>`;
    }),
  ];
  const failing = findings.filter(({ severity }) => severity !== "note").length;
  const suite = `name="${forHtml(title)}" tests="${cases.length}" failures="${failing}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${suite}>
  <testsuite ${suite}>
${cases.map((one) => `    ${one}\n`).join("")}  </testsuite>
</testsuites>
`;
}
