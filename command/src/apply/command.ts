import { Command, InvalidArgumentError } from "commander";
import {
  enumerate,
  groupBy,
  parseKind,
  pluralize,
  sleep,
  switchesOn,
  systemClock,
  toObjectType,
} from "pulumi-page-guard/tools";
import { type ApprovedContent, readApproved } from "../approval/approved-file";
import { type Deviation, findDifferences } from "../approval/differences";
import { approveRest, checkPassedOn, findPassedOn, type PassedOn } from "../approval/engine-plan";
import { makePlan } from "../approval/make-approval";
import { readPlanned } from "../approval/zone-contents";
import { forShell, forTerminal } from "../documents/escape";
import { withDeletedWith } from "../preview/deleted-with";
import { isError, type PreviewRead, withProperty } from "../preview/preview-read";
import { runPreview } from "../preview/run-preview";
import { pulumiUp } from "../pulumi/command-line";
import { Notes } from "../pulumi/own-folder";
import { lockOwner } from "../pulumi/run-pulumi";
import type { ReadingContext } from "../review/read-zones";
import { CommandError } from "../shared/command-error";
import { resourceText } from "../shared/labels";
import { waitForLock } from "../shared/options";
import { Progress } from "../shared/progress";
import { Reader } from "../shared/reader";
import { type Conclude, type ExitCode, exitCode, type Session } from "../shared/session";
import { distinct } from "../shared/values";
import { makeZoneNamer } from "../shared/zones";
import { Undo } from "../undo/undo";
import { update } from "./update";

interface ApplyFlags {
  readonly approved: string;
  /** Time to wait for a locked stack, in milliseconds. */
  readonly wait: number;
  readonly allow?: readonly string[];
  readonly undo?: string;
}

const retryEveryMs = 10_000;

const example = `
Example:
  page-guard apply --approved approved.json --wait 20m -- pulumi up --stack production

Values of --allow, separated by commas:
  adopted       an object that was to be created exists already and is adopted
  no-change     an approved change has already been made
  unknown-zone  a zone is secret, or only known after something else is created, so its contents are not compared
  unknown-input=RESOURCE.INPUT
                this input is only known after something else is created, so nobody saw its value (cannot be allowed for a migration)
  unreviewed-migration=STACK
                start a WAF migration of this stack although PAGE_GUARD_ALLOW_UNREVIEWED is set

Exit codes: 2 the update is not what was approved; the output lists what has already been done (usually nothing).
1 failed. Otherwise the exit code of \`pulumi up\`; if that is 2, this command exits with 1.`;

export function applyCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("apply")
    .description("Run an update only if it is as approved and the zones have not changed since")
    .usage("[options] -- pulumi up ...")
    .argument("<command...>", "the update to run")
    .requiredOption("--approved <file>", "file written by `page-guard review --approve`")
    .addOption(waitForLock().default(0, "0m"))
    .option("--allow <what>", "differences to allow, see below", parseAllow)
    .option("--undo <dir>", "write a program that restores objects that the update deletes or overwrites");
  return command
    .addHelpText("after", example)
    .action((given: readonly string[], flags: ApplyFlags) => conclude(apply(session, flags, given)));
}

async function apply(session: Session, flags: ApplyFlags, given: readonly string[]): Promise<ExitCode> {
  const command = pulumiUp(given);
  // Read the file only once, before starting anything that could overwrite it.
  const { content: approved } = readApproved(session, flags.approved);
  const undo = flags.undo === undefined ? undefined : new Undo(session, flags.undo);
  const unreviewed = unreviewedMigration(approved, flags.allow ?? [], session);
  if (unreviewed !== undefined) return refuse(session, unreviewed);
  const progress = new Progress(session);
  const reader = new Reader({ session, flags: {}, progress });
  const reading = { session, progress, reader, configCommand: command.config };
  const work: Work = {
    flags,
    command,
    approved,
    undo,
    reading,
    passedOn: findPassedOn(approved),
    zoneName: makeZoneNamer(session),
  };
  const { clock = systemClock } = session;
  const deadline = clock.now() + flags.wait;
  for (;;) {
    const outcome = await attempt(session, work);
    if (outcome.lockedBy === undefined) return outcome.code;
    const left = deadline - clock.now();
    const text = lockText(outcome.lockedBy, left, flags.wait);
    session.err(`${text}\n`);
    session.tell?.(left > 0 ? { waits: text } : { reason: text });
    if (left <= 0) return outcome.code;
    await sleep(clock, Math.min(left, retryEveryMs));
  }
}

