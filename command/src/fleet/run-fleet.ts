import { allInFlight, listed, plural } from "pulumi-page-guard/tools";
import { approvedOf } from "../approval/approved-file";
import { printAndWrite } from "../output";
import { OwnFolder } from "../pulumi/own-folder";
import { forJson, forTerminal } from "../reports/escape";
import { html, markdown } from "../reports/review/formats";
import { type ExitCode, exitCode, type Session } from "../session";
import { UsageError } from "../usage-error";
import { distinct } from "../values";
import { readZonesFile, reasonOf } from "../zones";
import { notYet } from "./gate";
import { Grants } from "./grants";
import { type ApprovedStack, beginManifest, type FleetZone, readManifest, writeManifest } from "./manifest";
import {
  applyStack,
  driftOfStack,
  fileOf,
  finishesOf,
  partsOfAllow,
  previewStack,
  type RunCommand,
  type StackResult,
  statusOfStack,
  type Work,
} from "./one-stack";
import { reviewOfFleet, summaryJson, summaryText } from "./summary";

export type FleetAction = "preview" | "apply" | "drift" | "status";

export interface FleetFlags {
  readonly zones: string;
  readonly wave?: number;
  readonly only?: string;
  readonly parallel: number;
  readonly json?: boolean;
  readonly markdown?: string;
  readonly html?: string;
  readonly approve?: string;
  readonly approved?: string;
  readonly allow?: readonly string[];
  readonly maxFailures: number;
  readonly maxImpact: number;
  /** Milliseconds. */
  readonly after?: number;
  readonly wait: number;
}

/** What is approved, by the name of the stack. */
type Approved = ReadonlyMap<string, ApprovedStack>;

/** Runs one command for all stacks of a fleet. */
export async function runFleet(
  session: Session,
  run: RunCommand,
  action: FleetAction,
  flags: FleetFlags,
): Promise<ExitCode> {
  const { wave, only, wait, allow = [] } = flags;
  const all = fleetZones(session, flags.zones);
  const zones = all.filter(
    (zone) => (wave === undefined || zone.wave === wave) && (only === undefined || zone.tags.includes(only)),
  );
  if (zones.length === 0) throw new UsageError("No zone of the file is left by --wave and --only.");
  for (const { stack } of allow.map(partsOfAllow))
    if (stack !== undefined && !all.some(({ name }) => name === stack))
      throw new UsageError(`--allow: there is no stack ${forTerminal(stack, 80)}.`);
  const approved = flags.approved === undefined ? undefined : readManifest(session, flags.approved);
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  // Each child that runs listens too.
  process.setMaxListeners(Math.max(process.getMaxListeners(), 4 * flags.parallel + 10));
  const folder = new OwnFolder();
  process.on("SIGINT", stop).on("SIGTERM", stop);
  const say = (name: string, text: string): void => session.err(`${name}: ${text}\n`);
  const fleet = new Fleet({ session, run, signal: controller.signal, wait, allow, say }, flags, all, folder);
  let ended: ExitCode = exitCode.failed;
  try {
    if (action === "drift") await fleet.each(zones, driftOfStack);
    else if (action === "status") await fleet.each(zones, statusOfStack);
    else if (action === "apply") await fleet.applyWaves(zones, approved);
    else await fleet.approve(zones, flags.approve);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    folder.close();
    // After an error, too: what was done until then is not lost.
    ended = fleet.print(action, zones);
  }
  return ended;
}

/** The zones of the file, each with the name of its stack. @throws UsageError */
function fleetZones(session: Session, file: string): readonly FleetZone[] {
  return readZonesFile(session, file).map(({ name, ...zone }) => {
    if (name === undefined) throw new UsageError(`The zone ${zone.id} has no name: that of its stack.`);
    if (!/^manifest$/i.test(name)) return { ...zone, name };
    throw new UsageError("No zone can be named manifest: the folder of approved files has a manifest.json.");
  });
}

class Fleet {
  readonly #results = new Map<string, StackResult>();
  /** Why nothing more is begun. */
  readonly #stopped: string[] = [];
  readonly #grants: Grants;

  constructor(
    private readonly on: Work,
    private readonly flags: FleetFlags,
    private readonly all: readonly FleetZone[],
    private readonly folder: OwnFolder,
  ) {
    this.#grants = new Grants(on.session, folder, flags.parallel);
  }

