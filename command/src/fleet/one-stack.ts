import { join } from "node:path";
import { jsonOf, plural, sleep, systemClock, z } from "pulumi-page-guard/tools";
import { approvedOf } from "../approval/approved-file";
import { lockOwner } from "../pulumi/run-pulumi";
import { forTerminal } from "../reports/escape";
import type { Review } from "../reports/review/review";
import { type ExitCode, exitCode, type Session } from "../session";
import { readState } from "../state/read-state";
import { stringIn } from "../values";
import { type HistoryEntry, historyOf, lastChange } from "./gate";
import { type ApprovedStack, finishesUnnamed, mayFinish } from "./manifest";
import type { FleetZone } from "./zones-file";

/** Runs another command of `page-guard` in this process. */
export type RunCommand = (argv: readonly string[], session: Session) => Promise<ExitCode>;

/** What became of a stack. */
export interface StackResult {
  readonly zone: FleetZone;
  readonly code: 0 | 1 | 2;
  /** One line; already safe to show. */
  readonly text: string;
  readonly review?: Review | undefined;
  /** What has drifted, a line each; already safe to show. */
  readonly drift?: readonly string[];
}

export interface Work {
  readonly session: Session;
  readonly run: RunCommand;
  readonly signal: AbortSignal;
  /** How long a lock is waited for. */
  readonly waitMs: number;
  /** As of `apply`; `STACK:what` for one stack. */
  readonly allow: readonly string[];
  /** Progress of a stack. */
  say(name: string, text: string): void;
}

const retryEveryMs = 10_000;

