import { join } from "node:path";
import { apiSettings } from "../../api/api-settings";
import { serveBudget } from "../../api/rate-limit/budget-server";
import { documented } from "../../api/rate-limit/rate-headers";
import { inFlight } from "../../lifecycle/in-flight";
import { listed } from "../../text/listed";
import { plural } from "../../text/plural";
import { OwnFolder } from "../approval/own-folder";
import { writeText } from "../output";
import { readBytes } from "../read-text";
import { type ExitCode, exitCode, type Session } from "../session";
import { UsageError } from "../usage-error";
import { reasonOf } from "../zones";
import { notYet } from "./gate";
import { type ApprovedStack, approvedOf, beginManifest, readManifest, writeManifest } from "./manifest";
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
  readonly share?: readonly [part: number, of: number];
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
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  // Each child that runs listens too.
  process.setMaxListeners(Math.max(process.getMaxListeners(), 4 * flags.parallel + 10));
  process.on("SIGINT", stop).on("SIGTERM", stop);
  const folder = new OwnFolder();
  const budget = await ownBudget(outer, folder, flags);
  const session: Session = { ...outer, env: { ...outer.env, PAGE_GUARD_BUDGET: budget.path } };
  const work: Work = {
    ...{ session, run, signal: controller.signal, waitMs: flags.wait * 60_000, allow: flags.allow ?? [] },
    progress: new ProgressTable(session),
  };
  try {
    const fleet = new Fleet(work, action, flags, all, zones, folder);
    await fleet.work();
    return fleet.print();
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    await budget.close();
    folder.close();
  }
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
    if (!all.some((zone) => zone.name === name)) throw new UsageError(`--canary: there is no zone ${name}.`);
  const zones = all.filter(
    (zone) => (wave === undefined || zone.wave === wave) && (only === undefined || zone.tags.includes(only)),
  );
  if (zones.length === 0) throw new UsageError("No zone of the file is left by --wave and --only.");
  return zones.filter((zone) => all.indexOf(zone) % of === part - 1);
}