  print(action: FleetAction, zones: readonly FleetZone[]): ExitCode {
    const { flags, on } = this;
    const notBegun: StackResult = on.signal.aborted
      ? { code: 1, text: "not begun: the run was cut off" }
      : { code: 2, text: "not begun" };
    const results = zones.map((zone) => ({ zone, ...(this.#results.get(zone.name) ?? notBegun) }));
    for (const line of this.#stopped) on.session.err(`${line}\n`);
    const review = reviewOfFleet(results, this.#stopped);
    const json = () => forJson(summaryJson(action, results, this.#stopped, review));
    printAndWrite(on.session, flags.json ? json() : summaryText(results, review), [
      [flags.markdown, () => markdown(review)],
      [flags.html, () => html(review)],
    ]);
    return review.exitCode === 0 && this.#stopped.length > 0 ? exitCode.found : review.exitCode;
  }

  /** Wave by wave, as long as the next one may begin. */
  async applyWaves(all: readonly FleetZone[], approved: Approved | undefined): Promise<void> {
    const { on, flags } = this;
    const { after: afterMs = 0, maxFailures, parallel } = flags;
    for (const wave of distinct(all.map((zone) => zone.wave)).sort((one, other) => one - other)) {
      const zones = all.filter((zone) => zone.wave === wave);
      const before = this.all.filter((zone) => zone.wave < wave);
      const waiting = await notYet(on.session, before, { afterMs, maxFailures, parallel }, this.#isDone);
      if (on.signal.aborted) return;
      for (const zone of waiting === undefined ? [] : zones)
        this.#results.set(zone.name, { code: 2, text: waiting ?? "" });
      if (waiting !== undefined) return;
      await this.#apply(zones, approved);
      const failed = zones.filter((zone) => !this.#isDone(zone)).length;
      if (failed > maxFailures)
        this.#stopped.push(
          `Wave ${wave} stopped: ${plural(failed, "zone")} not done, and --max-failures is ${maxFailures}.`,
        );
      if (this.#stopped.length > 0 || on.signal.aborted) return;
    }
  }

  async approve(zones: readonly FleetZone[], folder: string | undefined): Promise<void> {
    const { session, signal } = this.on;
    if (folder !== undefined) beginManifest(session, folder);
    const stacks = await this.#preview(zones, folder);
    if (folder !== undefined && stacks !== undefined && !signal.aborted)
      writeManifest(session, folder, stacks);
  }

  /** What may be approved; undefined where it breaks too many zones. */
  async #preview(
    zones: readonly FleetZone[],
    folder: string | undefined,
  ): Promise<readonly ApprovedStack[] | undefined> {
    const { on, flags } = this;
    await this.each(zones, (work, zone) => previewStack(work, zone, folder));
    const found = zones.flatMap((zone) => {
      const { code, review } = this.#results.get(zone.name) ?? {};
      return review === undefined ? [] : [{ zone, code, review }];
    });
    // It blocks scripts in use that are not malicious, or nobody knows.
    const breaking = found.filter(({ review: { impact } }) => impact.isUnknown || impact.scripts > 0);
    if (breaking.length > flags.maxImpact) {
      const names = breaking.map(({ zone }) => zone.name);
      this.#stopped.push(
        `This blocks scripts in use that are not malicious, or may do so, in ${plural(breaking.length, "zone")}, and --max-impact is ${flags.maxImpact}: ${listed(names, { most: 10, separator: ", " })}. Nothing was approved.`,
      );
      return undefined;
    }
    return (folder === undefined ? [] : found).flatMap(({ zone, code, review }) => {
      if (code !== 0 || folder === undefined) return [];
      const { sha256 } = approvedOf(on.session, fileOf(folder, zone));
      const { isUnchanged } = review;
      const isFinish = finishesOf(review).length > 0;
      return [{ name: zone.name, zoneId: zone.id, sha256, isUnchanged, isFinish }];
    });
  }

  /** Without an approval the wave is previewed first and held to that. */
  async #apply(zones: readonly FleetZone[], given: Approved | undefined): Promise<void> {
    const { maxFailures, approved: named } = this.flags;
    const folder = named ?? this.folder.at("approved");
    let approved = given;
    let left = zones;
    if (approved === undefined) {
      const previewed = await this.#preview(zones, folder);
      left = zones.filter((zone) => this.#isDone(zone));
      // A preview is no update yet.
      for (const { name } of left) this.#results.delete(name);
      if (!previewed || zones.length - left.length > maxFailures) return;
      approved = new Map(previewed.map((stack) => [stack.name, stack]));
    }
    const stacks = approved;
    const apply = (on: Work, zone: FleetZone) => applyStack(on, zone, folder, stacks.get(zone.name));
    await this.each(left, apply, maxFailures - (zones.length - left.length));
  }

  readonly #isDone = ({ name }: FleetZone): boolean => this.#results.get(name)?.code === 0;

  /** After more failures than `most` nothing is begun. */
  async each(
    zones: readonly FleetZone[],
    work: (on: Work, zone: FleetZone) => Promise<StackResult>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const { on } = this;
    let [done, failures] = [0, 0];
    await allInFlight(this.flags.parallel, zones, async (zone) => {
      const { name } = zone;
      if (on.signal.aborted || failures > most) return;
      const began = on.session.now();
      const result = await this.#grants
        .with(
          on.signal,
          (text) => on.say(name, text),
          (session) => work({ ...on, session }, zone),
        )
        .catch((error): StackResult => ({ code: 1, text: reasonOf(error) }));
      if (result.code !== 0) failures += 1;
      done += 1;
      const text = this.#toldOnce(result);
      this.#results.set(name, { ...result, text });
      const seconds = ((on.session.now() - began) / 1000).toFixed(1);
      on.say(`[${done}/${zones.length}] ${name}`, `${text} (${seconds} s)`);
    });
  }

  /** What fails in all stacks, as a program that does not compile, is shown for the first one only. */
  #toldOnce({ code, text }: StackResult): string {
    if (code !== 1) return text;
    if (this.on.signal.aborted) return `cut off while it ran, run it again: ${text}`;
    const same = [...this.#results].find(([, one]) => one.code === 1 && one.text === text);
    return same === undefined ? text : `as ${same[0]}`;
  }
}
