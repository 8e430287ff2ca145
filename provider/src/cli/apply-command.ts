import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { sleep, systemClock } from "../api/clock";
import { type ApprovedContent, approvedText, readApproved } from "../lifecycle/approval/approved-file";
import { approvalKey, digestKey, fileDigest } from "../lifecycle/approval/keyed-digest";
import { movedIn } from "../lifecycle/approval/moved";
import { forTerminal } from "../reports/escape";
import { listed } from "../text/listed";
import { look } from "./approval/approve";
import { type HeldLock, heldLock } from "./approval/backend-lock";
import {
  type Allowance,
  allowances,
  type Difference,
  differencesFrom,
  forgedDifferences,
} from "./approval/differences";
import { readEnginePlan, refuseShownSecrets } from "./approval/engine-plan";
import type { Midway } from "./approval/midway";
import { Notes } from "./approval/notes";
import { planOf } from "./approval/plan";
import { runPulumi } from "./approval/run-pulumi";
import { stackConnection } from "./approval/stack-connection";
import {
  isUnreviewedMigration,
  type UnreviewedMigration,
  unreviewedMigration,
} from "./approval/unreviewed-migration";
import { type Held, update } from "./approval/update";
import { CommandError } from "./command-error";
import { Progress } from "./progress";
import { type PulumiUp, pulumiUp } from "./pulumi/command-line";
import type { PreviewRead } from "./review/preview-read";
import { readEvents } from "./review/read-events";
import { type Conclude, type ExitCode, exitCode, type Session } from "./session";
import { Undo } from "./undo/undo";
import { reasonOf } from "./zones";

interface ApplyFlags {
  readonly approved: string;
  /** Minutes. */
  readonly wait: number;
  readonly allow?: readonly Allowed[];
  readonly undo?: string;
}

type Allowed = Allowance | UnreviewedMigration;

/** How often it is looked whether somebody else's update is over. */
const lookEveryMs = 10_000;

const example = `
Example:
  page-guard apply --approved approved.json --wait 20 -- pulumi up --stack production

What --allow takes, one or several with commas between them:
  taken-over    somebody has made meanwhile what was to be made: it is taken over
  no-change     something that was to be done is done already
  unknown-zone  a zone is only known once something else was created: what it holds is compared with nothing
  unknown-input an input is only known once something else was created: nobody has seen its value (never of a migration)
  unreviewed-migration=STACK
                a WAF migration of this stack begins although PAGE_GUARD_ALLOW_UNREVIEWED is set

Exit codes: 2 not what was approved, and it says what was done by then (mostly nothing); 1 could not do it; else what
\`pulumi up\` ended with, 1 in place of its 2.`;

/** `page-guard apply`: what was approved, or nothing. */
export function applyCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("apply")
    .description(
      "Run an update if it is what was approved, in zones that are as they were then; else change nothing",
    )
    .usage("[options] -- pulumi up ...")
    .argument("<command...>", "the update to run")
    .requiredOption("--approved <file>", "what `page-guard review --approve` has written")
    .option("--wait <minutes>", "how long to wait for another update of the stack to end", minutes, 0)
    .option("--allow <what>", "differences that may be, see below", allowed)
    .option("--undo <dir>", "write what the update deletes or overwrites, as a program that puts it back");
  return command
    .addHelpText("after", example)
    .action((given: readonly string[], flags: ApplyFlags) => conclude(apply(session, flags, given)));
}