/** One budget for all that is started here, or the one that is there already. */
async function ownBudget({ env }: Session, folder: OwnFolder, { share }: FleetFlags) {
  const { budget, maxRequests } = apiSettings(env);
  if (budget !== undefined) return { path: budget, close: async () => undefined };
  const path = process.platform === "win32" ? `\\\\.\\pipe\\page-guard-${process.pid}` : folder.at("budget");
  const [part, of] = share ?? [1, 1];
  const limit = Math.max(1, Math.floor(((maxRequests ?? documented.limit) * part) / of));
  const ceiling = share === undefined && maxRequests === undefined ? undefined : { ...documented, limit };
  const { close } = await serveBudget(path, { ceiling });
  return { path, close };
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
  ) {}

  async work(): Promise<void> {
    const { flags, on } = this;
    if (this.action === "preview") return this.#preview(this.zones, flags.approve);
    if (this.action === "refresh") return this.#each(this.zones, (zone) => refreshStack(on, zone));
    if (this.action === "drift") return this.#each(this.zones, (zone) => driftOfStack(on, zone));
    if (this.action === "status") return this.#each(this.zones, (zone) => statusOfStack(on, zone));
    const approved = flags.approved === undefined ? undefined : readManifest(on.session, flags.approved);
    for (const wave of [...new Set(this.zones.map((zone) => zone.wave))].sort(
      (left, right) => left - right,
    )) {
      const ofWave = this.zones.filter((zone) => zone.wave === wave);
      const why = await this.#whyNot(wave);
      if (why === undefined) await this.#apply(ofWave, approved);
      else this.#hold(ofWave, why);
      const failed = ofWave.filter(({ name }) => (this.#results.get(name)?.code ?? 1) !== 0).length;
      if (
        why === undefined &&
        failed <= flags.maxFailures &&
        !on.signal.aborted &&
        this.#stopped.length === 0
      )
        continue;
      if (why === undefined && failed > flags.maxFailures)
        this.#stopped.push(
          `Wave ${wave} stopped: ${plural(failed, "zone")} not done, and --max-failures is ${flags.maxFailures}.`,
        );
      break;
    }
  }

  print(): ExitCode {
    const { flags, on } = this;
    const why = on.signal.aborted ? "not begun: the run was cut off" : "not begun";
    const results = this.zones.map((zone): StackResult => {
      const code = on.signal.aborted ? 1 : 2;
      return this.#results.get(zone.name) ?? { zone, code, text: why };
    });
    const markdown = () => summaryMarkdown(this.action, results, this.#stopped);
    if (flags.markdown !== undefined && flags.markdown !== "-")
      writeText(on.session, flags.markdown, markdown());
    for (const line of this.#stopped) on.progress.say(line);
    if (flags.json)
      on.session.out(`${JSON.stringify(summaryJson(this.action, results, this.#stopped), undefined, 2)}\n`);
    else on.session.out(flags.markdown === "-" ? markdown() : summaryText(results));
    if (results.some(({ code }) => code === 1)) return exitCode.failed;
    return this.#stopped.length > 0 || results.some(({ code }) => code === 2)
      ? exitCode.found
      : exitCode.fine;
  }

  /** Previews, and writes the manifest where all may be approved. */
  async #preview(zones: readonly FleetZone[], folder: string | undefined): Promise<void> {
    const { on, flags } = this;
    if (folder !== undefined) beginManifest(on.session, folder);
    await this.#each(zones, (zone) => previewStack(on, zone, folder));
    const breaking = zones.filter(({ name }) => breaks(this.#results.get(name)));
    if (breaking.length > flags.maxImpact) {
      const names = listed(
        breaking.map(({ name }) => name),
        { most: 10, separator: ", " },
      );
      this.#stopped.push(
        `This blocks scripts in use that are not malicious in ${plural(breaking.length, "zone")}, and --max-impact is ${flags.maxImpact}: ${names}. Nothing was approved.`,
      );
    } else if (folder !== undefined && !on.signal.aborted)
      writeManifest(on.session, folder, this.#approved(zones, folder));
  }

  #approved(zones: readonly FleetZone[], folder: string): readonly ApprovedStack[] {
    return zones.flatMap((zone) => {
      const { code, review } = this.#results.get(zone.name) ?? {};
      if (code !== 0 || !review) return [];
      const { sha256 } = approvedOf(this.on.session, join(folder, fileOf(zone)));
      return [{ name: zone.name, zoneId: zone.id, sha256, isUnchanged: review.isUnchanged }];
    });
  }

  /** Without an approval each wave is previewed first and held to that. */
  async #apply(
    zones: readonly FleetZone[],
    given: ReadonlyMap<string, ApprovedStack> | undefined,
  ): Promise<void> {
    const { flags, on } = this;
    const folder = flags.approved ?? this.folder.at("approved");
    let approved = given;
    let left = zones;
    if (approved === undefined) {
      await this.#preview(zones, folder);
      if (this.#stopped.length > 0) return;
      approved = new Map(this.#approved(zones, folder).map((stack) => [stack.name, stack]));
      left = zones.filter(({ name }) => this.#results.get(name)?.code === 0);
      if (zones.length - left.length > flags.maxFailures) left = [];
      for (const { name } of zones) if (this.#results.get(name)?.code === 0) this.#results.delete(name);
    }
    const manifest = approved;
    const work = (zone: FleetZone) => applyStack(on, zone, folder, manifest.get(zone.name));
    await this.#each(left.filter(this.#isCanary), work);
    // Of all: a canary whose preview failed is not left.
    const sick = zones.find((zone) => this.#isCanary(zone) && this.#results.get(zone.name)?.code !== 0);
    if (sick) this.#stopped.push(`The canary ${sick.name} was not applied, so nothing after it was begun.`);
    else
      await this.#each(
        left.filter((zone) => !this.#isCanary(zone)),
        work,
        flags.maxFailures,
      );
  }

  readonly #isCanary = ({ name }: FleetZone): boolean => this.flags.canary?.includes(name) === true;

  async #whyNot(wave: number): Promise<string | undefined> {
    const { after: afterMs = 0, maxFailures, parallel } = this.flags;
    const isDone = ({ name }: FleetZone) => this.#results.get(name)?.code === 0;
    const yet = (zones: readonly FleetZone[], limits: { afterMs: number; maxFailures: number }) =>
      notYet(this.on.session, zones, { ...limits, parallel }, isDone);
    // Another shard, or an earlier run, has them.
    const canaries = this.all.filter(
      (zone) => zone.wave === wave && this.#isCanary(zone) && !this.zones.includes(zone),
    );
    return (
      (await yet(
        this.all.filter((zone) => zone.wave < wave),
        { afterMs, maxFailures },
      )) ?? (await yet(canaries, { afterMs: 0, maxFailures: 0 }))
    );
  }

  #hold(zones: readonly FleetZone[], why: string): void {
    for (const zone of zones) this.#results.set(zone.name, { zone, code: 2, text: why });
  }

  async #each(
    zones: readonly FleetZone[],
    work: (zone: FleetZone) => Promise<StackResult>,
    mostFailures = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    let failures = 0;
    this.on.progress.expect(zones.length);
    await inFlight(this.flags.parallel, zones, async (zone) => {
      const { signal, progress } = this.on;
      if (signal.aborted || failures > mostFailures) return;
      progress.begin(zone.name);
      const result = await work(zone).catch(
        (error): StackResult => ({ zone, code: 1, text: reasonOf(error) }),
      );
      if (result.code !== 0) failures += 1;
      this.#results.set(zone.name, result);
      progress.end(zone.name, result.text);
    });
  }
}

/** It blocks scripts in use that are not malicious. */
function breaks(result: StackResult | undefined): boolean {
  const { hosts = [], findings = [] } = result?.review ?? {};
  const isBlocking = findings.some(({ code }) => code === "csp-blocks-in-use");
  return isBlocking && (hosts.length === 0 || hosts.some(({ scripts }) => scripts > 0));
}
