import { Command, InvalidArgumentError } from "commander";
import { grouped, isSwitchedOn, kindOf, listed, plural, sleep, systemClock } from "pulumi-page-guard/tools";
import { type ApprovedContent, approvedOf } from "./approval/approved-file";
import { type Deviation, differencesFrom } from "./approval/differences";
import { notPassedOn, passedOnIn } from "./approval/passed-on";
import { type PreviewPlan, planOf } from "./approval/plan";
import { resourceText } from "./approval/resource-text";
import { type Midway, update } from "./approval/update";
import { readPlanned } from "./approval/write-approval";
import { CommandError } from "./command-error";
import { waitForLock } from "./options";
import { isError, type PreviewRead, withProperty } from "./preview/preview-read";
import { runPreview } from "./preview/run-preview";
import { type PulumiUp, pulumiUp } from "./pulumi/command-line";
import { Notes } from "./pulumi/own-folder";
import { lockOwner } from "./pulumi/run-pulumi";
import { forTerminal } from "./reports/escape";
import { type Conclude, type ExitCode, exitCode, type Session } from "./session";
import { Undo } from "./undo/undo";
import { distinct } from "./values";
import { namesOf } from "./zones";

interface ApplyFlags {
  readonly approved: string;
  /** Milliseconds. */
  readonly wait: number;
  readonly allow?: readonly string[];
  readonly undo?: string;
}

/** How often a locked stack is tried again. */
const retryEveryMs = 10_000;

const example = `
Example:
  page-guard apply --approved approved.json --wait 20m -- pulumi up --stack production

What --allow takes, separated by commas:
  adopted       an object that was to be created exists already and is adopted
  no-change     something that was to be done is done already
  unknown-zone  a zone is only known after something else is created, so its contents are not compared
  unknown-input=RESOURCE.INPUT
                this input is only known after something else is created, so nobody saw its value (never of a migration)
  unreviewed-migration=STACK
                start a WAF migration of this stack although PAGE_GUARD_ALLOW_UNREVIEWED is set

Exit codes: 2 not what was approved; the output lists what was done by then (mostly nothing); 1 failed; else the code of
\`pulumi up\`, with 1 in place of its 2.`;

/** `page-guard apply`: exactly what was approved, or nothing. */
export function applyCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("apply")
    .description(
      "Run an update if it is what was approved and the zones have not changed since; else change nothing",
    )
    .usage("[options] -- pulumi up ...")
    .argument("<command...>", "the update to run")
    .requiredOption("--approved <file>", "file written by `page-guard review --approve`")
    .addOption(waitForLock().default(0, "0m"))
    .option("--allow <what>", "differences to allow, see below", allowed)
    .option("--undo <dir>", "write a program that restores what the update deletes or overwrites");
  return command
    .addHelpText("after", example)
    .action((given: readonly string[], flags: ApplyFlags) => conclude(apply(session, flags, given)));
}

async function apply(session: Session, flags: ApplyFlags, given: readonly string[]): Promise<ExitCode> {
  const command = pulumiUp(given);
  // Read once, before anything is started that could write it.
  const { content: approved } = approvedOf(session, flags.approved);
  const undo = flags.undo === undefined ? undefined : new Undo(session, flags.undo);
  const { allow = [] } = flags;
  const unreviewed = unreviewedMigration(approved, allow, session);
  if (unreviewed !== undefined) {
    session.out(unreviewed);
    return exitCode.found;
  }
  const approving = { session, config: command.config };
  const passedOn = passedOnIn(approved);
  const zoneName = namesOf(session);
  const { clock = systemClock } = session;
  const deadline = clock.now() + flags.wait;
  for (;;) {
    const preview = await previewed(session, command, approved);
    if ("failed" in preview) return preview.failed;
    const { plan, read } = preview;
    const zones = await readPlanned(approving, plan, approved);
    const differences = differencesFrom(approved, { ...plan, zones }, passedOn, zoneName);
    const blocking = differences.filter(({ allowedBy }) => !allowedBy.some((one) => allow.includes(one)));
    if (blocking.length > 0) {
      session.out(refusal(approved, blocking));
      return exitCode.found;
    }
    for (const { text } of differences) session.err(`Allowed: ${text}.\n`);
    session.err(`${summary(approved, plan)}\n`);
    await undo?.write(approving, read);
    const ended = await update(session, command.up, approved);
    if (ended.midway) {
      session.out(midwayText(approved, ended.midway));
      return exitCode.found;
    }
    if (ended.code === 0) {
      const others = await notPassedOn(
        approving,
        passedOn,
        { ...plan, findings: read.findings },
        approved,
        zoneName,
      );
      if (others.length === 0) return exitCode.fine;
      session.out(otherRulesText(approved, others));
      return exitCode.found;
    }
    const owner = lockOwner(ended.output);
    if (owner === undefined) return ofPulumi(ended.code);
    const left = deadline - clock.now();
    session.err(`${lockText(owner, left, flags.wait)}\n`);
    if (left <= 0) return ofPulumi(ended.code);
    await sleep(clock, Math.min(left, retryEveryMs));
  }
}

