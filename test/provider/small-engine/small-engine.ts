import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Kind } from "../../../provider/src/lifecycle/kind";
import type { Simulator } from "../../../simulator/src";
import { type Backup, Checkpoint, type Properties, stored, urnOf } from "./checkpoint";
import type { Death } from "./mortal";
import { messageOf, Operation, type Options, type Program } from "./operation";
import {
  type KindOf,
  type PlainClock,
  type ProviderProcess,
  type Said,
  type Surroundings,
  startProcess,
} from "./provider-process";

/**
 * A small engine for resources of one kind, or of a kind for each name. It calls the provider in the order that was measured
 * on the real engine: check and diff one by one, a second check before a replacement, creates and updates, then deletes. Each
 * operation is a separate provider process, so that only the checkpoint connects them.
 */
export class SmallEngine<Inputs, State extends object> {
  private readonly kindOf: KindOf;
  private readonly checkpoint = new Checkpoint();
  /** The clock of provider processes. */
  private readonly clock: PlainClock = { now: Date.parse("2024-02-01T00:00:00.000Z") };
  /** Providers that continue although their CLI has died. */
  private readonly orphans: Promise<unknown>[] = [];
  private last: Pick<ProviderProcess, "warnings" | "progress"> = { warnings: [], progress: [] };

  constructor(
    private readonly sim: Pick<Simulator, "url" | "token">,
    kind: Kind<Inputs, State> | KindOf,
    private readonly surroundings: Surroundings = {},
  ) {
    this.kindOf = typeof kind === "function" ? kind : () => kind;
  }

  get state(): Checkpoint["state"] {
    return this.checkpoint.state;
  }

  get pending(): Checkpoint["pending"] {
    return this.checkpoint.pending;
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.clock.now;
  }

  set now(milliseconds: number) {
    this.clock.now = milliseconds;
  }

  /** Warnings of the last operation. */
  get warnings(): readonly Said[] {
    return this.last.warnings;
  }

  /** Texts of the warnings of the last operation. */
  get warned(): readonly string[] {
    return this.last.warnings.map(({ text }) => text);
  }

  /** Other messages of the last operation: plans, and the progress of waits. */
  get progress(): readonly Said[] {
    return this.last.progress;
  }

  /** Waits until providers whose CLI has died have ended. */
  async orphansEnded(): Promise<void> {
    await Promise.all(this.orphans.splice(0));
  }

  /** Returns another pipeline that starts with the current checkpoint. */
  fork(): SmallEngine<Inputs, State> {
    const other = new SmallEngine<Inputs, State>(this.sim, this.kindOf, this.surroundings);
    other.restore(this.backup());
    return other;
  }

  backup(): Backup {
    return this.checkpoint.backup();
  }

  restore(backup: Backup): void {
    this.checkpoint.restore(backup);
  }

  /** Removes a resource from the checkpoint, without any request. */
  forget(name: string): void {
    this.state.delete(name);
  }

  passDays(days: number): void {
    this.clock.now += days * 24 * 60 * 60 * 1000;
  }

  /** Returns the planned operations, such as `create csp`, without unchanged resources. Fails if a check or diff fails. */
  async preview(program: Program, options: Options = {}): Promise<string[]> {
    const { planned, failures } = await this.begin().plan(program, options);
    assert.deepEqual(failures, []);
    return planned;
  }

  async previewFails(program: Program): Promise<string> {
    const { failures } = await this.begin().plan(program, {});
    assert.notDeepEqual(failures, [], "the preview should fail");
    return failures.map(({ text }) => text).join("\n");
  }

  async up(program: Program, options: Options = {}): Promise<void> {
    assert.deepEqual(await this.apply(program, options), []);
  }

  async upFails(program: Program, options: Options = {}): Promise<string> {
    const failures = await this.apply(program, options);
    assert.notDeepEqual(failures, [], "the update should fail");
    return failures.map(({ text }) => text).join("\n");
  }

  /** Runs an update that may fail. Returns the failures; empty after a success or if the machine died. */
  async tryUp(program: Program, options: Options = {}): Promise<string> {
    try {
      return (await this.apply(program, options)).map(({ text }) => text).join("\n");
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Refreshes the state, and clears the notes of failed changes like the engine. */
  async refresh({ death }: Pick<Options, "death"> = {}): Promise<void> {
    const process = this.start(death);
    await Promise.race([new Operation(process, this.checkpoint).readAll(), process.died]);
  }

  /** Returns the resources that `refresh --preview-only --expect-no-changes` reports as changed. Leaves the state unchanged. */
  async drift(): Promise<string[]> {
    const { provider } = this.start();
    const drifted: string[] = [];
    for (const [name, { id, inputs: before, outputs }] of this.state) {
      const { inputs, props, id: found } = await provider(name).read(id, outputs);
      const { changes } =
        found === "" ? { changes: true } : await provider(name).diff(id, stored(props), before);
      if (changes ?? !isDeepStrictEqual(before, inputs)) drifted.push(name);
    }
    return drifted;
  }

  async destroy(options: Pick<Options, "death"> = {}): Promise<void> {
    await this.up({}, options);
  }

  async destroyFails(): Promise<string> {
    try {
      await this.destroy();
    } catch (error) {
      return messageOf(error);
    }
    return assert.fail("the destroy should fail");
  }

  /** Returns the outputs of a read (`get`), or of an import by the plugin if `known` contains `__import`. */
  async get(name: string, id: string, known: Properties = {}): Promise<Properties> {
    const { props } = await this.start()
      .provider(name)
      .read(id, { ...known, __urn: urnOf(name) });
    return Object(props) as Properties;
  }

  /** Returns the inputs that `check` would save in the state for this declaration. */
  async checked(name: string, declared: Properties): Promise<{ inputs: Properties }> {
    const before = this.state.get(name)?.inputs ?? {};
    return this.start()
      .provider(name)
      .check(before, { ...declared, __urn: urnOf(name) });
  }

  /** Returns the outputs of a resource that must be in the state. */
  outputs(name: string): Properties {
    const recorded = this.state.get(name);
    assert.ok(recorded, `${name} is not in the state`);
    return recorded.outputs;
  }

  private start(death?: Death, approval?: string): ProviderProcess {
    const env = { ...this.surroundings.env, PAGE_GUARD_APPROVED_INPUTS: approval };
    const process = startProcess(this.sim, this.kindOf, { ...this.surroundings, env }, this.clock, death);
    this.last = process;
    return process;
  }

  private begin(): Operation {
    return new Operation(this.start(), this.checkpoint);
  }

  private async apply(program: Program, options: Options): Promise<Said[]> {
    const process = this.start(options.death, options.approval);
    const applied = new Operation(process, this.checkpoint).apply(program, options);
    const mayBeOrphaned = options.death && "request" in options.death && options.death.side === "cli";
    if (mayBeOrphaned) this.orphans.push(applied.catch(() => undefined));
    return Promise.race([applied, process.died.then(() => [])]);
  }
}
