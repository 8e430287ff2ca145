import { appendFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, Option } from "commander";
import { declaredAsIn, isOffline } from "pulumi-page-guard/tools";
import type { Approving } from "./approval/read-zones";
import { beginApproval, writeApproval } from "./approval/write-approval";
import { CommandError } from "./command-error";
import { type ConnectionFlags, withConnection, withPages } from "./options";
import { printAndWrite } from "./output";
import { type PreviewRead, type ReadFinding, withProperty } from "./preview/preview-read";
import { readEvents } from "./preview/read-events";
import { type PreviewRun, runPreview } from "./preview/run-preview";
import { Progress } from "./progress";
import { type PulumiPreview, pulumiPreview } from "./pulumi/command-line";
import { Notes } from "./pulumi/own-folder";
import { nameOfFile, ofStack, readText } from "./read-text";
import { Reader } from "./reader";
import { forJson } from "./reports/escape";
import { meaningOf } from "./reports/finding-meanings";
import { codeQuality, junit, type Report, type ReportFinding, reportSeverity, sarif } from "./reports/report";
import { html } from "./reports/review/html";
import { markdown } from "./reports/review/markdown";
import type { Review } from "./reports/review/review";
import { text } from "./reports/review/text";
import { relativeTo, repositoryRoot } from "./review/notes";
import { reviewOf } from "./review/review-of";
import { readChangedZones, type ZonesRead } from "./review/zones";
import { type Conclude, type ExitCode, exitCode, packageVersion, type Session } from "./session";
import { Undo } from "./undo/undo";
import { UsageError } from "./usage-error";
import { namesOf, reasonOf } from "./zones";

