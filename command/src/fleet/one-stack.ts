import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { enumerate, parseKind, parseZoneId, pluralize, toObjectType } from "pulumi-page-guard/tools";
import { type ApprovedContent, type ApprovedStep, readApproved } from "../approval/approved-file";
import { notInState } from "../approval/carried-out";
import { asStep } from "../approval/differences";
import { forTerminal } from "../documents/escape";
import type { Review } from "../documents/review/review";
import { type HistoryEntry, lastChange, readHistory } from "../pulumi/history";
import { listChangedZones, zoneEffects } from "../review/zone-effects";
import { type ExitCode, exitCode, type Session, type Told } from "../shared/session";
import { describeCounts, distinct } from "../shared/values";
import type { ListedZone } from "../shared/zones";
import { readState } from "../state/read-state";
import type { FleetFlags, FleetZone } from "./gate";

export interface StackResult {
  readonly code: 0 | 1 | 2;
  /** One line. Safe to show. */
  readonly text: string;
  readonly review?: Review | undefined;
  readonly isNotBegun?: true;
  /** Whether there was nothing to apply, because the approval changes neither a zone nor the state. */
  readonly hasNoStep?: true;
  /** Drift, one line for each difference. Safe to show. */
  readonly drift?: readonly string[];
}

export interface Stack {
  readonly zone: FleetZone;
  /** Every zone in the file and in the other lists of its folder, including zones that this run leaves out. */
  readonly listed: readonly ListedZone[];
  /** Session with this stack's share of the request limit. */
  readonly session: Session;
  readonly flags: FleetFlags;
  /** Runs a `page-guard` command for the stack and returns the results of the command. The output is not shown. */
  run(...argv: readonly string[]): Promise<Told & { readonly code: ExitCode }>;
}

const fine = (text: string): StackResult => ({ code: 0, text: forTerminal(text, 400) });
export const toLookAt = (text: string): StackResult => ({ code: 2, text: forTerminal(text, 400) });
export const failure = (text = "failed without a message"): StackResult => ({
  code: 1,
  text: forTerminal(text.replace(/^error: /, ""), 400),
});

const mayNotFinish = toLookAt(
  "the stack would finish a migration, which cannot be undone, but the list of zones does not have stage: finished for this zone",
);

/** Whether a migration may finish in a zone: the zone must be that of the stack, with `stage: finished` in the list of zones. */
function mayFinishZone({ id, stage }: FleetZone, other: unknown): boolean {
  return stage === "finished" && parseZoneId(other) === id;
}

/** Previews a stack. `outputs` are the flags of `review` that name the files to write. */
export async function previewStack({ zone, listed, run, flags }: Stack, outputs: readonly string[]) {
  const isRefreshed = flags.refresh === true;
  const preview = ["pulumi", "preview", `--stack=${zone.name}`, ...(isRefreshed ? ["--refresh"] : [])];
  const {
    code,
    review,
    reason,
    changedZones = [],
    unplaced = [],
  } = await run("review", ...outputs, "--", ...preview);
  const entries = (review?.parts ?? []).flatMap((part) => part.entries);
  // Shows the first error. If the program does not compile, all stacks have this error, and the fleet shows it only once.
  if (code !== exitCode.fine || review === undefined)
    return failure(entries.find(({ severity }) => severity === "error")?.text ?? reason);
  if (review.undone.some((one) => one.stage !== "validation" && !mayFinishZone(zone, one.zone)))
    return { ...mayNotFinish, review };
  // A stack may change only its own zone. If it moved here from another zone, it may also delete its objects there, but only if
  // no other stack has that zone now.
  const changed = entries.flatMap(({ op = "delete", zones }) => (op === "delete" ? [] : zones));
  const other = changed.find((id) => id !== zone.id);
  const otherText = `the stack changes zone ${other}, but the list of zones gives it zone ${zone.id}`;
  if (other !== undefined) return { ...toLookAt(otherText), review };
  const taken = findTaken(zone, listed, changedZones) ?? refuseUnplaced(zone, flags, unplaced);
  if (taken) return { ...taken, review };
  const unchanged = isRefreshed
    ? "nothing to do"
    : "nothing to do; its zone was not read (--refresh reads it)";
  const lost = describeLoss(review.impact);
  const changes = lost === "" ? review.headline : `${lost}. ${review.headline}`;
  return { ...fine(review.isUnchanged ? unchanged : changes), review };
}