async function apply(session: Session, flags: ApplyFlags, given: readonly string[]): Promise<ExitCode> {
  const command = pulumiUp(given);
  refuseShownSecrets(command);
  const opened = openApproved(session, resolve(session.cwd, flags.approved));
  const { approved } = opened;
  const undo = flags.undo === undefined ? undefined : new Undo(session, flags.undo);
  const { allow = [] } = flags;
  const unreviewed = unreviewedMigration(approved, allow, session.env);
  if (unreviewed !== undefined) {
    session.out(unreviewed);
    return exitCode.found;
  }
  const { clock = systemClock } = session;
  const patience = clock.now() + flags.wait * 60_000;
  for (;;) {
    const seen = await compare(session, command, opened);
    if (seen.failed !== undefined) return seen.failed;
    const { content, differences, read } = seen;
    const blocking = differences.filter(({ allowedBy }) => !allowedBy.some((one) => allow.includes(one)));
    if (blocking.length > 0) {
      session.out(refusal(approved, blocking));
      return exitCode.found;
    }
    for (const { text } of differences) session.err(`Allowed: ${text}.\n`);
    session.err(`${summary(approved, content)}\n`);
    const held = differences.length === 0 ? opened.held : heldTo(content, opened, allow);
    await undo?.write({ session, stackConfig: () => stackConnection(session, command.config) }, read);
    const ended = await update(session, command.up, held);
    if (ended.midway) {
      session.out(midwayText(approved, ended.midway));
      return exitCode.found;
    }
    const lock = ended.code === 0 ? undefined : heldLock(ended.output, session.now());
    if (!lock) return ofPulumi(ended.code);
    const left = patience - clock.now();
    session.err(`${lockText(lock, left, flags.wait)}\n`);
    if (left <= 0) return ofPulumi(ended.code);
    await sleep(clock, Math.min(left, lookEveryMs));
  }
}

interface Opened {
  readonly approved: ApprovedContent;
  readonly key: string | undefined;
  /** The file as it is. */
  readonly held: Held;
}

/** Read once, before anything is started that could write it. */
function openApproved(session: Session, file: string): Opened {
  try {
    const key = approvalKey(session.env);
    const { content, sha256 } = readApproved(file, { key });
    const { key: forDigests } = digestKey(content.salt, key);
    return { key, approved: content, held: { content, digestKey: forDigests, sha256, file } };
  } catch (error) {
    throw new CommandError(reasonOf(error));
  }
}

/** What has been allowed is what the provider process has to find from now on. The engine's plan stays the approved one. */
function heldTo(content: ApprovedContent, { approved, key, held }: Opened, allow: readonly Allowed[]): Held {
  const allowed = {
    ...content,
    plan: approved.plan,
    allowsUnknownZones: allow.includes("unknown-zone"),
    allowsUnknownInputs: allow.includes("unknown-input"),
  };
  const text = approvedText(allowed, key);
  return { content: allowed, digestKey: held.digestKey, sha256: fileDigest(Buffer.from(text)), text };
}

interface Compared {
  readonly content: ApprovedContent;
  readonly differences: readonly Difference[];
  readonly read: PreviewRead;
  readonly failed?: undefined;
}

/** Previews again, reads the zones again, and compares both with what was approved. */
async function compare(session: Session, command: PulumiUp, opened: Opened): Promise<Compared | Failed> {
  const notes = new Notes(opened.approved.salt, opened.key);
  try {
    return await compareWith(notes, session, command, opened.approved);
  } finally {
    notes.close();
  }
}

interface Failed {
  readonly failed: ExitCode;
}

async function compareWith(
  notes: Notes,
  session: Session,
  command: PulumiUp,
  approved: ApprovedContent,
): Promise<Compared | Failed> {
  const progress = new Progress(session);
  const env = { ...notes.env, PAGE_GUARD_APPROVED: undefined, PAGE_GUARD_APPROVED_SHA256: undefined };
  const ended = await progress.during("Previewing", () =>
    runPulumi(session, [...command.preview, "--save-plan", notes.planFile], { env }),
  );
  const read = readEvents(ended.stdout.split("\n"), notes.findingLines());
  if (ended.code !== 0 || read.result !== "succeeded") {
    const errors = read.diagnostics.filter(({ severity }) => severity === "error").map(({ text }) => text);
    const said = errors.length > 0 ? errors : [ended.output.slice(-2000)];
    session.out(
      `The preview failed, so nothing was changed:\n${said.map((text) => `  ${forTerminal(text, 1500)}\n`).join("")}`,
    );
    return { failed: ended.code === 0 ? exitCode.failed : ofPulumi(ended.code) };
  }
  const plan = planOf(read);
  if (plan.project !== approved.project || plan.stack !== approved.stack) {
    throw new CommandError(
      `What was approved is the stack ${forTerminal(approved.stack)} of ${forTerminal(approved.project)}, and this is ${forTerminal(plan.stack)} of ${forTerminal(plan.project)}. Nothing was changed.`,
    );
  }
  const approving = {
    session,
    stackConfig: () => stackConnection(session, command.config),
  };
  const evidence = { notes, enginePlan: readEnginePlan(notes.planFile, plan), key: notes.digestKey };
  const { content, zones } = await look(approving, plan, evidence, approved.zones);
  const moved = await Promise.all(
    zones.map(async (live) => {
      const before = approved.zones.find(({ zoneId }) => zoneId === live.zoneId);
      return before ? movedIn(before, live, notes.digestKey) : [];
    }),
  );
  const differences = [...forgedDifferences(plan), ...differencesFrom(approved, content, moved.flat())];
  return { read, content, differences };
}

