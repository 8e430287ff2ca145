import { copyFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { enumerate, pluralize, runInFlight } from "pulumi-page-guard/tools";
import { forJson, forTerminal, readReason } from "../documents/escape";
import { html, markdown } from "../documents/review/formats";
import { OwnFolder } from "../pulumi/own-folder";
import { listStacks } from "../pulumi/stacks";
import { makeFolder, printAndWrite, whileWriting } from "../shared/output";
import { type ExitCode, exitCode, type Session, type Told } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import { distinct } from "../shared/values";
import { type ListedZone, readAllLists, readZonesFile } from "../shared/zones";
import { explainWait, type FleetAction, type FleetFlags, type FleetZone } from "./gate";
import { Grants } from "./grants";
import {
  applyStack,
  failure,
  findStackDrift,
  previewStack,
  readStackStatus,
  type Stack,
  type StackResult,
  splitAllow,
  toLookAt,
} from "./one-stack";
import { makeFleetReview, summaryJson, summaryText } from "./summary";

/** Runs another command of `page-guard` in this process. */
export type RunCommand = (argv: readonly string[], session: Session) => Promise<ExitCode>;

export async function runFleet(session: Session, run: RunCommand, action: FleetAction, flags: FleetFlags) {
  const { wave, only, allow = [] } = flags;
  const all = readZonesFile(session, flags.zones).map(({ name, ...zone }) => {
    if (name !== undefined) return { ...zone, name };
    throw new UsageError(`The zone ${zone.id} has no name. Give it the name of its stack.`);
  });
  const zones = all.filter(
    (zone) => (wave === undefined || zone.wave === wave) && (only === undefined || zone.tags.includes(only)),
  );
  if (zones.length === 0) throw new UsageError("No zone in the file matches --wave and --only.");
  for (const { stack } of allow.map(splitAllow))
    if (stack !== undefined && !all.some(({ name }) => name === stack))
      throw new UsageError(`--allow: no zone in the file has the stack ${forTerminal(stack, 80)}.`);
  const listed = readAllLists(session, flags.zones);
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  // Each running child process adds listeners to this process, and Node warns above a maximum.
  process.setMaxListeners(Math.max(process.getMaxListeners(), 4 * flags.parallel + 10));
  const folder = new OwnFolder();
  process.on("SIGINT", stop).on("SIGTERM", stop);
  const fleet = new Fleet(session, run, flags, all, listed, folder, controller.signal);
  let ended: ExitCode = exitCode.failed;
  try {
    await fleet.nameStacksWithoutZone();
    if (action === "drift") await fleet.each(zones, findStackDrift);
    else if (action === "status") await fleet.each(zones, readStackStatus);
    else if (action === "apply") await fleet.applyWaves(zones);
    else await fleet.approve(zones);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    folder.close();
    // Print even after an error, so that the results so far are not lost.
    ended = fleet.print(action, zones);
  }
  return ended;
}

class Fleet {
  readonly #results = new Map<string, StackResult>();
  /** Names of zones, also of earlier waves, in which the changes block, or might block, scripts that are not malicious. */
  readonly #breaking = new Set<string>();
  /** Reasons why no further stack is started. */
  readonly #stopped: string[] = [];
  /** Stacks of the project whose zone is neither in the --zones file nor in another list of zones in the same folder. */
  #withoutZone: readonly string[] = [];
  readonly #grants: Grants;

  /**
   * Creates a fleet. `all` contains every zone in the file, including zones that this run leaves out. `listed` also contains the
   * zones of the other lists in the folder.
   */
  constructor(
    private readonly session: Session,
    private readonly run: RunCommand,
    private readonly flags: FleetFlags,
    private readonly all: readonly FleetZone[],
    private readonly listed: readonly ListedZone[],
    private readonly folder: OwnFolder,
    private readonly signal: AbortSignal,
  ) {
    this.#grants = new Grants(session, folder, flags.parallel);
  }

  print(action: FleetAction, zones: readonly FleetZone[]): ExitCode {
    const { session, signal, flags } = this;
    const notBegun = {
      ...(signal.aborted ? failure("not started: the run was interrupted") : toLookAt("not started")),
      isNotBegun: true,
    } as const;
    if (signal.aborted)
      this.#stopped.push("The run was interrupted by a signal. Updates that had begun may be incomplete.");
    const ordered = [...zones].sort((left, right) => left.wave - right.wave);
    const results = ordered.map((zone) => ({ zone, ...(this.#results.get(zone.name) ?? notBegun) }));
    for (const line of this.#stopped) session.err(`${line}\n`);
    const review = makeFleetReview(action, results, this.#stopped, this.#withoutZone);
    const document = () => forJson(summaryJson(action, results, this.#stopped, review));
    printAndWrite(session, flags.json ? document() : summaryText(results, review, this.#withoutZone), [
      [flags.markdown, () => markdown(review)],
      [flags.html, () => html(review)],
    ]);
    return review.exitCode;
  }

  /** Finds stacks whose zone is in no list. If people remove a zone from its list, its stack and its objects stay. */
  async nameStacksWithoutZone(): Promise<void> {
    const named = new Set(this.listed.map(({ name }) => name));
    this.#withoutZone = (await listStacks(this.session)).filter((name) => !named.has(name));
  }

  /** Applies the waves in order. Stops before a wave that must wait or after one that exceeds --max-failures or --max-impact. */
  async applyWaves(all: readonly FleetZone[]): Promise<void> {
    const { session, signal, flags } = this;
    const { maxFailures } = flags;
    for (const wave of distinct(all.map((zone) => zone.wave)).sort((one, other) => one - other)) {
      const zones = all.filter((zone) => zone.wave === wave);
      const before = this.all.filter((zone) => zone.wave < wave);
      const waiting = await explainWait(session, before, flags, this.#isDone);
      if (waiting !== undefined && !signal.aborted)
        for (const { name } of zones) this.#results.set(name, toLookAt(waiting));
      if (waiting !== undefined || signal.aborted) return;
      await this.#apply(zones);
      const unfinished = zones.filter((zone) => !this.#isDone(zone)).length;
      if (unfinished > maxFailures)
        this.#stopped.push(
          `Wave ${wave} stopped: ${pluralize(unfinished, "zone")} not done. --max-failures allows ${maxFailures}.`,
        );
      if (this.#stopped.length > 0 || signal.aborted) return;
    }
  }

  /**
   * Previews all zones. With --approve, copies the approved file and the review of each successful preview to the given folder,
   * unless the changes exceed --max-impact.
   */
  async approve(zones: readonly FleetZone[]): Promise<void> {
    const { approve: folder } = this.flags;
    if (folder === undefined) return void (await this.#preview(zones, false));
    const path = (name: string): string => resolve(this.session.cwd, folder, name);
    const listFiles = (some: readonly FleetZone[]): string[] =>
      some.flatMap(({ name }) => [`${name}.json`, `${name}.html`]);
    // No approved file of an earlier preview may remain.
    for (const file of listFiles(this.all)) rmSync(path(file), { force: true });
    const isApproved = (await this.#preview(zones, true)) && !this.signal.aborted;
    for (const file of listFiles(isApproved ? zones.filter(this.#isDone) : []))
      whileWriting(folder, () => {
        makeFolder(path("."));
        copyFileSync(this.folder.at(file), path(file));
      });
  }

  /**
   * Previews zones. Returns false if the changes block, or might block, scripts that are not malicious in more than `--max-impact`
   * zones, including those of earlier waves.
   */
  async #preview(zones: readonly FleetZone[], isApproving: boolean): Promise<boolean> {
    const { maxImpact } = this.flags;
    await this.each(zones, (stack) => {
      const own = this.folder.at(stack.zone.name);
      return previewStack(stack, isApproving ? ["--approve", `${own}.json`, "--html", `${own}.html`] : []);
    });
    for (const { name } of zones) {
      const { isUnknown = false, scripts = 0 } = this.#results.get(name)?.review?.impact ?? {};
      if (isUnknown || scripts > 0) this.#breaking.add(name);
    }
    if (this.#breaking.size <= maxImpact) return true;
    const names = [...this.#breaking];
    this.#stopped.push(
      `In ${pluralize(names.length, "zone")} (${enumerate(names, { most: 10, separator: ", " })}), the changes block, or might block, scripts that are in use and not malicious. --max-impact allows ${maxImpact}. Nothing was approved.`,
    );
    return false;
  }

  /** Applies a wave. Without `--approved`, first previews its zones; each update may then only make the changes of its preview. */
  async #apply(zones: readonly FleetZone[]): Promise<void> {
    const { maxFailures, approved } = this.flags;
    let left = zones;
    if (approved === undefined) {
      const isApproved = await this.#preview(zones, true);
      left = zones.filter(this.#isDone);
      // Remove the results of successful previews, because a preview does not mean that the update is done.
      for (const { name } of left) this.#results.delete(name);
      if (!isApproved || zones.length - left.length > maxFailures) return;
    }
    const folder = approved ?? this.folder.at(".");
    const most = maxFailures - (zones.length - left.length);
    await this.each(left, (stack) => applyStack(stack, join(folder, `${stack.zone.name}.json`)), most);
  }

  readonly #isDone = ({ name }: FleetZone): boolean => this.#results.get(name)?.code === 0;

  /** Runs `work` for several zones at a time. After more than `most` zones have ended without success, starts no further zone. */
  async each(zones: readonly FleetZone[], work: (stack: Stack) => Promise<StackResult>, most = Infinity) {
    const { session, signal, flags } = this;
    let [done, failures] = [0, 0];
    await runInFlight(flags.parallel, zones, async (zone) => {
      const { name } = zone;
      if (signal.aborted || failures > most) return;
      const began = session.now();
      const say = (text: string): void => session.err(`${name}: ${text}\n`);
      const result = await this.#grants
        .with(signal, say, (own) =>
          work({ zone, listed: this.listed, flags, session: own, run: this.#runIn(own, say) }),
        )
        .catch((error) => failure(readReason(error)));
      if (result.code !== 0) failures += 1;
      done += 1;
      const text = this.#textOnce(result);
      this.#results.set(name, { ...result, text });
      const seconds = ((session.now() - began) / 1000).toFixed(1);
      session.err(`[${done}/${zones.length}] ${name}: ${text} (${seconds} s)\n`);
    });
  }

  #runIn(session: Session, say: (text: string) => void): Stack["run"] {
    return async (...argv) => {
      let told: Told = {};
      const code = await this.run(argv, {
        ...session,
        isWatched: false,
        hasColour: false,
        out: () => undefined,
        err: () => undefined,
        readStdin: async () => "",
        tell(one) {
          told = { ...told, ...one };
          if (one.waits !== undefined) say(one.waits);
        },
      });
      return { code, ...told };
    };
  }

  /**
   * Returns the message of a result. If several stacks fail for the same reason, such as a program that does not compile, the
   * later messages only refer to the first stack.
   */
  #textOnce({ code, text }: StackResult): string {
    if (code !== 1) return text;
    if (this.signal.aborted) return `interrupted (${text}); run the command again`;
    const same = [...this.#results].find(([, one]) => one.code === 1 && one.text === text);
    return same === undefined ? text : `failed for the same reason as ${same[0]}`;
  }
}