/**
 * Returns a result if a stack would change a zone of another stack. The other stack may have adopted the objects in the same run,
 * and this stack would then delete them.
 */
function findTaken(own: FleetZone, listed: readonly ListedZone[], changedZones: readonly string[]) {
  const taken = listed.find(({ id, name = own.name }) => name !== own.name && changedZones.includes(id));
  if (!taken) return undefined;
  const { id, name } = taken;
  return toLookAt(
    `the stack deletes or restores objects in zone ${id}, which a list of zones gives to ${name}. If only names have changed, use \`pulumi stack rename\`. Otherwise undo the change in the list, declare onDestroy: "keep" and apply; then change the list again`,
  );
}

/** Returns a result if a stack changes resources in a zone that is secret or unknown, which may be the zone of another stack. */
function refuseUnplaced({ name }: FleetZone, flags: FleetFlags, resources: readonly string[]) {
  const isAllowed = listAllowed(flags, name).some((what) => what.split(/,\s*/).includes("unknown-zone"));
  if (resources.length === 0 || isAllowed) return undefined;
  const zone = `the zone of ${enumerate(resources, { most: 3 })} is secret or not known yet`;
  return toLookAt(
    `${zone}, so it may be the zone of another stack. If this is intended, pass --allow ${name}:unknown-zone, also to fleet apply`,
  );
}

/** Returns the values of `--allow` that concern a stack. */
function listAllowed({ allow = [] }: FleetFlags, name: string): readonly string[] {
  return allow.map(splitAllow).flatMap(({ stack = name, what }) => (stack === name ? [what] : []));
}

/** Whether a step leaves a resource of this package in a known zone that is not the zone of the stack. */
function declaresOtherZone(step: ApprovedStep, { id }: FleetZone): boolean {
  const { isOurs, zone } = asStep(step);
  return isOurs && zone !== undefined && zone !== parseZoneId(id);
}

/** Describes the scripts and connections that visitors of the zone would lose; empty if they would lose none. */
export function describeLoss({ scripts, connections }: Review["impact"]): string {
  const items = describeCounts([scripts, "script"], [connections, "connection"]).join(" and ");
  return items === "" ? "" : `visitors would lose ${items}`;
}

/** Applies the approved update to a stack, unless an earlier run has already applied it. */
export async function applyStack(given: Stack, file: string): Promise<StackResult> {
  const { zone, listed, session, flags, run } = given;
  if (!existsSync(resolve(session.cwd, file))) return toLookAt(`not approved: there is no ${basename(file)}`);
  const { content, sha256 } = readApproved(session, file);
  const { stack, steps, zones, isStateKept } = content;
  if (stack !== zone.name) return toLookAt(`not approved: its file is for ${stack}`);
  const isElsewhere = steps.some((step) => declaresOtherZone(step, zone));
  if (isElsewhere || (zones.length > 0 && !zones.some(({ zoneId }) => zoneId === zone.id)))
    return toLookAt(`not approved: its file is not for zone ${zone.id}`);
  if (steps.length === 0 && isStateKept) return { ...fine("nothing to do"), hasNoStep: true };
  if (steps.some((step) => finishes(step) && !mayFinishZone(zone, step.after?.["zoneId"])))
    return mayNotFinish;
  const taken = findTaken(zone, listed, listChangedZones(zoneEffects(steps.map(asStep))));
  if (taken) return taken;
  const message = `page-guard fleet, approval ${sha256.slice(0, 16)}`;
  const before = (await readHistory(session, zone.name)) ?? [];
  const done = await appliedBefore(session, content, before, message);
  if (done) return done;
  const allowed = listAllowed(flags, stack);
  // After an earlier run has begun to apply this approval, some objects may already exist or have their approved values.
  const isBegun = before.some((entry) => entry.message === message);
  const allow = distinct([...allowed, ...(isBegun ? ["no-change", "adopted"] : [])]);
  const waiting = ["--approved", file, `--wait=${flags.wait / 1000}s`];
  const refresh = flags.refresh ? ["--refresh"] : [];
  const update = ["pulumi", "up", `--stack=${stack}`, `--message=${message}`, ...refresh];
  const allowing = allow.flatMap((one) => ["--allow", one]);
  const { code, reason, isOtherwise } = await run("apply", ...waiting, ...allowing, "--", ...update);
  const note = allowed.length === 0 ? "" : `; allowed: ${forTerminal(allowed.join(", "))}`;
  if (code === exitCode.fine) return fine(`applied${note}`);
  if (code !== exitCode.found) return failure(reason);
  if (isOtherwise) return toLookAt(reason ?? "");
  // The update was refused and changed nothing. Perhaps another run, which held the lock, has already applied this approval.
  const history = (await readHistory(session, zone.name)) ?? [];
  return (await appliedBefore(session, content, history, message)) ?? toLookAt(reason ?? "");
}