/** Values that all attempts to apply an approval share. */
interface Work {
  readonly flags: ApplyFlags;
  readonly command: ReturnType<typeof pulumiUp>;
  readonly approved: ApprovedContent;
  readonly undo: Undo | undefined;
  readonly reading: ReadingContext;
  readonly passedOn: readonly PassedOn[];
  readonly zoneName: ReturnType<typeof makeZoneNamer>;
}

interface Outcome {
  readonly code: ExitCode;
  /** Owner of the lock of the stack, if the update did not start because of that lock. */
  readonly lockedBy?: string | undefined;
}

/** Previews, compares the preview with the approval, and runs the update if they agree. */
async function attempt(session: Session, work: Work): Promise<Outcome> {
  const { command, approved, undo, reading, passedOn, zoneName } = work;
  const notes = new Notes();
  const run = await runPreview(session, command, notes, false).finally(() => notes.close());
  const { exitCode: code } = run;
  const read = code === 0 ? await withDeletedWith(session, command, run.read) : run.read;
  if (code !== 0 || read.result !== "succeeded")
    return { code: refusePreview(session, read, code === 0 ? exitCode.failed : fromPulumi(code)) };
  const plan = makePlan(read);
  const refusal = await findRefusal(session, work, read, plan);
  if (refusal !== undefined) return { code: refuse(session, refusal) };
  await undo?.write(reading, read);
  const done = await update(session, command, approveRest(approved, plan.steps), read.steps);
  const wrong = explainDone(done, approved);
  if (wrong !== undefined) return { code: refuseDone(session, wrong) };
  noteUncompared(session, done, approved);
  if (done.code !== 0) return { code: fromPulumi(done.code), lockedBy: lockOwner(done.output) };
  const others = await checkPassedOn(reading, passedOn, plan.zones, read, approved, zoneName);
  if (others.length === 0) return { code: exitCode.fine };
  return {
    code: refuseDone(
      session,
      `The update is done, but the rules of an entry point differ from those that were approved (${approvedAt(approved)}) for the migration of its zone:\n${indented(others)}\nThe program did not pass on the rules of the migration unchanged. Correct the program, then review and ${again}`,
    ),
  };
}

/** Returns the reason why this preview may not be applied. If there is none, prints the approved changes and returns undefined. */
async function findRefusal(
  session: Session,
  { flags: { allow = [] }, approved, reading, passedOn, zoneName }: Work,
  read: PreviewRead,
  plan: ReturnType<typeof makePlan>,
): Promise<string | undefined> {
  if (plan.project !== approved.project || plan.stack !== approved.stack)
    throw new CommandError(
      `The approval is for stack ${forTerminal(approved.stack)} of ${forTerminal(approved.project)}, but this is stack ${forTerminal(plan.stack)} of ${forTerminal(plan.project)}. Nothing was changed.`,
    );
  if (read.isSelective !== approved.isSelective) return `${selectionText(approved)} Review and ${again}`;
  const zones = await readPlanned(reading, plan.zones, approved);
  const differences = findDifferences(approved, { ...plan, zones }, passedOn, zoneName);
  const blocking = differences.filter(({ allowedBy }) => !allowedBy.some((one) => allow.includes(one)));
  if (blocking.length > 0) {
    const lines = indented(blocking.map(({ text }) => text));
    const isLasting = blocking.every((one) => one.isLasting);
    const what = isLasting ? "No approval covers this" : "This is not what was approved";
    const next = isLasting ? "Another approval would not change this." : `Review it and ${again}`;
    return `Nothing was changed. ${what} (${approvedAt(approved)}):\n${lines}\n${next}${wayOut(blocking)}`;
  }
  for (const { text } of differences) session.err(`Allowed: ${text}.\n`);
  const counts = [...groupBy(plan.steps, ({ op }) => op)].map(
    ([op, all]) => `${all.length} to ${forTerminal(op, 30)}`,
  );
  const what = `${counts.join(", ") || "nothing to do"}; ${pluralize(zones.length, "zone")} checked`;
  session.err(`As approved (${approvedAt(approved)}): ${what}.\n`);
  return undefined;
}