/** Why a plan with a migration is not run where nobody has to approve. Undefined if it may run. */
function unreviewedMigration(
  { steps, stack }: ApprovedContent,
  allow: readonly string[],
  { env }: Session,
): string | undefined {
  const word = `unreviewed-migration=${stack}`;
  const migrations = steps.filter(
    ({ type, op }) => kindOf(type) === "WafMigrationStep" && !/^(delete|discard|remove)/.test(op),
  );
  if (!isSwitchedOn(env["PAGE_GUARD_ALLOW_UNREVIEWED"]) || migrations.length === 0 || allow.includes(word))
    return undefined;
  const named = listed(migrations.map(({ urn, type }) => resourceText(urn, type)));
  return `Nothing was changed. The plan has ${named}, which cannot be undone, and PAGE_GUARD_ALLOW_UNREVIEWED is set, so nobody had to approve. Read the plan. If you mean it, confirm it with the name of the stack:\n  --allow ${forTerminal(word, 200)}\n`;
}

/** Previews again. @throws CommandError for another stack. */
async function previewed(
  session: Session,
  command: PulumiUp,
  approved: ApprovedContent,
): Promise<{ readonly plan: PreviewPlan; readonly read: PreviewRead } | { readonly failed: ExitCode }> {
  const notes = new Notes();
  try {
    const { read, exitCode: code } = await runPreview(session, command, notes, false);
    if (code !== 0 || read.result !== "succeeded") {
      const errors = read.findings.filter(isError);
      const lines = errors.map((one) => `  ${forTerminal(withProperty(one), 1500)}\n`);
      session.out(`The preview failed, so nothing was changed:\n${lines.join("")}`);
      return { failed: code === 0 ? exitCode.failed : ofPulumi(code) };
    }
    const plan = planOf(read);
    if (plan.project !== approved.project || plan.stack !== approved.stack) {
      throw new CommandError(
        `The approval is for stack ${forTerminal(approved.stack)} of ${forTerminal(approved.project)}, and this is ${forTerminal(plan.stack)} of ${forTerminal(plan.project)}. Nothing was changed.`,
      );
    }
    return { plan, read };
  } finally {
    notes.close();
  }
}

function refusal({ madeAt }: ApprovedContent, blocking: readonly Deviation[]): string {
  const lines = indented(blocking.map(({ text }) => text));
  return `Nothing was changed. This is not what was approved (${forTerminal(madeAt, 40)}):\n${lines}\nReview it and approve again: page-guard review --approve FILE.${wayOut(blocking)}\n`;
}

/** The flag that lets all of it pass, if there is one. */
function wayOut(blocking: readonly Deviation[]): string {
  if (blocking.some(({ allowedBy }) => allowedBy.length === 0)) return "";
  const common = blocking[0]?.allowedBy.find((word) => blocking.every((one) => one.allowedBy.includes(word)));
  const needed = common ? [common] : distinct(blocking.map(({ allowedBy: [first] }) => first));
  const isUnseen = needed.some((one) => one?.startsWith("unknown"));
  const reason = isUnseen
    ? "If you mean it, allow it"
    : "There is only less to do than was approved: allow it";
  return ` ${reason} with --allow ${needed.join(",")}.`;
}

function midwayText({ madeAt }: ApprovedContent, { reasons, done }: Midway): string {
  const before = done.length === 0 ? "Nothing was changed." : `Done by then: ${listed(done, { most: 100 })}.`;
  return `This is not what was approved (${forTerminal(madeAt, 40)}), so the update was stopped:\n${indented(reasons)}\n${before}\nFind out why the program did something else than its preview showed, then ${again}\n`;
}

function otherRulesText({ madeAt }: ApprovedContent, others: readonly string[]): string {
  return `The update is done, and an entry point has other rules than those that were approved (${forTerminal(madeAt, 40)}) for the migration of its zone:\n${indented(others)}\nThe program did not pass them on unchanged. Correct it, then ${again}\n`;
}

const again = "review and approve again: page-guard review --approve FILE.";

function indented(texts: readonly string[]): string {
  return listed(
    texts.map((text) => `  ${text}`),
    { most: 100, separator: "\n" },
  );
}

function summary({ madeAt }: ApprovedContent, { steps, zones }: PreviewPlan): string {
  const work = [...grouped(steps, ({ op }) => op)].map(
    ([op, all]) => `${all.length} to ${forTerminal(op, 30)}`,
  );
  return `As approved (${forTerminal(madeAt, 40)}): ${work.join(", ") || "nothing to do"}; ${plural(zones.length, "zone")} checked.`;
}

function lockText(owner: string, left: number, wait: number): string {
  if (left > 0)
    return `The stack is locked by ${owner}. Waiting up to ${Math.ceil(left / 60_000)} min; then everything is compared again.`;
  const waited = wait === 0 ? "use --wait 10m to wait for it" : `the ${wait / 60_000} min of --wait are over`;
  return `The stack is locked by ${owner}; nothing was changed, and ${waited}. A lock is never removed here: if its owner is gone, run \`pulumi cancel\`.`;
}

/** Exit code 2 is ours: not what was approved. */
function ofPulumi(code: number): ExitCode {
  return code === exitCode.found ? exitCode.failed : code;
}

const allowances = /^(adopted|no-change|unknown-zone|unknown-input=.+\..+|unreviewed-migration=.+)$/;

function allowed(text: string, before: readonly string[] = []): readonly string[] {
  const words = text.split(",").map((word) => word.trim().replace(/^taken-over$/, "adopted"));
  if (words.every((word) => allowances.test(word))) return distinct([...before, ...words]);
  throw new InvalidArgumentError(
    "Expected adopted, no-change, unknown-zone, unknown-input=RESOURCE.INPUT or unreviewed-migration=STACK.",
  );
}
