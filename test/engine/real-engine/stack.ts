import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { JournalEntry, RequestFilter, Simulator } from "../../../simulator/src";
import type { Declaration } from "./declaration";
import { type Ended, type Place, type Running, runPulumi } from "./engine";
import { changesOf, isOurs, nameOf, type Preview, readPreview } from "./preview";
import { killAll, processesOf } from "./processes";

/** A resource as the checkpoint holds it. */
export interface Recorded {
  readonly urn: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly delete?: boolean;
  readonly initErrors?: readonly string[];
  readonly dependencies?: readonly string[];
  readonly propertyDependencies?: Readonly<Record<string, readonly string[] | null>>;
}

interface Checkpoint {
  checkpoint: { latest?: { resources?: Recorded[] } };
}

/** Where in an exchange a process is killed: the request has arrived, or was carried out and is not answered yet. */
export interface KillPoint extends RequestFilter {
  readonly at: "arrival" | "processed";
  /** Let this many matching requests pass first. */
  readonly skip?: number;
}

/** What is killed: the provider alone; the CLI alone, while its provider continues; or all, as when a machine is switched off. */
export type Victim = "provider" | "cli" | "all";

/** Exits with 7 when something has drifted. */
export const driftCommand = ["refresh", "--preview-only", "--expect-no-changes", "--diff"];

/** A stack of its own: project, backend and home. Each step runs the real CLI and fails the story when it fails. */
export class Stack {
  /** Environment of the CLI, and so of the provider; a story may change it between steps. */
  readonly env: NodeJS.ProcessEnv;
  /** The CLI's whole output so far. */
  said = "";
  /** The same for a person: without the JSON. */
  protocol = "";
  private running: Running | undefined;

  constructor(
    readonly place: Place,
    private readonly sim: Simulator,
  ) {
    this.env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
  }

  /** What the program declares from now on. */
  declare(declaration: Declaration): void {
    writeFileSync(join(this.place.project, "declaration.json"), JSON.stringify(declaration, undefined, 2));
  }

  /** Runs any command of the CLI on the stack; the exit code is for the story to judge. */
  async run(...args: readonly string[]): Promise<Ended> {
    const [command = "", ...flags] = args;
    const whole = [command, "--stack", "dev", "--non-interactive", ...flags];
    this.running = runPulumi(this.place, whole, this.env);
    const ended = await this.running.ended;
    if (ended.code === null) this.removeEmptyAttributes();
    this.said += ended.output;
    this.protocol += `\n$ pulumi ${args.join(" ")}\n${args.includes("--json") ? "(JSON)" : ended.output}`;
    return ended;
  }

  /** The preview's steps and messages. Fails when the preview does. */
  async preview(...flags: readonly string[]): Promise<Preview> {
    return readPreview(await this.succeeds("preview", "--json", ...flags));
  }

  async up(...flags: readonly string[]): Promise<string> {
    return (await this.succeeds("up", "--yes", "--skip-preview", ...flags)).output;
  }

  async refresh(...flags: readonly string[]): Promise<string> {
    return (await this.succeeds("refresh", "--yes", "--skip-preview", ...flags)).output;
  }

  async destroy(...flags: readonly string[]): Promise<string> {
    return (await this.succeeds("destroy", "--yes", "--skip-preview", ...flags)).output;
  }

  /** The command has to fail; gives what it said. */
  async fails(...args: readonly string[]): Promise<string> {
    const ended = await this.run(...args);
    assert.notEqual(ended.code, 0, `pulumi ${args.join(" ")} was to fail:\n${ended.output}`);
    return ended.output;
  }

  upFails(...flags: readonly string[]): Promise<string> {
    return this.fails("up", "--yes", "--skip-preview", ...flags);
  }

  /** Drift: the refresh proposes a change, exit 7. Changes nothing. Gives what it said. */
  async seesDrift(expected = 7): Promise<string> {
    const { code, output } = await this.run(...driftCommand);
    assert.equal(code, expected, output);
    return output;
  }

  /** The refresh finds everything as it is in the state. Changes nothing. Returns its output. */
  expectNoDrift(): Promise<string> {
    return this.seesDrift(0);
  }