type Done = Awaited<ReturnType<typeof update>>;

/** Describes how the update deviated from the approval, even if it was stopped for that; undefined if it did not deviate. */
function explainDone({ midway, others, options }: Done, approved: ApprovedContent): string | undefined {
  const unapproved = [...others, ...options];
  const restoring = options.length === 0 ? "" : restoreText;
  if (midway) {
    const changes = enumerate(midway.done, { most: 100 });
    const before = changes === "" ? "Nothing was changed." : `Done by then: ${changes}.`;
    return `This is not what was approved (${approvedAt(approved)}), so the update was stopped:\n${indented([...midway.reasons, ...unapproved])}\n${before}\nFind out why the program did something that its preview did not show, then review and ${again}${restoring}`;
  }
  if (unapproved.length === 0) return undefined;
  return `The update did something other than what was approved (${approvedAt(approved)}):\n${indented(unapproved)}\nA policy pack or the program made a different decision than in the preview. Find out why, correct it, then review and ${again}${restoring}`;
}

/** Prints what was not compared with the approval, and advice if the engine ended without a result. */
function noteUncompared(session: Session, { notCompared, isCutOff }: Done, approved: ApprovedContent): void {
  if (approved.options === undefined)
    session.err(
      "Resource options were not compared, because the approval was made from recorded events, which do not contain them.\n",
    );
  if (notCompared.length > 0)
    session.err(
      `These inputs were not compared with the approval, because they are secret and a policy pack changed the resources: ${enumerate(notCompared)}.\n`,
    );
  if (isCutOff) session.err(`${cutOffText(approved.stack)}\n`);
}

function refuse(session: Session, text: string, code: ExitCode = exitCode.found): ExitCode {
  session.out(`${text}\n`);
  session.tell?.({ reason: text });
  return code;
}

function refusePreview(session: Session, read: PreviewRead, code: ExitCode): ExitCode {
  const errors = read.findings.filter(isError).map((one) => forTerminal(withProperty(one), 1500));
  return refuse(session, `The preview failed, so nothing was changed:\n${indented(errors)}`, code);
}

/** Reports an update that has already run, but not as approved. */
function refuseDone(session: Session, text: string): ExitCode {
  session.tell?.({ isOtherwise: true });
  return refuse(session, text);
}

function approvedAt({ madeAt }: ApprovedContent): string {
  return forTerminal(madeAt, 40);
}

/** Returns the reason to refuse a plan with a migration that nobody had to approve; undefined if the plan may be applied. */
function unreviewedMigration({ steps, stack }: ApprovedContent, allow: readonly string[], { env }: Session) {
  const word = `unreviewed-migration=${stack}`;
  const migrations = steps.filter(
    ({ type, op }) => toObjectType(parseKind(type)) === "migration" && !/^(delete|discard|remove)/.test(op),
  );
  if (!switchesOn(env["PAGE_GUARD_ALLOW_UNREVIEWED"]) || migrations.length === 0 || allow.includes(word))
    return undefined;
  const named = enumerate(migrations.map(({ urn }) => resourceText(urn)));
  return `Nothing was changed. The plan contains ${named}, which cannot be undone, and PAGE_GUARD_ALLOW_UNREVIEWED is set, so nobody had to approve the plan. Read the plan. To apply it, confirm with the name of the stack:\n  --allow ${forTerminal(word, 200)}`;
}