function refusal({ madeAt }: ApprovedContent, blocking: readonly Difference[]): string {
  const lines = listed(
    blocking.map(({ text }) => `  ${text}`),
    { most: 100, separator: "\n" },
  );
  return `Nothing was changed. This is not what was approved (${forTerminal(madeAt, 40)}):\n${lines}\nReview it and approve again: page-guard review --approve FILE.${wayOut(blocking)}\n`;
}

/** How all of it may pass, where it may. */
function wayOut(blocking: readonly Difference[]): string {
  if (blocking.some(({ allowedBy }) => allowedBy.length === 0)) return "";
  const common = allowances.find((one) => blocking.every(({ allowedBy }) => allowedBy.includes(one)));
  const needed = common ? [common] : [...new Set(blocking.map(({ allowedBy: [first] }) => first))];
  const isUnseen = needed.some((one) => one?.startsWith("unknown"));
  const reason = isUnseen ? "If you mean it," : "There is only less to do than was approved:";
  return ` ${reason} --allow ${needed.join(",")} lets it pass.`;
}

function midwayText({ madeAt }: ApprovedContent, { reasons, done }: Midway): string {
  const lines = listed(
    reasons.map((text) => `  ${text}`),
    { most: 100, separator: "\n" },
  );
  const before = done.length === 0 ? "Nothing was changed." : `Done by then: ${listed(done, { most: 100 })}.`;
  return `This is not what was approved (${forTerminal(madeAt, 40)}), and the update was refused:\n${lines}\n${before}\nFind out why the program does not do what it has shown, then review and approve again: page-guard review --approve FILE.\n`;
}

function summary(
  { madeAt }: ApprovedContent,
  { steps, zones }: Pick<ApprovedContent, "steps" | "zones">,
): string {
  const count = new Map<string, number>();
  for (const { op } of steps) count.set(op, (count.get(op) ?? 0) + 1);
  const work = [...count].map(([op, times]) => `${times} to ${forTerminal(op, 30)}`).join(", ");
  return `As approved (${forTerminal(madeAt, 40)}): ${work || "nothing to do"}; ${zones.length} ${zones.length === 1 ? "zone holds" : "zones hold"} what was approved.`;
}

function lockText({ owner }: HeldLock, left: number, wait: number): string {
  if (left > 0) {
    return `The stack is locked by ${owner}. Waiting, for ${Math.ceil(left / 60_000)} min at the most; then all is compared again.`;
  }
  const waited = wait === 0 ? "--wait MINUTES waits for it" : `${wait} min of waiting are over`;
  return `The stack is locked by ${owner}; nothing was changed, and ${waited}. A lock is never taken away here: when you know that its owner is gone, \`pulumi cancel\` does that.`;
}

/** 2 is ours: something has moved. */
function ofPulumi(code: number): ExitCode {
  return code === exitCode.found ? exitCode.failed : code;
}

function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError("It takes minutes, such as 20.");
  }
  return value;
}

function allowed(text: string, before: readonly Allowed[] = []): readonly Allowed[] {
  const words = [...new Set(text.split(",").map((word) => word.trim()))];
  const known = [...allowances.filter((one) => words.includes(one)), ...words.filter(isUnreviewedMigration)];
  if (known.length !== words.length) {
    throw new InvalidArgumentError(`It takes ${allowances.join(", ")}, unreviewed-migration=STACK.`);
  }
  return [...new Set([...before, ...known])];
}
