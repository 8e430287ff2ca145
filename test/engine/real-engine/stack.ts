import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { JournalEntry, RequestFilter, Simulator } from "../../../simulator/src";
import type { Declaration } from "./declaration";
import { type Ended, type Place, type Running, runPulumi } from "./engine";
import { changesOf, isOurs, nameOf, type Preview, readPreview } from "./preview";
import { killAll, processesOf } from "./processes";

/** A resource in the checkpoint. */
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

/** When a process is killed: after a request arrives, or after it was carried out and before its response. */
export interface KillPoint extends RequestFilter {
  readonly at: "arrival" | "processed";
  /** The number of matching requests that pass before. */
  readonly skip?: number;
}

/** Processes to kill: only the provider; only the CLI, while its provider continues; or all, as if the machine loses power. */
export type Victim = "provider" | "cli" | "all";

/** Exits with 7 when something has drifted. */
export const driftCommand = ["refresh", "--preview-only", "--expect-no-changes", "--diff"];

/** A stack with its own project, backend and home. Each step runs the real CLI and fails the story when it fails. */
export class Stack {
  /** Environment of the CLI, and so of the provider; a story may change it between steps. */
  readonly env: NodeJS.ProcessEnv;
  /** The CLI's whole output so far. */
  said = "";
  /** Output of an operation for a person, without JSON. */
  protocol = "";
  private running: Running | undefined;

  constructor(
    readonly place: Place,
    private readonly sim: Simulator,
  ) {
    this.env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
  }

  /** Sets what the program declares from now on. */
  declare(declaration: Declaration): void {
    writeFileSync(join(this.place.project, "declaration.json"), JSON.stringify(declaration, undefined, 2));
  }

  /** Runs any command of the CLI on the stack; the story checks the exit code. */
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

  /** Expects that the command fails; returns its output. */
  async fails(...args: readonly string[]): Promise<string> {
    const ended = await this.run(...args);
    assert.notEqual(ended.code, 0, `pulumi ${args.join(" ")} did not fail:\n${ended.output}`);
    return ended.output;
  }

  upFails(...flags: readonly string[]): Promise<string> {
    return this.fails("up", "--yes", "--skip-preview", ...flags);
  }

  /** Expects that a refresh finds drift (exit 7), without changing anything; returns its output. */
  async seesDrift(expected = 7): Promise<string> {
    const { code, output } = await this.run(...driftCommand);
    assert.equal(code, expected, output);
    return output;
  }

  /** Expects that a refresh finds no drift, without changing anything; returns its output. */
  expectNoDrift(): Promise<string> {
    return this.seesDrift(0);
  }

  /** Expects that a preview finds nothing left to do, and sends no request. */
  async expectEmptyPreview(): Promise<void> {
    const before = this.sim.journal.length;
    assert.deepEqual(changesOf(await this.preview()), [], "the preview is not empty");
    const requests = this.sim.journal.slice(before).map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(requests, [], "a preview without changes sends no request");
  }

  /** Returns this package's resources in the checkpoint by name, without those that are pending deletion. */
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

  /** Edits the JSON of each of this package's resources in the state; `undefined` removes the resource. */
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

  /** Removes empty files of attributes, which a killed CLI leaves: the engine would not open the state. */
  private removeEmptyAttributes(): void {
    const folder = join(this.place.backend, ".pulumi/stacks");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const path = join(folder, file);
      if (file.endsWith(".attrs") && statSync(path).size === 0) rmSync(path);
    }
  }

  /** Unlocks a state in files like `pulumi cancel`, without starting the CLI. */
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

  /** Sends a signal to the CLI alone, as `kill` does. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.running?.pid ?? assert.fail("no CLI is running"), name);
  }

  /** Processes of this stack that still run. */
  processes() {
    return processesOf(this.place.pulumiHome);
  }

  killLeftOver(): void {
    killAll(this.processes());
  }

  /** Waits until orphans have sent no request for a while, then kills them. */
  async letOrphansFinish(): Promise<void> {
    for (let seen = -1; seen !== this.sim.journal.length; ) {
      seen = this.sim.journal.length;
      await wait(700);
    }
    this.killLeftOver();
  }

  /** Kills the victim at that point of the next matching exchange. Returns the function that revokes this. */
  killAt(victim: Victim, { at, skip = 0, ...filter }: KillPoint): () => void {
    let left = skip;
    const hook = (entry: JournalEntry): unknown => {
      if (!this.sim.requests(filter).includes(entry)) return undefined;
      left -= 1;
      if (left >= 0) return undefined;
      revoke();
      this.kill(victim);
      return victim === "cli" ? undefined : "drop";
    };
    const revoke = at === "arrival" ? this.sim.onRequest(hook) : this.sim.onProcessed(hook);
    return revoke;
  }

  private async succeeds(...args: readonly string[]): Promise<Ended> {
    const ended = await this.run(...args);
    assert.equal(ended.code, 0, `pulumi ${args.join(" ")} failed:\n${ended.output}`);
    return ended;
  }
}
