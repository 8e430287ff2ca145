import { join } from "node:path";
import { z } from "zod";
import { sleep, systemClock } from "../../api/clock";
import { forTerminal } from "../../reports/escape";
import { jsonOf } from "../../text/json-of";
import { plural } from "../../text/plural";
import { approvedOf } from "../approval/approved-file";
import { lockOwner } from "../approval/backend-lock";
import { runPulumi } from "../approval/run-pulumi";
import { type ExitCode, exitCode, type Session } from "../session";
import { readState } from "../state/read-state";
import { stringIn } from "../values";
import { type HistoryEntry, historyOf, lastChange } from "./gate";
import { type ApprovedStack, finishesUnnamed, mayFinish } from "./manifest";
import type { ProgressTable } from "./progress-table";
import type { FleetZone } from "./zones-file";

/** Runs another command of `page-guard` in this process. */
export type RunCommand = (argv: readonly string[], session: Session) => Promise<ExitCode>;

/** What became of a stack. */
export interface StackResult {
  readonly zone: FleetZone;
  readonly code: 0 | 1 | 2;
  /** One line; already safe to show. */
  readonly text: string;
  readonly review?: StackReview;
}

const reviewSchema = z.looseObject({
  headline: z.string(),
  isUnchanged: z.boolean(),
  alerts: z.array(z.string()),
  undone: z.array(z.looseObject({ name: z.string(), stage: z.string(), zone: z.string().optional() })),
  losses: z.array(z.looseObject({ fate: z.string() })),
  impact: z.looseObject({ scripts: z.number(), isUnknown: z.boolean() }),
  findings: z.array(z.looseObject({ code: z.string(), severity: z.string(), message: z.string() })),
  parts: z.array(
    z.looseObject({
      changes: z.array(z.looseObject({ op: z.string(), zones: z.array(z.string()) })).optional(),
    }),
  ),
});
export type StackReview = z.output<typeof reviewSchema>;

export interface Work {
  readonly session: Session;
  readonly run: RunCommand;
  readonly signal: AbortSignal;
  /** How long a lock is waited for. */
  readonly waitMs: number;
  readonly allow: readonly string[];
  readonly progress: ProgressTable;
}

const retryEveryMs = 10_000;

/** Previews a stack. With a folder it writes the approved file. */
export async function previewStack(work: Work, zone: FleetZone, folder?: string): Promise<StackResult> {
  const approve = folder === undefined ? [] : ["--approve", join(folder, fileOf(zone))];
  const ended = await captured(work, [
    ...["review", "--json", "-", ...approve],
    ...["--", "pulumi", "preview", `--stack=${zone.name}`],
  ]);
  const read = reviewSchema.safeParse(jsonOf(ended.out));
  if (ended.code !== 0 || !read.success)
    return { zone, code: 1, text: reasonIn(ended.out, ended.err, read.data) };
  const review = read.data;
  if (review.undone.some((one) => one.stage !== "validation" && !mayFinish(zone, one.zone)))
    return { zone, code: 2, text: unnamed, review };
  const other = otherZone(zone, review);
  if (other !== undefined) {
    const text = `it changes zone ${forTerminal(other, 40)}, and zones.yaml gives this stack zone ${zone.id}`;
    return { zone, code: 2, text, review };
  }
  return {
    zone,
    code: 0,
    text: review.isUnchanged ? "nothing to do" : forTerminal(review.headline, 300),
    review,
  };
}

const unnamed =
  "it would finish a migration, which cannot be undone, and zones.yaml does not name this zone with stage: finished";

/** One that it changes. What it has in a former zone may be deleted. */
function otherZone({ id }: FleetZone, { parts }: StackReview): string | undefined {
  const changes = parts.flatMap((part) => part.changes ?? []);
  return changes.flatMap(({ op, zones }) => (op === "delete" ? [] : zones)).find((changed) => changed !== id);
}

/** Applies what was approved, or nothing. What this approval has done already is not done twice. */
export async function applyStack(
  work: Work,
  zone: FleetZone,
  folder: string,
  approved: ApprovedStack | undefined,
): Promise<StackResult> {
  const { session } = work;
  if (!approved || approved.zoneId !== zone.id)
    return { zone, code: 2, text: "not approved: the manifest does not have it" };
  if (approved.isUnchanged) return { zone, code: 0, text: "nothing to do" };
  const file = join(folder, fileOf(zone));
  const { content, sha256 } = approvedOf(session, file);
  if (sha256 !== approved.sha256 || content.stack !== zone.name)
    return { zone, code: 2, text: "not approved: its file is not the one that the manifest names" };
  if (finishesUnnamed(zone, content)) return { zone, code: 2, text: unnamed };
  const message = `page-guard fleet, approval ${sha256.slice(0, 16)}`;
  let before: Pick<StackResult, "code" | "text"> | undefined;
  const ended = await unlocked(work, zone, async () => {
    // Read each time: another run of this approval may have had the lock.
    const history = (await historyOf(session, zone.name)) ?? [];
    before = appliedBefore(history, message);
    if (before) return { code: exitCode.fine, out: "", err: "" };
    // What an earlier run of this approval has done is no longer to be done.
    const isBegun = history.some((entry) => entry.message === message);
    const allow = [...new Set([...work.allow, ...(isBegun ? ["no-change", "adopted"] : [])])];
    return captured(work, [
      ...["apply", "--approved", file, ...allow.flatMap((one) => ["--allow", one])],
      ...["--", "pulumi", "up", `--stack=${zone.name}`, `--message=${message}`],
    ]);
  });
  if (before) return { zone, ...before };
  if (ended.code === exitCode.fine) return { zone, code: 0, text: "applied" };
  return { zone, code: ended.code === exitCode.found ? 2 : 1, text: reasonIn(ended.out, ended.err) };
}

