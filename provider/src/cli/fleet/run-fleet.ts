import { join } from "node:path";
import { inFlight } from "../../lifecycle/in-flight";
import { forJson, forTerminal } from "../../reports/escape";
import { listed } from "../../text/listed";
import { plural } from "../../text/plural";
import { approvedOf } from "../approval/approved-file";
import { OwnFolder } from "../approval/own-folder";
import { printAndWrite } from "../output";
import { readBytes } from "../read-text";
import { type ExitCode, exitCode, type Session } from "../session";
import { UsageError } from "../usage-error";
import { reasonOf } from "../zones";
import { notYet } from "./gate";
import { Grants } from "./grants";
import { type ApprovedStack, beginManifest, readManifest, writeManifest } from "./manifest";
import {
  applyStack,
  driftOfStack,
  fileOf,
  previewStack,
  type RunCommand,
  refreshStack,
  type StackResult,
  statusOfStack,
  type Work,
} from "./one-stack";
import { ProgressTable } from "./progress-table";
import { summaryJson, summaryMarkdown, summaryText } from "./summary";
import { type FleetZone, parseZones } from "./zones-file";

export type FleetAction = "preview" | "apply" | "refresh" | "drift" | "status";

export interface FleetFlags {
  readonly zones: string;
  readonly wave?: number;
  readonly only?: string;
  readonly parallel: number;
  /** Which part of so many. */
  readonly shard?: readonly [part: number, of: number];
  readonly json?: boolean;
  readonly markdown?: string;
  readonly approve?: string;
  readonly approved?: string;
  readonly allow?: readonly string[];
  readonly canary?: readonly string[];
  readonly maxFailures: number;
  readonly maxImpact: number;
  readonly after?: number;
  /** Minutes. */
  readonly wait: number;
}

/** Runs one command for all stacks of a fleet. */
export async function runFleet(
  outer: Session,
  run: RunCommand,
  action: FleetAction,
  flags: FleetFlags,
): Promise<ExitCode> {
  const all = parseZones(flags.zones, readBytes(outer, flags.zones).toString("utf8"));
  const zones = selected(all, flags);
  const approved = flags.approved === undefined ? undefined : readManifest(outer, flags.approved);
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  // Each child that runs listens too.
  process.setMaxListeners(Math.max(process.getMaxListeners(), 4 * flags.parallel + 10));
  const folder = new OwnFolder();
  process.on("SIGINT", stop).on("SIGTERM", stop);
  const work: Work = {
    ...{
      session: outer,
      run,
      signal: controller.signal,
      waitMs: flags.wait * 60_000,
      allow: flags.allow ?? [],
    },
    progress: new ProgressTable(outer),
  };
  const fleet = new Fleet(work, action, flags, all, zones, folder, new Grants(outer, folder, flags.parallel));
  try {
    await fleet.work(approved);
  } catch (error) {
    // What was done until then is not lost.
    fleet.print();
    throw error;
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    folder.close();
  }
  return fleet.print();
}

/**
 * None where other parts of the file have them all: a matrix starts each of its machines for each wave.
 * @throws UsageError when there is none in any part.
 */
export function selected(
  all: readonly FleetZone[],
  flags: Pick<FleetFlags, "wave" | "only" | "shard" | "canary">,
) {
  const { wave, only, shard: [part, of] = [1, 1], canary = [] } = flags;
  for (const name of canary)
    if (!all.some((zone) => zone.name === name))
      throw new UsageError(`--canary: there is no zone ${forTerminal(name, 80)}.`);
  const zones = all.filter(
    (zone) => (wave === undefined || zone.wave === wave) && (only === undefined || zone.tags.includes(only)),
  );
  if (zones.length === 0) throw new UsageError("No zone of the file is left by --wave and --only.");
  return zones.filter((zone) => all.indexOf(zone) % of === part - 1);
}

class Fleet {
  readonly #results = new Map<string, StackResult>();
  readonly #stopped: string[] = [];

