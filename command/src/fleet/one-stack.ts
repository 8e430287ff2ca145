import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { kindOf, objectOf, plural, zoneIdOf } from "pulumi-page-guard/tools";
import { type ApprovedStep, approvedOf } from "../approval/approved-file";
import { forTerminal } from "../reports/escape";
import type { Review } from "../reports/review/review";
import { type ExitCode, exitCode, type Session, type Told } from "../session";
import { distinct } from "../values";
import { type FleetZone, type HistoryEntry, historyOf, lastChange } from "./gate";

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
const failed = ({ reason = "it failed without a message" }: Told): StackResult => ({
  code: 1,
  text: forTerminal(reason.replace(/^error: /, ""), 400),
});
const look = (text: string): StackResult => ({ code: 2, text: forTerminal(text, 400) });

const unnamed = look(
  "it would finish a migration, which cannot be undone, and zones.yaml does not name this zone with stage: finished",
);

/** Previews a stack, and writes what is approved and its review as a page. */
export async function previewStack(
  work: Work,
  zone: FleetZone,
  files: { readonly approve?: string; readonly html?: string } = {},
): Promise<StackResult> {
  const flags = Object.entries(files).flatMap(([name, file]) => [`--${name}`, file]);
  const preview = ["pulumi", "preview", `--stack=${zone.name}`];
  const { code, told } = await commanded(work, zone, ["review", ...flags, "--", ...preview]);
  const { review } = told;
  const entries = (review?.parts ?? []).flatMap((part) => part.entries);
  if (code !== exitCode.fine || review === undefined) {
    // The first failure: for a program that does not compile the same in all stacks.
    const reason = entries.find(({ severity }) => severity === "error")?.text ?? told.reason;
    return failed(reason === undefined ? {} : { reason });
  }
  // A zone that is not known yet, or has another entry in the file, may not.
  const isNamed = (id: unknown) => zone.stage === "finished" && zoneIdOf(id) === zone.id;
  if (review.undone.some((one) => one.stage !== "validation" && !isNamed(one.zone)))
    return { ...unnamed, review };
  // What it has in a former zone may be deleted.
  const changed = entries.flatMap(({ op = "delete", zones }) => (op === "delete" ? [] : zones));
  const other = changed.find((id) => id !== zone.id);
  if (other !== undefined)
    return { ...look(`it changes zone ${other}, and zones.yaml gives this stack zone ${zone.id}`), review };
  return { ...fine(review.isUnchanged ? "nothing to do" : forTerminal(review.headline, 300)), review };
}

/** Applies what was approved, or nothing. What this approval has done already is not done twice. */
export async function applyStack(work: Work, zone: FleetZone, file: string): Promise<StackResult> {
  const { session, wait } = work;
  if (!existsSync(resolve(session.cwd, file))) return look(`not approved: there is no ${basename(file)}`);
  const { content, sha256 } = approvedOf(session, file);
  const { steps, zones } = content;
  if (content.stack !== zone.name) return look(`not approved: its file is that of ${content.stack}`);
  if (zones.length > 0 && !zones.some(({ zoneId }) => zoneId === zone.id))
    return look(`not approved: its file is not for zone ${zone.id}`);
  if (steps.length === 0) return fine("nothing to do");
  if (steps.some(finishes) && zone.stage !== "finished") return unnamed;
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
  const { code, told } = await commanded(work, zone, [
    ...["apply", "--approved", file, `--wait=${wait / 1000}s`, ...allow.flatMap((one) => ["--allow", one])],
    ...["--", "pulumi", "up", `--stack=${zone.name}`, `--message=${message}`],
  ]);
  const but = allowed.length === 0 ? "" : `; allowed: ${forTerminal(allowed.join(", "), 200)}`;
  if (code === exitCode.fine) return fine(`applied${but}`);
  // Another run of this approval may have had the lock.
  if (code === exitCode.found) return appliedBefore(await history(), message) ?? look(told.reason ?? "");
  return failed(told);
}

/** Of an approved migration that may still end what its zone had. */
function finishes({ type, op, after, recorded }: ApprovedStep): boolean {
  if (objectOf(kindOf(type)) !== "migration" || op === "delete") return false;
  return after?.["stage"] !== "validation" && recorded?.["reached"] !== "finished";
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
  const { code, told } = await commanded(work, zone, ["drift", `--stack=${zone.name}`]);
  if (told.isEmpty) return look("nothing yet: its stack is empty");
  if (told.drift === undefined || code === exitCode.failed) return failed(told);
  const { zones, differences: drift, notCompared } = told.drift;
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
  const text = `last update ${last.result}${change === undefined ? "" : `, last change ${change}`}`;
  return { ...look(text), code: last.result === "succeeded" ? 0 : 2 };
}

/** Runs a command for one stack; its output is not shown. */
async function commanded({ session, run, say }: Work, { name }: FleetZone, argv: readonly string[]) {
  const told: { -readonly [Name in keyof Told]: Told[Name] } = {};
  const code = await run(argv, {
    ...session,
    ...{ out: () => undefined, err: () => undefined, readStdin: async () => "" },
    ...{ isWatched: false, hasColour: false },
    tell(one) {
      Object.assign(told, one);
      if (one.waits !== undefined) say(name, one.waits);
    },
  });
  return { code, told };
}
