import { join } from "node:path";
import { plural, zoneIdOf } from "pulumi-page-guard/tools";
import { approvedOf } from "../approval/approved-file";
import { forTerminal } from "../reports/escape";
import type { Review } from "../reports/review/review";
import { type ExitCode, exitCode, type FoundDrift, type Session } from "../session";
import { distinct } from "../values";
import { type HistoryEntry, historyOf, lastChange } from "./gate";
import type { ApprovedStack, FleetZone } from "./manifest";

/** Runs another command of `page-guard` in this process. */
export type RunCommand = (argv: readonly string[], session: Session) => Promise<ExitCode>;

/** What became of a stack. */
export interface StackResult {
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
  /** How long a lock is waited for, in milliseconds. */
  readonly wait: number;
  /** As of `apply`; `STACK:what` for one stack. */
  readonly allow: readonly string[];
  /** Progress of a stack. */
  say(name: string, text: string): void;
}

const fine = (text: string): StackResult => ({ code: 0, text });
const failed = (text: string): StackResult => ({ code: 1, text });
const look = (text: string): StackResult => ({ code: 2, text });

const unnamed = look(
  "it would finish a migration, which cannot be undone, and zones.yaml does not name this zone with stage: finished",
);

/** Previews a stack. With a folder it writes the approved file and, beside it, its review as a page. */
export async function previewStack(work: Work, zone: FleetZone, folder?: string): Promise<StackResult> {
  const page = join(folder ?? "", `${zone.name}.html`);
  const ended = await captured(work, zone, [
    ...["review", ...(folder === undefined ? [] : ["--approve", fileOf(folder, zone), "--html", page])],
    ...["--", "pulumi", "preview", `--stack=${zone.name}`],
  ]);
  const { review, code } = ended;
  const entries = (review?.parts ?? []).flatMap((part) => part.entries);
  // The first failure: for a program that does not compile the same in all stacks.
  const failure = entries.find(({ severity }) => severity === "error")?.text;
  if (code !== exitCode.fine || review === undefined)
    return failed(failure === undefined ? reasonIn(ended) : forTerminal(failure, 400));
  // A zone that is not known yet, or has another entry in the file, may not.
  const mayFinish = (id: unknown) => zone.stage === "finished" && zoneIdOf(id) === zone.id;
  if (finishesOf(review).some((one) => !mayFinish(one.zone))) return { ...unnamed, review };
  // What it has in a former zone may be deleted.
  const changed = entries.flatMap(({ op = "delete", zones }) => (op === "delete" ? [] : zones));
  const other = changed.find((id) => id !== zone.id);
  const elsewhere = `it changes zone ${forTerminal(other ?? "", 40)}, and zones.yaml gives this stack zone ${zone.id}`;
  if (other !== undefined) return { ...look(elsewhere), review };
  return { ...fine(review.isUnchanged ? "nothing to do" : forTerminal(review.headline, 300)), review };
}

/** Migrations that the update finishes. */
export function finishesOf({ undone }: Review): Review["undone"] {
  return undone.filter(({ stage }) => stage !== "validation");
}

/** Applies what was approved, or nothing. What this approval has done already is not done twice. */
export async function applyStack(
  work: Work,
  zone: FleetZone,
  folder: string,
  approved: ApprovedStack | undefined,
): Promise<StackResult> {
  const { session, wait } = work;
  if (!approved || approved.zoneId !== zone.id) return look("not approved: the manifest does not have it");
  if (approved.isUnchanged) return fine("nothing to do");
  const file = fileOf(folder, zone);
  const { content, sha256 } = approvedOf(session, file);
  if (sha256 !== approved.sha256 || content.stack !== zone.name)
    return look("not approved: its file is not the one that the manifest names");
  if (approved.isFinish && zone.stage !== "finished") return unnamed;
  const message = `page-guard fleet, approval ${sha256.slice(0, 16)}`;
  const history = async () => (await historyOf(session, zone.name)) ?? [];
  const before = await history();
  const done = appliedBefore(before, message);
  if (done) return done;
  const allowed = work.allow
    .map(partsOfAllow)
    .flatMap(({ stack = zone.name, what }) => (stack === zone.name ? [what] : []));
  // What an earlier run of this approval has done is no longer to be done.
  const isBegun = before.some((entry) => entry.message === message);
  const allow = distinct([...allowed, ...(isBegun ? ["no-change", "adopted"] : [])]);
  const ended = await captured(work, zone, [
    ...["apply", "--approved", file, `--wait=${wait / 1000}s`, ...allow.flatMap((one) => ["--allow", one])],
    ...["--", "pulumi", "up", `--stack=${zone.name}`, `--message=${message}`],
  ]);
  if (ended.code === exitCode.fine)
    return fine(
      allowed.length === 0 ? "applied" : `applied; allowed: ${forTerminal(allowed.join(", "), 200)}`,
    );
  if (ended.code !== exitCode.found) return failed(reasonIn(ended));
  // Another run of this approval may have had the lock.
  return appliedBefore(await history(), message) ?? look(reasonIn(ended));
}

