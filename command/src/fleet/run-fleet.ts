import { copyFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { allInFlight, listed, plural } from "pulumi-page-guard/tools";
import { makeFolder, printAndWrite, writing } from "../output";
import { OwnFolder } from "../pulumi/own-folder";
import { forJson, forTerminal } from "../reports/escape";
import { html, markdown } from "../reports/review/formats";
import { type ExitCode, exitCode, type Session } from "../session";
import { UsageError } from "../usage-error";
import { distinct } from "../values";
import { readZonesFile, reasonOf } from "../zones";
import { type FleetZone, notYet } from "./gate";
import { Grants } from "./grants";
import {
  applyStack,
  driftOfStack,
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

/** Runs one command for all stacks of a fleet. */
export async function runFleet(
  session: Session,
  run: RunCommand,
  action: FleetAction,
  flags: FleetFlags,
): Promise<ExitCode> {
  const { wave, only, wait, allow = [] } = flags;
  const all = readZonesFile(session, flags.zones).map(({ name, ...zone }) => {
    if (name !== undefined) return { ...zone, name };
    throw new UsageError(`The zone ${zone.id} has no name: that of its stack.`);
  });
  const zones = all.filter(
    (zone) => (wave === undefined || zone.wave === wave) && (only === undefined || zone.tags.includes(only)),
  );
  if (zones.length === 0) throw new UsageError("No zone of the file is left by --wave and --only.");
  for (const { stack } of allow.map(partsOfAllow))
    if (stack !== undefined && !all.some(({ name }) => name === stack))
      throw new UsageError(`--allow: there is no stack ${forTerminal(stack, 80)}.`);
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
    else if (action === "apply") await fleet.applyWaves(zones);
    else await fleet.approve(zones);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    folder.close();
    // After an error, too: what was done until then is not lost.
    ended = fleet.print(action, zones);
  }
  return ended;
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
  async applyWaves(all: readonly FleetZone[]): Promise<void> {
    const { on, flags } = this;
    const { after: afterMs = 0, maxFailures, parallel } = flags;
    for (const wave of distinct(all.map((zone) => zone.wave)).sort((one, other) => one - other)) {
      const zones = all.filter((zone) => zone.wave === wave);
      const before = this.all.filter((zone) => zone.wave < wave);
      const waiting = await notYet(on.session, before, { afterMs, maxFailures, parallel }, this.#isDone);
      if (on.signal.aborted) return;
      if (waiting !== undefined) {
        for (const { name } of zones) this.#results.set(name, { code: 2, text: waiting });
        return;
      }
      await this.#apply(zones);
      const failed = zones.filter((zone) => !this.#isDone(zone)).length;
      if (failed > maxFailures)
        this.#stopped.push(
          `Wave ${wave} stopped: ${plural(failed, "zone")} not done, and --max-failures is ${maxFailures}.`,
        );
      if (this.#stopped.length > 0 || on.signal.aborted) return;
    }
  }

  /** Previews all, and puts what may be approved into the folder of the flag once all of it is known. */
  async approve(zones: readonly FleetZone[]): Promise<void> {
    const { flags, on } = this;
    const folder = flags.approve;
    if (folder === undefined) return void (await this.#preview(zones, () => undefined));
    const path = (name: string): string => resolve(on.session.cwd, folder, name);
    // Nothing of an earlier preview may stay.
    for (const { name } of this.all)
      for (const end of ["json", "html"]) rmSync(path(`${name}.${end}`), { force: true });
    const isApproved = await this.#preview(zones, (zone) => ({
      ...{ approve: this.#ownFile(zone), html: join(folder, `${zone.name}.html`) },
    }));
    for (const zone of isApproved && !on.signal.aborted ? zones.filter(this.#isDone) : [])
      writing(folder, () => {
        makeFolder(path("."));
        copyFileSync(this.#ownFile(zone), path(`${zone.name}.json`));
      });
  }

  /** False where it breaks too many zones: it blocks scripts in use that are not malicious, or nobody knows. */
  async #preview(
    zones: readonly FleetZone[],
    filesOf: (zone: FleetZone) => Parameters<typeof previewStack>[2],
  ): Promise<boolean> {
    const { maxImpact } = this.flags;
    await this.each(zones, (work, zone) => previewStack(work, zone, filesOf(zone)));
    const breaking = zones.filter(({ name }) => {
      const { isUnknown = false, scripts = 0 } = this.#results.get(name)?.review?.impact ?? {};
      return isUnknown || scripts > 0;
    });
    if (breaking.length <= maxImpact) return true;
    const names = breaking.map(({ name }) => name);
    this.#stopped.push(
      `This blocks scripts in use that are not malicious, or may do so, in ${plural(names.length, "zone")}, and --max-impact is ${maxImpact}: ${listed(names, { most: 10, separator: ", " })}. Nothing was approved.`,
    );
    return false;
  }

  /** Without an approval the wave is previewed first and held to that. */
  async #apply(zones: readonly FleetZone[]): Promise<void> {
    const { maxFailures, approved } = this.flags;
    let left = zones;
    if (approved === undefined) {
      const isApproved = await this.#preview(zones, (zone) => ({ approve: this.#ownFile(zone) }));
      left = zones.filter(this.#isDone);
      // A preview is no update yet.
      for (const { name } of left) this.#results.delete(name);
      if (!isApproved || zones.length - left.length > maxFailures) return;
    }
    const fileOf = (zone: FleetZone): string =>
      approved === undefined ? this.#ownFile(zone) : join(approved, `${zone.name}.json`);
    const most = maxFailures - (zones.length - left.length);
    await this.each(left, (on, zone) => applyStack(on, zone, fileOf(zone)), most);
  }

  readonly #isDone = ({ name }: FleetZone): boolean => this.#results.get(name)?.code === 0;

  readonly #ownFile = ({ name }: FleetZone): string => this.folder.at(`${name}.json`);

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