  constructor(
    private readonly on: Work,
    private readonly action: FleetAction,
    private readonly flags: FleetFlags,
    private readonly all: readonly FleetZone[],
    private readonly zones: readonly FleetZone[],
    private readonly folder: OwnFolder,
    private readonly grants: Grants,
  ) {}

  async work(approved: ReadonlyMap<string, ApprovedStack> | undefined): Promise<void> {
    switch (this.action) {
      case "preview":
        return this.#approve(this.flags.approve);
      case "refresh":
        return this.#each(this.zones, (zone, on) => refreshStack(on, zone));
      case "drift":
        return this.#each(this.zones, (zone, on) => driftOfStack(on, zone));
      case "status":
        return this.#each(this.zones, (zone, on) => statusOfStack(on, zone));
      case "apply":
        for (const wave of [...new Set(this.zones.map((zone) => zone.wave))].sort(
          (one, other) => one - other,
        ))
          if (!(await this.#wave(wave, approved))) return;
    }
  }

  print(): ExitCode {
    const { flags, on } = this;
    const notBegun = on.signal.aborted
      ? ({ code: 1, text: "not begun: the run was cut off" } as const)
      : ({ code: 2, text: "not begun" } as const);
    const results = this.zones.map(
      (zone): StackResult => this.#results.get(zone.name) ?? { zone, ...notBegun },
    );
    for (const line of this.#stopped) on.progress.say(line);
    const text = flags.json
      ? forJson(summaryJson(this.action, results, this.#stopped))
      : summaryText(results);
    const markdown = () => summaryMarkdown(this.action, results, this.#stopped);
    printAndWrite(on.session, text, [[flags.markdown, markdown]]);
    if (results.some(({ code }) => code === 1)) return exitCode.failed;
    return this.#stopped.length > 0 || results.some(({ code }) => code === 2)
      ? exitCode.found
      : exitCode.fine;
  }

  /** Whether the next wave may begin. */
  async #wave(wave: number, approved: ReadonlyMap<string, ApprovedStack> | undefined): Promise<boolean> {
    const { flags, on } = this;
    const zones = this.zones.filter((zone) => zone.wave === wave);
    const waiting = await this.#whyNot(wave);
    if (on.signal.aborted) return false;
    if (waiting !== undefined) {
      for (const zone of zones) this.#results.set(zone.name, { zone, code: 2, text: waiting });
      return false;
    }
    await this.#apply(zones, approved);
    const failed = zones.filter((zone) => !this.#isDone(zone)).length;
    if (failed > flags.maxFailures)
      this.#stopped.push(
        `Wave ${wave} stopped: ${plural(failed, "zone")} not done, and --max-failures is ${flags.maxFailures}.`,
      );
    return this.#stopped.length === 0 && !on.signal.aborted;
  }

  async #approve(folder: string | undefined): Promise<void> {
    const { session, signal } = this.on;
    if (folder !== undefined) beginManifest(session, folder);
    const stacks = await this.#preview(this.zones, folder);
    if (folder !== undefined && stacks !== undefined && !signal.aborted)
      writeManifest(session, folder, stacks);
  }

  /** What may be approved; undefined where it breaks too many zones. */
  async #preview(
    zones: readonly FleetZone[],
    folder: string | undefined,
  ): Promise<readonly ApprovedStack[] | undefined> {
    const { on, flags } = this;
    await this.#each(zones, (zone, on) => previewStack(on, zone, folder));
    const breaking = zones.filter(({ name }) => breaks(this.#results.get(name)));
    if (breaking.length > flags.maxImpact) {
      const names = listed(
        breaking.map(({ name }) => name),
        { most: 10, separator: ", " },
      );
      this.#stopped.push(
        `This blocks scripts in use that are not malicious in ${plural(breaking.length, "zone")}, and --max-impact is ${flags.maxImpact}: ${names}. Nothing was approved.`,
      );
      return undefined;
    }
    if (folder === undefined) return [];
    return zones.flatMap((zone) => {
      const { code, review } = this.#results.get(zone.name) ?? {};
      if (code !== 0 || !review) return [];
      const { sha256 } = approvedOf(on.session, join(folder, fileOf(zone)));
      return [{ name: zone.name, zoneId: zone.id, sha256, isUnchanged: review.isUnchanged }];
    });
  }

  /** Without an approval the wave is previewed first and held to that. */
  async #apply(
    zones: readonly FleetZone[],
    given: ReadonlyMap<string, ApprovedStack> | undefined,
  ): Promise<void> {
    const { flags } = this;
    const folder = flags.approved ?? this.folder.at("approved");
    let approved = given;
    let left = zones;
    if (approved === undefined) {
      const previewed = await this.#preview(zones, folder);
      left = zones.filter((zone) => this.#isDone(zone));
      // A preview is no update yet.
      for (const { name } of left) this.#results.delete(name);
      if (!previewed || zones.length - left.length > flags.maxFailures) return;
      approved = new Map(previewed.map((stack) => [stack.name, stack]));
    }
    const manifest = approved;
    const work = (zone: FleetZone, on: Work) => applyStack(on, zone, folder, manifest.get(zone.name));
    await this.#each(left.filter(this.#isCanary), work);
    // Of all: a canary whose preview failed is not left.
    const sick = zones.find((zone) => this.#isCanary(zone) && !this.#isDone(zone));
    if (sick) {
      this.#stopped.push(`The canary ${sick.name} was not applied, so nothing after it was begun.`);
      return;
    }
    const failed = zones.filter(({ name }) => (this.#results.get(name)?.code ?? 0) !== 0);
    await this.#each(
      left.filter((zone) => !this.#isCanary(zone)),
      work,
      flags.maxFailures - failed.length,
    );
  }

  readonly #isDone = ({ name }: FleetZone): boolean => this.#results.get(name)?.code === 0;

  readonly #isCanary = ({ name }: FleetZone): boolean => this.flags.canary?.includes(name) === true;

  async #whyNot(wave: number): Promise<string | undefined> {
    const { after: afterMs = 0, maxFailures, parallel } = this.flags;
    const yet = (zones: readonly FleetZone[], limits: { afterMs: number; maxFailures: number }) =>
      notYet(this.on.session, zones, { ...limits, parallel }, this.#isDone);
    const before = this.all.filter((zone) => zone.wave < wave);
    // Another shard, or an earlier run, has them.
    const canaries = this.all.filter(
      (zone) => zone.wave === wave && this.#isCanary(zone) && !this.zones.includes(zone),
    );
    return (
      (await yet(before, { afterMs, maxFailures })) ?? (await yet(canaries, { afterMs: 0, maxFailures: 0 }))
    );
  }

  async #each(
    zones: readonly FleetZone[],
    work: (zone: FleetZone, on: Work) => Promise<StackResult>,
    /** After more of them nothing is begun. */
    mostFailures = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    let failures = 0;
    this.on.progress.expect(zones.length);
    await inFlight(this.flags.parallel, zones, async (zone) => {
      const { signal, progress } = this.on;
      if (signal.aborted || failures > mostFailures) return;
      progress.begin(zone.name);
      const wait = (text: string) => progress.note(zone.name, text);
      const result = await this.grants
        .with(signal, wait, (session) => work(zone, { ...this.on, session }))
        .catch((error): StackResult => ({ zone, code: 1, text: reasonOf(error) }));
      if (result.code !== 0) failures += 1;
      this.#results.set(zone.name, result);
      progress.end(zone.name, result.text);
    });
  }
}

/** It blocks scripts in use that are not malicious, or nobody knows. */
function breaks(result: StackResult | undefined): boolean {
  const impact = result?.review?.impact;
  return impact !== undefined && (impact.isUnknown || impact.scripts > 0);
}