const again = "approve again: page-guard review --approve FILE.";

const restoreText =
  "\nA changed resource option stays in the state until another update sets it back. Declare the option as it was approved (or leave it out if it was not approved), then review and apply again. Until then, do not remove any of these resources from the program.";

function selectionText({ isSelective }: ApprovedContent): string {
  return isSelective
    ? "Nothing was changed. The approval covers an update of only some resources (--target or --exclude), but this update covers all of them."
    : "Nothing was changed. This update covers only some resources (--target or --exclude), but the approval covers all of them.";
}

/** Returns a sentence with the `--allow` flag that allows all these differences; empty if no flag allows all of them. */
function wayOut(blocking: readonly Deviation[]): string {
  if (blocking.some(({ allowedBy }) => allowedBy.length === 0)) return "";
  const common = blocking[0]?.allowedBy.find((word) => blocking.every((one) => one.allowedBy.includes(word)));
  const needed = common ? [common] : distinct(blocking.map(({ allowedBy: [first] }) => first));
  const isUnseen = needed.some((one) => one.startsWith("unknown"));
  const reason = isUnseen
    ? "If this is intended, allow it"
    : "The only difference is that part of the update has already been done. Allow it";
  return ` ${reason} with --allow ${forShell(needed.join(","))}.`;
}

function indented(texts: readonly string[]): string {
  const lines = texts.map((text) => `  ${text}`);
  return enumerate(lines, { most: 100, separator: "\n" });
}

function lockText(owner: string, left: number, wait: number): string {
  if (left > 0)
    return `The stack is locked by ${owner}. Waiting up to ${Math.ceil(left / 60_000)} min. Each attempt compares everything again.`;
  const waited =
    wait === 0
      ? "Use --wait 10m to wait until it is unlocked"
      : `The ${wait / 60_000} min of --wait have passed`;
  return `The stack is locked by ${owner}, so nothing was changed. ${waited}. This command never removes a lock. If the owner of the lock no longer exists, run \`pulumi cancel\`. ${notStopped}`;
}

const notStopped =
  "With a file or S3 backend, `pulumi cancel` does not stop a running update: interrupt the process itself (Ctrl-C), and wait until it has ended.";

function cutOffText(stack: string): string {
  return `The engine ended without a result: it crashed or was killed. Its last changes may be missing from the state. Make sure that no update is running. Then unlock the stack with \`pulumi cancel --stack ${forTerminal(forShell(stack), 200)}\`. ${notStopped} Then review and ${again}`;
}

/** Converts an exit code of `pulumi`: 2 becomes 1, because `apply` exits with 2 if the update is not what was approved. */
function fromPulumi(code: number): ExitCode {
  return code === exitCode.found ? exitCode.failed : code;
}

const allowances = /^(adopted|no-change|unknown-zone|unknown-input=.+\..+|unreviewed-migration=.+)$/;

function parseAllow(text: string, before: readonly string[] = []): readonly string[] {
  // Split only before a known value, because the name of a resource can contain a comma.
  const words = text
    .split(/,\s*(?=adopted|taken-over|no-change|unknown-|unreviewed-)/)
    .map((word) => word.trim().replace(/^taken-over$/, "adopted"));
  if (words.every((word) => allowances.test(word))) return distinct([...before, ...words]);
  throw new InvalidArgumentError(
    "Expected adopted, no-change, unknown-zone, unknown-input=RESOURCE.INPUT or unreviewed-migration=STACK.",
  );
}