/** Of `--allow STACK:what` both; of `--allow what` no stack. */
export function partsOfAllow(one: string): { readonly stack?: string | undefined; readonly what: string } {
  const [, stack, what = one] = /^([\w.-]+):(.*)$/.exec(one) ?? [];
  return { stack, what };
}

/** An approval is for one update: what was put back since is not done again. */
function appliedBefore(history: readonly HistoryEntry[], message: string): StackResult | undefined {
  const at = history.findIndex((entry) => entry.message === message && entry.result === "succeeded");
  if (at < 0) return undefined;
  if (lastChange(history.slice(0, at)) === undefined) return fine("done already");
  return look("applied before, and changed by another update since: preview and approve again");
}

export async function driftOfStack(work: Work, zone: FleetZone): Promise<StackResult> {
  const ended = await captured(work, zone, ["drift", `--stack=${zone.name}`]);
  if (/no resources of pulumi-page-guard|no stack named/.test(ended.err))
    return look("nothing yet: its stack is empty");
  if (ended.drift === undefined || ended.code === exitCode.failed) return failed(reasonIn(ended));
  const { zones, differences: drift, notCompared } = ended.drift;
  if (!zones.includes(zone.id)) return look(`its stack has no resource in zone ${zone.id}`);
  const hidden = notCompared === 0 ? "" : `, ${notCompared} not compared (secret)`;
  const text = drift.length === 0 ? "no drift" : plural(drift.length, "difference");
  return { code: drift.length === 0 ? 0 : 2, text: text + hidden, drift };
}

export async function statusOfStack({ session }: Work, { name }: FleetZone): Promise<StackResult> {
  const history = await historyOf(session, name);
  if (!history) return look("no stack");
  const last = history.find(({ kind }) => kind === "update");
  if (!last) return look("never applied");
  const change = lastChange(history)?.endTime;
  const changed = change === undefined ? "" : `, last change ${forTerminal(change, 40)}`;
  const text = `last update ${forTerminal(last.result, 30)}${changed}`;
  return last.result === "succeeded" ? fine(text) : look(text);
}

/** Its approved file. */
export function fileOf(folder: string, { name }: FleetZone): string {
  return join(folder, `${name}.json`);
}

interface Captured {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
  readonly review?: Review | undefined;
  readonly drift?: FoundDrift | undefined;
}

const lockText = /^The stack is locked .*/m;

async function captured(
  { session, run, say }: Work,
  { name }: FleetZone,
  argv: readonly string[],
): Promise<Captured> {
  const said: { out: string; err: string; review?: Review; drift?: FoundDrift } = { out: "", err: "" };
  const code = await run(argv, {
    ...session,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
      const [lock] = lockText.exec(text) ?? [];
      if (lock !== undefined) say(name, lock);
    },
    onReview: (review) => {
      said.review = review;
    },
    onDrift: (drift) => {
      said.drift = drift;
    },
    readStdin: async () => "",
    ...{ isWatched: false, hasColour: false },
  });
  return { code, ...said };
}

/** The line that says why it failed, with the first of what it introduces. */
function reasonIn({ out, err }: Captured): string {
  const lines = `${err}\n${out}`.split("\n").filter((line) => line.trim() !== "");
  const isLock = (one: string) => lockText.test(one) && one.includes("nothing was changed");
  const isError = (one: string) => /\berror\b|no stack named|not what was approved|\[PG_/i.test(one);
  const line = (
    lines.find(isLock) ??
    lines.find(isError) ??
    lines.at(-1) ??
    "it failed without a message"
  ).trim();
  const next = line.endsWith(":") ? (lines[lines.findIndex((one) => one.trim() === line) + 1] ?? "") : "";
  // The engine's progress is before the error: the resource and what was being done to it.
  return forTerminal(`${line.replace(/^.*?\berror: /, "")} ${next.trim()}`.trim(), 400);
}
