import { forHtml } from "./escape";
import type { Report, ReportFinding } from "./report";

/** JUnit XML: what every CI shows. One case for each thing that was checked; notes fail nothing. */
export function junit({ title, findings, examined }: Report): string {
  const failing = findings.filter(({ severity }) => severity !== "note");
  const named = new Set(findings.map(placeOf));
  const cases = [
    ...examined.filter((name) => !named.has(name)).map((name) => testcase(title, name, undefined)),
    ...findings.map((finding) =>
      testcase(
        title,
        [placeOf(finding), finding.code].join(" "),
        finding.severity === "note" ? undefined : finding,
      ),
    ),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${forHtml(title)}" tests="${cases.length}" failures="${failing.length}">`,
    `  <testsuite name="${forHtml(title)}" tests="${cases.length}" failures="${failing.length}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function placeOf({ zone, subject }: ReportFinding): string {
  return [zone, subject].filter((part) => part !== undefined && part !== "").join(" ");
}

function testcase(suite: string, name: string, failure: ReportFinding | undefined): string {
  const head = `    <testcase classname="${forHtml(suite)}" name="${forHtml(name)}"`;
  if (failure === undefined) return `${head}/>`;
  const { code, message, file, line } = failure;
  const where = file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`;
  const text = forHtml(`${message}${where}`, 1000);
  return `${head}><failure type="${forHtml(code)}" message="${text}">${text}</failure></testcase>`;
}