/** Whether an approved step can finish a migration, which turns off the previous WAF of the zone. */
function finishes({ type, op, after, recorded }: ApprovedStep): boolean {
  if (toObjectType(parseKind(type)) !== "migration" || op === "delete") return false;
  return after?.["stage"] !== "validation" && recorded?.["reached"] !== "finished";
}

/** Splits a value of `--allow`, such as `STACK:adopted`. Without `STACK:`, the stack is undefined. */
export function splitAllow(one: string): { readonly stack?: string | undefined; readonly what: string } {
  const [, stack, what = one] = /^([\w.-]+):(.*)$/.exec(one) ?? [];
  return { stack, what };
}

/**
 * Returns the result if this approval was applied before. An approval is valid for one update, even if that update was undone
 * later or was not as approved.
 */
async function appliedBefore(
  session: Session,
  approved: ApprovedContent,
  history: readonly HistoryEntry[],
  message: string,
): Promise<StackResult | undefined> {
  const at = history.findIndex((entry) => entry.message === message && entry.result === "succeeded");
  if (at < 0) return undefined;
  if (lastChange(history.slice(0, at)) !== undefined)
    return toLookAt("applied before, and changed by another update since: preview and approve again");
  const others = notInState(approved, await readState(session, { stack: approved.stack }));
  if (others.length === 0) return fine("already applied");
  return toLookAt(
    `applied before, but not as approved: ${enumerate(others, { most: 3 })}. Preview and approve again`,
  );
}

export async function findStackDrift({ zone, run }: Stack): Promise<StackResult> {
  const { code, drift, isEmpty, reason } = await run("drift", `--stack=${zone.name}`);
  if (isEmpty) return toLookAt("nothing yet: its stack is empty");
  if (drift === undefined || code === exitCode.failed) return failure(reason);
  const { zones, differences, notCompared } = drift;
  if (!zones.includes(zone.id)) return toLookAt(`its stack has no resource in zone ${zone.id}`);
  const hidden = notCompared === 0 ? "" : `, ${notCompared} not compared (secret)`;
  if (differences.length === 0) return fine(`no drift${hidden}`);
  return { ...toLookAt(pluralize(differences.length, "difference") + hidden), drift: differences };
}

export async function readStackStatus({ session, zone }: Stack): Promise<StackResult> {
  const history = await readHistory(session, zone.name);
  const last = history?.find(({ kind }) => kind === "update");
  if (!history || !last) return toLookAt(history ? "never applied" : "no stack");
  const change = lastChange(history)?.endTime;
  const changeNote = change === undefined ? "" : `, last change ${change}`;
  const text = `last update ${last.result}${changeNote}`;
  return last.result === "succeeded" ? fine(text) : toLookAt(text);
}