  /** The end of every step: nothing left to do, and not one request was needed to know that. */
  async expectEmptyPreview(): Promise<void> {
    const before = this.sim.journal.length;
    assert.deepEqual(changesOf(await this.preview()), [], "the preview was to be empty");
    const requests = this.sim.journal.slice(before).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(requests, [], "a preview without changes sends no request");
  }

  /** The checkpoint's resources of this package, by their names; without those that wait for their deletion. */
  state(): Record<string, Recorded> {
    return Object.fromEntries(
      this.resources()
        .filter((resource) => resource.delete !== true)
        .map((resource) => [nameOf(resource.urn), resource]),
    );
  }

  /** The file that holds the checkpoint. */
  get checkpoint(): string {
    return join(this.place.backend, ".pulumi/stacks/story/dev.json");
  }

  /** Removes this package's resources from the state; their objects still exist. */
  loseState(): void {
    this.editState(() => undefined);
  }

  /** Rewrites this package's resources in the state: JSON, one resource after the other. */
  editState(edit: (recorded: string) => string | undefined): void {
    const whole: Checkpoint = JSON.parse(readFileSync(this.checkpoint, "utf8"));
    const resources = (whole.checkpoint.latest?.resources ?? []).flatMap((resource) => {
      if (!resource.urn.includes("page-guard:")) return [resource];
      const text = edit(JSON.stringify(resource));
      return text === undefined ? [] : [JSON.parse(text)];
    });
    whole.checkpoint.latest = { ...whole.checkpoint.latest, resources };
    writeFileSync(this.checkpoint, JSON.stringify(whole));
  }

  /** The engine does not open a state whose file of attributes a killed CLI has left empty. */
  private removeEmptyAttributes(): void {
    const folder = join(this.place.backend, ".pulumi/stacks");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const path = join(folder, file);
      if (file.endsWith(".attrs") && statSync(path).size === 0) rmSync(path);
    }
  }

  /** What `pulumi cancel` does with states in files, without a start of the CLI. */
  unlock(): void {
    rmSync(join(this.place.backend, ".pulumi/locks"), { recursive: true, force: true });
  }

  /** All of this package's resources in the checkpoint. */
  resources(): Recorded[] {
    const { checkpoint }: Checkpoint = JSON.parse(readFileSync(this.checkpoint, "utf8"));
    return (checkpoint.latest?.resources ?? []).filter(({ urn }) => isOurs(urn));
  }

  kill(victim: Victim): void {
    const isProvider = /dynamic-provider|run-plugin|pulumi-resource-page-guard/;
    if (victim === "all") this.killLeftOver();
    else if (victim === "cli") killAll([{ pid: this.running?.pid ?? -1, command: "pulumi" }]);
    else killAll(this.processes().filter(({ command }) => isProvider.test(command)));
  }

  /** Processes of this stack that are still there. */
  processes() {
    return processesOf(this.place.pulumiHome);
  }

  killLeftOver(): void {
    killAll(this.processes());
  }

  /** Waits until orphans have finished: no request for a while. Then kills them. */
  async letOrphansFinish(): Promise<void> {
    for (let seen = -1; seen !== this.sim.journal.length; ) {
      seen = this.sim.journal.length;
      await wait(700);
    }
    this.killLeftOver();
  }

  /** Kills at that point of the next matching exchange. Returns the function that revokes this. */
  killAt(victim: Victim, { at, skip = 0, ...filter }: KillPoint): () => void {
    let left = skip;
    const hook = (entry: JournalEntry): unknown => {
      if (!this.sim.requests(filter).includes(entry)) return undefined;
      left -= 1;
      if (left >= 0) return undefined;
      takeBack();
      this.kill(victim);
      return victim === "cli" ? undefined : "drop";
    };
    const takeBack = at === "arrival" ? this.sim.onRequest(hook) : this.sim.onProcessed(hook);
    return takeBack;
  }

  private async succeeds(...args: readonly string[]): Promise<Ended> {
    const ended = await this.run(...args);
    assert.equal(ended.code, 0, `pulumi ${args.join(" ")} failed:\n${ended.output}`);
    return ended;
  }
}