/** An approval is for one update: what was put back since is not done again. */
function appliedBefore(history: readonly HistoryEntry[], message: string) {
  const at = history.findIndex((entry) => entry.message === message && entry.result === "succeeded");
  if (at < 0) return undefined;
  if (lastChange(history.slice(0, at)) === undefined) return { code: 0, text: "done already" } as const;
  const text = "applied before, and changed by another update since: preview and approve again";
  return { code: 2, text } as const;
}

export async function refreshStack(work: Work, zone: FleetZone): Promise<StackResult> {
  const command = [
    "pulumi",
    "refresh",
    "--yes",
    "--skip-preview",
    "--non-interactive",
    `--stack=${zone.name}`,
  ];
  const { code, out } = await unlocked(work, zone, async () => {
    const { code: ended, output } = await runPulumi(work.session, command);
    return { code: ended, out: output, err: "" };
  });
  return code === 0 ? { zone, code: 0, text: "refreshed" } : { zone, code: 1, text: reasonIn(out, "") };
}

const driftSchema = z.looseObject({
  drift: z.array(z.unknown()),
  notCompared: z.number(),
  zones: z.array(z.looseObject({ id: z.string() })),
});

export async function driftOfStack(work: Work, zone: FleetZone): Promise<StackResult> {
  const { code, out, err } = await captured(work, ["drift", `--stack=${zone.name}`, "--json"]);
  const found = driftSchema.safeParse(jsonOf(out));
  if (!found.success) return { zone, code: 1, text: reasonIn(out, err) };
  const { drift, notCompared, zones } = found.data;
  if (!zones.some(({ id }) => id === zone.id))
    return { zone, code: 2, text: `its stack has no resource in zone ${zone.id}` };
  const differences = code === exitCode.found ? plural(drift.length, "difference") : "no drift";
  const hidden = notCompared === 0 ? "" : `, ${notCompared} not compared (secret)`;
  return { zone, code: code === exitCode.found ? 2 : 0, text: `${differences}${hidden}` };
}

export async function statusOfStack({ session }: Work, zone: FleetZone): Promise<StackResult> {
  const history = await historyOf(session, zone.name);
  if (!history) return { zone, code: 2, text: "no stack" };
  const last = history.find(({ kind }) => kind === "update");
  if (!last) return { zone, code: 2, text: "never applied" };
  const change = lastChange(history)?.endTime;
  const changed = change === undefined ? "" : `, last change ${forTerminal(change, 40)}`;
  const isDone = last.result === "succeeded";
  const mode = zone.stage === "validation" ? await validationText(session, zone.name) : "";
  return { zone, code: isDone ? 0 : 2, text: `last update ${forTerminal(last.result, 30)}${changed}${mode}` };
}

/** What the new WAF blocks in that time, no API says. */
async function validationText(session: Session, name: string): Promise<string> {
  const steps = await readState(session, { stack: name });
  const since = steps.flatMap(({ outputs = {} }) =>
    outputs["reached"] === "validation" ? (stringIn(outputs["startedAt"]) ?? []) : [],
  )[0];
  return since === undefined ? "" : `, in validation since ${forTerminal(since, 40)}`;
}

/** Of its approved file. */
export function fileOf({ name }: FleetZone): string {
  return `${name}.json`;
}

interface Captured {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

async function captured({ session, run }: Work, argv: readonly string[]): Promise<Captured> {
  const said = { out: "", err: "" };
  const code = await run(argv, {
    ...session,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    readStdin: async () => "",
    isWatched: false,
    hasColour: false,
  });
  return { code, ...said };
}

/** Runs it again while someone else has the lock of the stack; a lock is never removed. */
async function unlocked(
  work: Work,
  { name }: FleetZone,
  attempt: () => Promise<Captured>,
): Promise<Captured> {
  const { clock = systemClock } = work.session;
  const deadline = clock.now() + work.waitMs;
  for (;;) {
    const ended = await attempt();
    const owner = ended.code === 0 ? undefined : lockOwner(ended.out + ended.err, work.session.now());
    if (owner === undefined) return ended;
    const left = deadline - clock.now();
    const locked = `error: the stack is locked by ${owner}; run \`pulumi cancel\` if its owner is gone\n`;
    if (left <= 0) return { ...ended, err: locked };
    work.progress.note(name, `locked by ${owner}; waiting up to ${Math.ceil(left / 60_000)} min`);
    if (!(await sleep(clock, Math.min(left, retryEveryMs), work.signal))) return ended;
  }
}

/** The line that says why it failed, with the first of what it introduces. */
function reasonIn(out: string, err: string, review?: StackReview): string {
  const found = review?.findings.find(({ severity }) => severity === "error")?.message;
  const lines = `${err}\n${out}`.split("\n").filter((line) => line.trim() !== "");
  const at = lines.findIndex((one) => /\berror\b|no stack named|not what was approved|\[PG_/i.test(one));
  const line = (lines.at(at) ?? "it failed without a message").trim();
  const introduced = line.endsWith(":") ? (lines[at + 1] ?? "").trim() : "";
  // The engine's progress stands before the error: the resource and what was being done to it.
  return forTerminal(found ?? `${line.replace(/^.*?\berror: /, "")} ${introduced}`.trim(), 400);
}
