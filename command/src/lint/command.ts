import { Command, Option } from "commander";
import { type Finding, lint, type Severity } from "page-guard-csp";
import { createColors } from "picocolors";
import { pluralize } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { type OutputFlags, withOutput } from "../shared/options";
import { print } from "../shared/output";
import { type PolicyLine, policyLines } from "../shared/policy-lines";
import { nameFile, readText } from "../shared/read-text";
import type { Conclude, ExitCode, Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";

interface LintFlags extends OutputFlags {
  readonly file?: string;
  readonly level: Severity;
}

const severities = ["info", "low", "medium", "high"] as const;
const levelOf = { high: "error", medium: "warning", low: "note", info: "note" } as const;

const example = `
Examples:
  page-guard lint "script-src 'self' https:; object-src 'none'"
  page-guard lint --file policy.txt --level medium
  curl -sI https://shop.example.com/ | sed -n 's/^content-security-policy: //Ip' | page-guard lint -

Exit codes: 0 no finding at or above --level; 1 failed; 2 a finding at or above --level.`;

export function lintCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("lint")
    .description("List mistakes and weaknesses in the text of a Content Security Policy")
    .argument(
      "[policy]",
      "text of the policy (one policy per line if a page has several), or - for standard input",
    )
    .option("--file <file>", "read the policy from a file")
    .addOption(
      new Option("--level <severity>", "exit with 2 for findings of this severity or above")
        .choices(severities)
        .default("high"),
    );
  return withOutput(command)
    .addHelpText("after", example)
    .action((policy: string | undefined, flags: LintFlags) => conclude(lintText(session, policy, flags)));
}

async function lintText(session: Session, policy: string | undefined, flags: LintFlags): Promise<ExitCode> {
  const { text, name } = await policyText(session, policy, flags.file);
  const findings = lintLines(text);
  const from = severities.indexOf(flags.level);
  const isFound = findings.some(({ severity }) => severities.indexOf(severity) >= from);
  return print(session, flags, {
    text: renderText(session, text, findings),
    json: { policy: text, level: flags.level, found: isFound, findings },
    isFound,
    title: "page-guard lint",
    examined: [name],
    findings: findings.map((finding) => {
      const { line, column } = findPosition(text, finding.position.offset);
      const severity = severities.indexOf(finding.severity) >= from ? "error" : levelOf[finding.severity];
      const { ruleId: code, message } = finding;
      return {
        code,
        severity,
        message,
        subject: name,
        ...(flags.file && { file: flags.file, line, column }),
      };
    }),
  });
}

/** Returns the findings about each policy. A missing directive counts only if all policies lack it, because all of them apply. */
function lintLines(text: string): readonly Finding[] {
  const lines = policyLines(text);
  if (lines.length < 2) return lint(text);
  const found = lines.map((line) => lint(line.text).map((finding) => ({ line, finding })));
  const isOfWhole = ({ line, finding }: { line: PolicyLine; finding: Finding }) =>
    /missing-(?!semicolon)|unrestricted/.test(finding.ruleId) && finding.position.length === line.text.length;
  const isLackedByAll = (ruleId: string) =>
    found.every((list) => list.some((one) => one.finding.ruleId === ruleId));
  return found
    .flatMap((list, index) =>
      list.filter((one) => !isOfWhole(one) || (index === 0 && isLackedByAll(one.finding.ruleId))),
    )
    .map(({ line, finding }) => {
      const { offset, length } = finding.position;
      return { ...finding, position: { offset: line.offset + offset, length } };
    });
}

async function policyText(session: Session, policy: string | undefined, file: string | undefined) {
  if ((policy === undefined) === (file === undefined))
    throw new UsageError("Give the policy once: as an argument, with --file FILE, or - for standard input.");
  const source = file ?? (policy === "-" ? "-" : undefined);
  if (source === undefined) return { text: policy ?? "", name: "policy" };
  // The line break with which editors end the last line is not part of the policy.
  return { text: (await readText(session, source)).replace(/\r?\n$/, ""), name: nameFile(source) };
}

function renderText(session: Session, policy: string, findings: readonly Finding[]): string {
  const paint = createColors(session.hasColour);
  if (findings.length === 0) return "No findings.\n";
  const lines = findings.map(({ severity, ruleId, message, position }) => {
    const { line, column } = findPosition(policy, position.offset);
    const colour = severity === "high" ? paint.red : severity === "medium" ? paint.yellow : paint.dim;
    return `${line}:${column}  ${colour(severity.padEnd(6))}  ${forTerminal(message, 500)} ${paint.dim(`[${ruleId}]`)}`;
  });
  const counts = [...severities].reverse().flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  return `${[...lines, "", `${pluralize(findings.length, "finding")}: ${counts.join(", ")}.`].join("\n")}\n`;
}

function findPosition(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