interface ReviewFlags extends ConnectionFlags {
  readonly events?: string;
  readonly findings?: string;
  readonly markdown?: string;
  readonly html?: string;
  readonly json?: boolean;
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

The Markdown is a comment of at most 60,000 characters. One FILE may be -, for standard output.

Exit codes: that of the preview, even if it fails; with --events 1 if the recorded preview failed; 1 failed; 2 with
--expect adopt-only, if anything but adoptions would happen.`;

/** `page-guard review`: what a preview means, for the person who has to approve it. */
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
    .option("--plan <file>", "with --events and --approve: the file that --save-plan of that preview wrote")
    .option("--undo <dir>", "write a program that restores what the update deletes or overwrites")
    .addOption(
      new Option("--expect <what>", "exit with 2 if anything else would happen").choices(["adopt-only"]),
    );
  return withConnection(withPages(command))
    .addHelpText("after", example)
    .action((given: readonly string[], flags: ReviewFlags) => conclude(review(session, flags, given)));
}

async function review(session: Session, flags: ReviewFlags, given: readonly string[]): Promise<ExitCode> {
  checkFlags(session, flags, given);
  const { approve, plan } = flags;
  const undo = flags.undo === undefined ? undefined : new Undo(session, flags.undo);
  const command = pulumiPreview(given);
  if (approve !== undefined) beginApproval(session, approve, command);
  const notes = new Notes();
  const file = flags.events === undefined ? undefined : { name: nameOfFile(flags.events), flags };
  const progress = new Progress(session);
  const reading: Approving = {
    ...{ session, config: command.config, file },
    reader: new Reader({ session, flags, progress, file: file?.name, remembers: true }),
  };
  try {
    const run = await previewed(session, flags, command, notes);
    const zones = await zonesFor(reading, run, flags);
    const found = reviewed(session, flags, run, zones);
    write(session, flags, run.read, found);
    if (run.exitCode !== 0) return run.exitCode;
    if (flags.expect !== undefined && !found.isAdoptionOnly && !found.isUnchanged) return exitCode.found;
    await undo?.write(reading, run.read, zones);
    if (approve !== undefined) {
      const saved = plan === undefined ? notes.planFile : resolve(session.cwd, plan);
      await writeApproval(reading, approve, run.read, saved);
    }
    return exitCode.fine;
  } finally {
    notes.close();
  }
}

/** Events from a file are compared with the zones where someone says how to reach them. */
async function zonesFor(
  reading: Approving,
  { read, exitCode: code }: PreviewRun,
  { baseUrl, tokenEnv, service }: ReviewFlags,
): Promise<ZonesRead | undefined> {
  const { session, file } = reading;
  const isReachable =
    file === undefined
      ? !isOffline(session.env)
      : (baseUrl ?? tokenEnv ?? service ?? session.env["PAGE_GUARD_API_TOKEN"]?.trim() ?? "") !== "";
  return isReachable && code === 0 ? readChangedZones(reading, read) : undefined;
}

function reviewed(
  session: Session,
  flags: ReviewFlags,
  run: PreviewRun,
  zones: ZonesRead | undefined,
): Review {
  return reviewOf(run.read, zones, {
    ...{ version: packageVersion(), exitCode: run.exitCode, root: repositoryRoot(session) },
    // This environment says nothing about events that were recorded elsewhere.
    isOffline: flags.events === undefined && isOffline(session.env),
    nameOf: namesOf(session, {}),
  });
}

/** Before any work. */
function checkFlags({ env }: Session, flags: ReviewFlags, given: readonly string[]): void {
  if (flags.events !== undefined && given.length > 0)
    throw new UsageError("--events replaces the preview: leave out one of the two.");
  if (flags.findings !== undefined && flags.events === undefined)
    throw new UsageError("--findings requires --events: a preview that runs here writes its own.");
  if (flags.events === undefined && (flags.baseUrl ?? flags.tokenEnv ?? flags.service) !== undefined)
    throw new UsageError(
      "--base-url, --token-env and --service require --events: a preview that runs here says itself where its zones are.",
    );
  if ((flags.plan !== undefined) !== (flags.events !== undefined && flags.approve !== undefined)) {
    throw new UsageError(
      "--plan goes with --events and --approve, and they require it: the file that `--save-plan` of the same preview wrote. A preview that runs here saves its own.",
    );
  }
  if (flags.summary && !env["GITHUB_STEP_SUMMARY"])
    throw new UsageError("--summary needs GITHUB_STEP_SUMMARY, which GitHub sets. Use --markdown elsewhere.");
}

async function previewed(
  session: Session,
  { events, findings, approve }: ReviewFlags,
  command: PulumiPreview,
  notes: Notes,
): Promise<PreviewRun> {
  if (events === undefined) return runPreview(session, command, notes, approve !== undefined);
  const lines = (await readText(session, events, ofStack)).split("\n");
  const found = findings === undefined ? [] : (await readText(session, findings, ofStack)).split("\n");
  const read = readEvents(lines, found);
  if (read.stack === undefined && read.result === "unfinished" && read.findings.length === 0)
    throw new CommandError(
      "These are not events of the engine. Write them with `pulumi preview --json` and PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true.",
    );
  return { read, exitCode: read.result === "succeeded" ? 0 : 1 };
}

function write(session: Session, flags: ReviewFlags, read: PreviewRead, found: Review): void {
  session.onReview?.(found);
  const report = reportOf(read, repositoryRoot(session), found.version);
  const comment = () => markdown(found);
  if (flags.summary) appendSummary(session, comment());
  const json = () => forJson({ ...found, findings: report.findings });
  const page = () => html(found);
  const inFolder = (name: string) => (flags.out === undefined ? undefined : join(flags.out, name));
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

function appendSummary({ env }: Session, comment: string): void {
  try {
    appendFileSync(env["GITHUB_STEP_SUMMARY"] ?? "", `${comment}\n`);
  } catch (error) {
    throw new CommandError(`Failed to write the step summary: ${reasonOf(error)}`);
  }
}

/** Findings, violations of policy packs and failures for machines, at the line of the `new`. */
function reportOf(read: PreviewRead, root: string, version: string): Report {
  const findings = read.findings
    .filter(({ code, severity }) => code !== "" || severity === "error")
    .map((finding) => ({ ...finding, code: finding.code || "engine-error" }));
  const meanings = findings.map(({ code }) => [code, ofOthers(code) ?? meaningOf(code).means] as const);
  return {
    ...{ title: "page-guard review", version, rules: Object.fromEntries(meanings) },
    findings: findings.map((finding) => asReported(finding, root)),
    examined: read.steps.filter(({ isOurs }) => isOurs).map(({ urn }) => declaredAsIn(urn)),
  };
}

function ofOthers(code: string): string | undefined {
  if (code === "engine-error") return "The engine or another provider failed.";
  return code.startsWith("policy-") ? "A policy pack found something." : undefined;
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
