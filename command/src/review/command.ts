import { appendFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import { isOffline, readDeclaredAs } from "pulumi-page-guard/tools";
import { beginApproval, writeApproval } from "../approval/make-approval";
import { forJson } from "../documents/escape";
import { findMeaning } from "../documents/finding-meanings";
import { codeQuality, junit, type Report, sarif, toReportSeverity } from "../documents/report";
import { html, markdown, text } from "../documents/review/formats";
import type { Review } from "../documents/review/review";
import { packageVersion } from "../package-version";
import { withDeletedWith } from "../preview/deleted-with";
import { parseEvents } from "../preview/events";
import { readOptions } from "../preview/options";
import { findUnplaced, type PreviewRead, withProperty } from "../preview/preview-read";
import { readEvents } from "../preview/read-events";
import { runPreview } from "../preview/run-preview";
import { type PulumiPreview, pulumiPreview } from "../pulumi/command-line";
import { Notes } from "../pulumi/own-folder";
import { CommandError } from "../shared/command-error";
import { resourceText } from "../shared/labels";
import { type ConnectionFlags, type PageFlags, withConnection, withPages } from "../shared/options";
import { printAndWrite, whileWriting } from "../shared/output";
import { Progress } from "../shared/progress";
import { mostStackBytes, nameFile, readText } from "../shared/read-text";
import { Reader } from "../shared/reader";
import { type Conclude, type ExitCode, exitCode, type Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import { makeZoneNamer } from "../shared/zones";
import { Undo } from "../undo/undo";
import { makeReview } from "./make-review";
import { makeRelative, repositoryRoot } from "./notes";
import { readChangedZones } from "./read-zones";
import { listChangedZones, zoneEffects } from "./zone-effects";

interface ReviewFlags extends ConnectionFlags, PageFlags {
  readonly events?: string;
  readonly findings?: string;
  readonly out?: string;
  readonly sarif?: string;
  readonly codeQuality?: string;
  readonly junit?: string;
  readonly summary?: boolean;
  readonly approve?: string;
  readonly plan?: string;
  readonly undo?: string;
  readonly expect?: "adopt-only";
}

const example = `
Examples:
  page-guard review --markdown review.md --html review.html -- pulumi preview --stack production
  page-guard review --approve approved.json --markdown review.md -- pulumi preview --stack production
  page-guard review --events events.jsonl --sarif review.sarif

The Markdown has at most 60,000 characters, so that it fits into a comment. One FILE may be -, for standard output.

Exit codes: the preview's exit code, even if it failed; 1 if the recorded preview (--events) or the review failed;
2 with --expect adopt-only, if anything but adoptions would happen.`;

export function reviewCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("review")
    .description("Run a preview and summarize what a person has to know before they approve it")
    .usage("[options] [-- pulumi preview ...]")
    .argument("[command...]", "the preview to run (default: pulumi preview)")
    .option("--events <file>", "read the engine's events instead of running a preview; - for standard input")
    .option("--findings <file>", "with --events: the file that PAGE_GUARD_FINDINGS named in that run")
    .option("--out <dir>", "write review.md, review.html and review.json into this folder")
    .option("--sarif <file>", "write SARIF")
    .option("--code-quality <file>", "write a GitLab Code Quality report")
    .option("--junit <file>", "write JUnit XML")
    .option("--summary", "append the comment to the file named by GITHUB_STEP_SUMMARY")
    .option("--approve <file>", "write the plan and the contents of its zones for `page-guard apply`")
    .option("--plan <file>", "with --events and --approve: the plan that --save-plan wrote")
    .option("--undo <dir>", "write a program that restores objects that the update deletes or overwrites")
    .addOption(
      new Option("--expect <what>", "exit with 2 if anything else would happen").choices(["adopt-only"]),
    );
  return withConnection(withPages(command))
    .addHelpText("after", example)
    .action((given: readonly string[], flags: ReviewFlags) => conclude(review(session, flags, given)));
}

async function review(session: Session, flags: ReviewFlags, given: readonly string[]): Promise<ExitCode> {
  const misuse = explainMisuse(session, flags, given);
  if (misuse !== undefined) throw new UsageError(misuse);
  const { approve, plan, events } = flags;
  const undo = flags.undo === undefined ? undefined : new Undo(session, flags.undo);
  const command = pulumiPreview(given);
  if (approve !== undefined) beginApproval(session, approve, command);
  const notes = new Notes();
  const file = events === undefined ? undefined : nameFile(events);
  const progress = new Progress(session);
  // The reader remembers responses, so that the review, the approval and the undo program agree on the contents of each zone.
  const reader = new Reader({ session, flags, progress, file, remembers: true });
  const configCommand = file === undefined ? command.config : undefined;
  const reading = { session, progress, reader, configCommand };
  try {
    const { read, exitCode: code } = await readOrRunPreview(session, flags, command, notes);
    const zones =
      code === 0 && isReachable(session, flags) ? await readChangedZones(reading, read) : undefined;
    const root = repositoryRoot(session);
    const found = makeReview(read, zones, {
      version: packageVersion(),
      exitCode: code,
      root,
      nameOf: makeZoneNamer(session),
      // PAGE_GUARD_OFFLINE in this environment says nothing about events that were recorded elsewhere.
      isOffline: events === undefined && isOffline(session.env),
    });
    const changedZones = listChangedZones(zoneEffects(read.steps, zones?.values));
    const unplaced = findUnplaced(read.steps).map(({ urn }) => resourceText(urn));
    session.tell?.({ review: found, changedZones, unplaced });
    write(session, flags, makeReport(read, root, found.version), found);
    if (code !== 0) return code;
    if (flags.expect !== undefined && !found.isAdoptionOnly && !found.isUnchanged) return exitCode.found;
    await undo?.write(reading, read, zones);
    if (approve !== undefined) {
      const saved = plan === undefined ? notes.planFile : resolve(session.cwd, plan);
      await writeApproval(reading, approve, read, saved);
    }
    return exitCode.fine;
  } finally {
    notes.close();
  }
}

/** Whether the zones may be read. If the events come from a file, a flag or the environment must name the connection. */
function isReachable({ env }: Session, { events, baseUrl, tokenEnv, service }: ReviewFlags): boolean {
  if (isOffline(env)) return false;
  if (events === undefined) return true;
  return (baseUrl ?? tokenEnv ?? service ?? env["PAGE_GUARD_API_TOKEN"]?.trim() ?? "") !== "";
}

function explainMisuse({ env }: Session, flags: ReviewFlags, given: readonly string[]): string | undefined {
  const { events, findings, approve, plan, baseUrl, tokenEnv, service, summary } = flags;
  const isRecorded = events !== undefined;
  if (isRecorded && given.length > 0)
    return "--events reads a recorded preview, so no preview runs. Leave out either --events or the command after `--`.";
  if (findings !== undefined && !isRecorded)
    return "--findings requires --events: a preview that runs here writes its own findings.";
  if (!isRecorded && (baseUrl ?? tokenEnv ?? service) !== undefined)
    return "--base-url, --token-env and --service require --events: a preview that runs here uses the connection of its program.";
  if ((plan !== undefined) !== (isRecorded && approve !== undefined))
    return "--plan is required if both --events and --approve are given, and not allowed otherwise. It takes the file that the recorded preview wrote with `--save-plan`. A preview that runs here saves its own plan.";
  const isLost = summary === true && !env["GITHUB_STEP_SUMMARY"];
  return isLost
    ? "--summary needs GITHUB_STEP_SUMMARY, which GitHub sets. Use --markdown elsewhere."
    : undefined;
}

async function readOrRunPreview(session: Session, flags: ReviewFlags, command: PulumiPreview, notes: Notes) {
  const { events, findings, approve } = flags;
  if (events === undefined) {
    const run = await runPreview(session, command, notes, approve !== undefined);
    if (run.exitCode !== 0) return run;
    const read = await withDeletedWith(session, command, run.read);
    return { ...run, read: { ...read, ...(approve !== undefined && (await readOptions(session, command))) } };
  }
  const splitFile = async (file: string) => (await readText(session, file, mostStackBytes)).split("\n");
  const lines = await splitFile(events);
  if ([...parseEvents(lines)].filter(({ summaryEvent }) => summaryEvent).length > 1)
    throw new CommandError(
      "Failed to read the events: they are from more than one preview. Write each preview to a new file.",
    );
  const read = readEvents(lines, findings === undefined ? [] : await splitFile(findings));
  if (read.stack === undefined && read.result === "unfinished" && read.findings.length === 0)
    throw new CommandError(
      "The input does not contain events of the engine. Record them with `pulumi preview --json` and PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true.",
    );
  return { read, exitCode: read.result === "succeeded" ? 0 : 1 };
}

function write(session: Session, flags: ReviewFlags, report: Report, found: Review): void {
  const comment = () => markdown(found);
  const json = () => forJson({ ...found, findings: report.findings });
  const page = () => html(found);
  const inFolder = (name: string) => (flags.out === undefined ? undefined : join(flags.out, name));
  const summary = session.env["GITHUB_STEP_SUMMARY"] ?? "";
  if (flags.summary) whileWriting("the step summary", () => appendFileSync(summary, `${comment()}\n`));
  printAndWrite(session, flags.json ? json() : text(found), [
    [flags.markdown, comment],
    [flags.html, page],
    [inFolder("review.md"), comment],
    [inFolder("review.html"), page],
    [inFolder("review.json"), json],
    [flags.sarif, () => sarif(report)],
    [flags.codeQuality, () => codeQuality(report)],
    [flags.junit, () => junit(report)],
  ]);
}

/** Returns the report for SARIF, Code Quality and JUnit. Each finding, violation or failure names the line of its declaration. */
function makeReport(read: PreviewRead, root: string, version: string): Report {
  const reported = read.findings.filter(({ code, severity }) => code !== "" || severity === "error");
  const findings = reported.map((finding) => {
    const { severity, zone, urn, line, code: own } = finding;
    const code = own || "engine-error";
    const file = makeRelative(root, finding.file);
    return {
      code,
      severity: toReportSeverity(severity),
      message: withProperty(finding),
      ...(zone !== undefined && { zone }),
      ...(urn !== undefined && { subject: readDeclaredAs(urn) }),
      ...(file !== undefined && { file, line }),
    };
  });
  const meaning = (code: string): string => {
    if (code === "engine-error") return "The engine or another provider failed.";
    return code.startsWith("policy-") ? "A policy pack found something." : findMeaning(code).means;
  };
  return {
    title: "page-guard review",
    version,
    findings,
    rules: Object.fromEntries(findings.map(({ code }) => [code, meaning(code)])),
    examined: read.steps.filter(({ isOurs }) => isOurs).map(({ urn }) => readDeclaredAs(urn)),
  };
}