/** Previews a stack. With a folder it writes the approved file and, beside it, its review as a page. */
export async function previewStack(work: Work, zone: FleetZone, folder?: string): Promise<StackResult> {
  const files =
    folder === undefined
      ? []
      : ["--approve", fileOf(folder, zone), "--html", join(folder, `${zone.name}.html`)];
  let review: Review | undefined;
  const onReview = (found: Review): void => {
    review = found;
  };
  const { code, out, err } = await captured({ ...work, session: { ...work.session, onReview } }, [
    ...["review", ...files, "--", "pulumi", "preview", `--stack=${zone.name}`],
  ]);
  if (code !== exitCode.fine || review === undefined)
    return { zone, code: 1, text: stoppedBy(review) ?? reasonIn(out, err) };
  if (review.undone.some((one) => one.stage !== "validation" && !mayFinish(zone, one.zone)))
    return { zone, code: 2, text: unnamed, review };
  const changes = review.parts.flatMap((part) => ("changes" in part ? part.changes : []));
  // What it has in a former zone may be deleted.
  const other = changes
    .flatMap(({ op, zones }) => (op === "delete" ? [] : zones))
    .find((changed) => changed !== zone.id);
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

/** The first failure of a preview: for a program that does not compile the same in all stacks. */
function stoppedBy(review: Review | undefined): string | undefined {
  const notes = (review?.parts ?? []).flatMap((part) => ("notes" in part ? part.notes : []));
  const text = notes.find(({ severity }) => severity === "error")?.text;
  return text === undefined ? undefined : forTerminal(text, 400);
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
  const file = fileOf(folder, zone);
  const { content, sha256 } = approvedOf(session, file);
  if (sha256 !== approved.sha256 || content.stack !== zone.name)
    return { zone, code: 2, text: "not approved: its file is not the one that the manifest names" };
  if (finishesUnnamed(zone, content)) return { zone, code: 2, text: unnamed };
  const message = `page-guard fleet, approval ${sha256.slice(0, 16)}`;
  const allowed = work.allow.flatMap((one) => allowedFor(zone, one));
  let before: Pick<StackResult, "code" | "text"> | undefined;
  const ended = await unlocked(work, zone, async () => {
    // Read each time: another run of this approval may have had the lock.
    const history = (await historyOf(session, zone.name)) ?? [];
    before = appliedBefore(history, message);
    if (before) return { code: exitCode.fine, out: "", err: "" };
    // What an earlier run of this approval has done is no longer to be done.
    const isBegun = history.some((entry) => entry.message === message);
    const allow = [...new Set([...allowed, ...(isBegun ? ["no-change", "adopted"] : [])])];
    return captured(work, [
      ...["apply", "--approved", file, ...allow.flatMap((one) => ["--allow", one])],
      ...["--", "pulumi", "up", `--stack=${zone.name}`, `--message=${message}`],
    ]);
  });
  if (before) return { zone, ...before };
  const text = allowed.length === 0 ? "applied" : `applied; allowed: ${forTerminal(allowed.join(", "), 200)}`;
  if (ended.code === exitCode.fine) return { zone, code: 0, text };
  return { zone, code: ended.code === exitCode.found ? 2 : 1, text: reasonIn(ended.out, ended.err) };
}

/** Of which stack `--allow STACK:what` is. */
export function stackOfAllow(one: string): string | undefined {
  return /^([\w.-]+):/.exec(one)?.[1];
}

function allowedFor({ name }: FleetZone, one: string): readonly string[] {
  const stack = stackOfAllow(one);
  if (stack === undefined) return [one];
  return stack === name ? [one.slice(stack.length + 1)] : [];
}

/** An approval is for one update: what was put back since is not done again. */
function appliedBefore(history: readonly HistoryEntry[], message: string) {
  const at = history.findIndex((entry) => entry.message === message && entry.result === "succeeded");
  if (at < 0) return undefined;
  if (lastChange(history.slice(0, at)) === undefined) return { code: 0, text: "done already" } as const;
  const text = "applied before, and changed by another update since: preview and approve again";
  return { code: 2, text } as const;
}

const driftSchema = z.looseObject({
  drift: z.array(
    z.looseObject({
      what: z.string(),
      kind: z.string(),
      path: z.string(),
      label: z.string(),
      resource: z.string().optional(),
      declared: z.unknown().optional(),
      actual: z.unknown().optional(),
      secret: z.boolean().optional(),
    }),
  ),
  notCompared: z.number(),
  zones: z.array(z.looseObject({ id: z.string() })),
});

export async function driftOfStack(work: Work, zone: FleetZone): Promise<StackResult> {
  const { code, out, err } = await captured(work, ["drift", `--stack=${zone.name}`, "--json"]);
  if (/no resources of pulumi-page-guard|no stack named/.test(err))
    return { zone, code: 2, text: "nothing yet: its stack is empty" };
  const found = driftSchema.safeParse(jsonOf(out));
  if (!found.success) return { zone, code: 1, text: reasonIn(out, err) };
  const { notCompared, zones } = found.data;
  if (!zones.some(({ id }) => id === zone.id))
    return { zone, code: 2, text: `its stack has no resource in zone ${zone.id}` };
  const isFound = code === exitCode.found;
  const drift = found.data.drift.map((one) => {
    const where = forTerminal([one.resource ?? `${one.kind} ${one.label}`, one.path].join(" ").trim(), 200);
    const values = one.secret ? "" : `: ${shownValue(one.declared)} => ${shownValue(one.actual)}`;
    return one.what === "changed" ? `changed: ${where}${values}` : `${one.what}: ${where}`;
  });
  const hidden = notCompared === 0 ? "" : `, ${notCompared} not compared (secret)`;
  return {
    zone,
    code: isFound ? 2 : 0,
    text: `${isFound ? plural(drift.length, "difference") : "no drift"}${hidden}`,
    drift,
  };
}

function shownValue(value: unknown): string {
  return value === undefined ? "(none)" : forTerminal(JSON.stringify(value) ?? "", 200);
}

export async function statusOfStack({ session }: Work, zone: FleetZone): Promise<StackResult> {
  const history = await historyOf(session, zone.name);
  if (!history) return { zone, code: 2, text: "no stack" };
  const last = history.find(({ kind }) => kind === "update");
  if (!last) return { zone, code: 2, text: "never applied" };
  const change = lastChange(history)?.endTime;
  const changed = change === undefined ? "" : `, last change ${forTerminal(change, 40)}`;
  const mode = zone.stage === "validation" ? await validationText(session, zone.name) : "";
  return {
    zone,
    code: last.result === "succeeded" ? 0 : 2,
    text: `last update ${forTerminal(last.result, 30)}${changed}${mode}`,
  };
}

/** What the new WAF blocks in that time, no API says. */
async function validationText(session: Session, name: string): Promise<string> {
  const steps = await readState(session, { stack: name });
  const since = steps.flatMap(({ outputs = {} }) =>
    outputs["reached"] === "validation" ? (stringIn(outputs["startedAt"]) ?? []) : [],
  )[0];
  return since === undefined ? "" : `, in validation since ${forTerminal(since, 40)}`;
}

/** Its approved file. */
export function fileOf(folder: string, { name }: FleetZone): string {
  return join(folder, `${name}.json`);
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
    const owner = ended.code === 0 ? undefined : lockOwner(ended.out + ended.err);
    if (owner === undefined) return ended;
    const left = deadline - clock.now();
    const locked = `error: the stack is locked by ${owner}; run \`pulumi cancel\` if its owner is gone\n`;
    if (left <= 0) return { ...ended, err: locked };
    work.say(name, `locked by ${owner}; waiting up to ${Math.ceil(left / 60_000)} min`);
    if (!(await sleep(clock, Math.min(left, retryEveryMs), work.signal))) return ended;
  }
}

/** The line that says why it failed, with the first of what it introduces. */
function reasonIn(out: string, err: string): string {
  const lines = `${err}\n${out}`.split("\n").filter((line) => line.trim() !== "");
  const at = lines.findIndex((one) => /\berror\b|no stack named|not what was approved|\[PG_/i.test(one));
  const line = (lines.at(at) ?? "it failed without a message").trim();
  const introduced = line.endsWith(":") ? (lines[at + 1] ?? "").trim() : "";
  // The engine's progress is before the error: the resource and what was being done to it.
  return forTerminal(`${line.replace(/^.*?\berror: /, "")} ${introduced}`.trim(), 400);
}
