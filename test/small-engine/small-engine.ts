import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { createClient } from "../../provider/src/api/create-client";
import type { Transport } from "../../provider/src/api/transport";
import type { ConfigurableRun } from "../../provider/src/lifecycle/dynamic-provider";
import { dynamicProvider } from "../../provider/src/lifecycle/dynamic-provider";
import type { Kind } from "../../provider/src/lifecycle/kind";
import { PartialFailure } from "../../provider/src/lifecycle/partial-failure";
import { createRun } from "../../provider/src/lifecycle/process-run";
import type { Simulator } from "../../provider/src/simulator";
import type { VirtualTime } from "../virtual-time/virtual-time";
import { type Death, type Mortal, mortal, mortalClock, timeless } from "./mortal";

export type Properties = Readonly<Record<string, unknown>>;

/** Name in the program to inputs, in the order of the program. */
export type Program = Readonly<Record<string, Properties>>;

/** A resource as the checkpoint holds it. */
export interface Recorded {
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** The engine's note of a failed change. */
  readonly hasInitErrors: boolean;
}

export interface Said {
  readonly name: string;
  readonly text: string;
}

export interface Options {
  /** The machine dies when this resource was created: `recorded` or not yet, and nothing comes after it. */
  readonly dieAfterCreating?: { readonly name: string; readonly recorded: boolean };
  /** Replace these although the lifecycle asks for no replacement, as `--target-replace` does. */
  readonly replace?: readonly string[];
  /** Creates and updates all at once, as the engine does; otherwise one after the other. */
  readonly parallel?: boolean;
  /** `--refresh`: the state is read first, by the same process. */
  readonly refresh?: boolean;
  /** Nothing of what was under way is recorded. */
  readonly death?: Death | undefined;
}

/** A replaced object whose deletion is still to come. */
export interface Pending extends Recorded {
  readonly name: string;
}

/** A checkpoint at one moment. */
export interface Backup {
  readonly state: readonly (readonly [string, Recorded])[];
  readonly pending: readonly Pending[];
}

/** The kind of each resource of a program, by its name. */
export type KindOf = (name: string) => Kind<unknown, object>;

export interface Surroundings {
  /** Added to the environment of each process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Given: it is the clock of provider processes, and waits cost nothing. */
  readonly time?: VirtualTime | undefined;
  /** What the requests of a process go over instead of sockets; called once for each process. */
  readonly wire?: (() => Transport) | undefined;
  /** What processes take their jitter from; `Math.random` without it. */
  readonly random?: (() => number) | undefined;
}

/** What one resource needs in an operation. */
type Decision = "same" | "create" | "update" | "replace";

/** The provider of a resource, by its name. */
type Providers = (name: string) => ReturnType<typeof providerOf>;

interface Process extends Mortal {
  readonly provider: Providers;
}

/** Thrown when the machine dies. */
class MachineDies extends Error {}

/** Real milliseconds that an attempt may take in a story with virtual time. */
const attemptMs = 2000;

/**
 * The engine around resources of one kind, or of a kind for each name, in the order that was measured on the real one: check and diff one by one,
 * a second check before a replacement, creates and updates, then deletes. Each operation is a provider process of its
 * own, so nothing but the checkpoint is remembered.
 */
export class SmallEngine<Inputs, State extends object> {
  private readonly kindOf: KindOf;
  /** The checkpoint: name to resource. */
  readonly state = new Map<string, Recorded>();
  readonly pending: Pending[] = [];
  /** Warnings of the last operation. */
  warnings: Said[] = [];
  /** What the last operation told besides: plans, and what is waited for. */
  progress: Said[] = [];
  /** Providers that work on although their CLI has died. */
  private readonly orphans: Promise<unknown>[] = [];
  /** The clock of provider processes, milliseconds since 1970. */
  now = Date.parse("2024-02-01T00:00:00.000Z");

  constructor(
    private readonly sim: Pick<Simulator, "url" | "token">,
    kind: Kind<Inputs, State> | KindOf,
    private readonly surroundings: Surroundings = {},
  ) {
    this.kindOf = typeof kind === "function" ? kind : () => kind;
  }

  /** Until whatever works on unseen has ended. */
  async orphansEnded(): Promise<void> {
    await Promise.all(this.orphans.splice(0));
  }

  /** Another pipeline that begins with the checkpoint as it is now. */
  fork(): SmallEngine<Inputs, State> {
    const other = new SmallEngine<Inputs, State>(this.sim, this.kindOf as never, this.surroundings);
    other.restore(this.backup());
    return other;
  }

  backup(): Backup {
    return { state: [...this.state], pending: [...this.pending] };
  }

  restore({ state, pending }: Backup): void {
    this.state.clear();
    for (const [name, recorded] of state) this.state.set(name, recorded);
    this.pending.splice(0, this.pending.length, ...pending);
  }

  /** Takes a resource off the checkpoint, and nothing else. */
  forget(name: string): void {
    this.state.delete(name);
  }

  passDays(days: number): void {
    this.now += days * 24 * 60 * 60 * 1000;
  }

  /** Gives what would be done: `create csp`, nothing for what stays the same. Fails when a check or diff does. */
  async preview(program: Program, options: Options = {}): Promise<string[]> {
    const { decisions, failures } = await this.plan(program, options);
    assert.deepEqual(failures, []);
    return [...this.planned(program, decisions)];
  }

  async previewFails(program: Program): Promise<string> {
    const { failures } = await this.plan(program, {});
    assert.notDeepEqual(failures, [], "the preview was to fail");
    return failures.map(({ text }) => text).join("\n");
  }

  private async plan(program: Program, options: Options) {
    const process = this.process();
    if (options.refresh) await this.readAll(process);
    return this.decide(process, program, options);
  }

  async up(program: Program, options: Options = {}): Promise<void> {
    assert.deepEqual(await this.apply(program, options), []);
  }

  async upFails(program: Program, options: Options = {}): Promise<string> {
    const failures = await this.apply(program, options);
    assert.notDeepEqual(failures, [], "the up was to fail");
    return failures.map(({ text }) => text).join("\n");
  }

  /** For stories in which either may come: what failed, empty when nothing did or the machine died. */
  async tryUp(program: Program, options: Options = {}): Promise<string> {
    try {
      return (await this.apply(program, options)).map(({ text }) => text).join("\n");
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Clears the notes of failed changes, as the engine does. */
  async refresh({ death }: Pick<Options, "death"> = {}): Promise<void> {
    const process = this.process(death);
    await Promise.race([this.readAll(process), process.died]);
  }

  /** `refresh --preview-only --expect-no-changes`: what it would change. Records nothing. */
  async drift(): Promise<string[]> {
    const { provider } = this.process();
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
    return assert.fail("the destroy was to fail");
  }

  /** What `check` makes of a declaration of this resource: its inputs as they would be recorded. */
  async checked(name: string, declared: Properties): Promise<{ inputs: Properties }> {
    const before = this.state.get(name)?.inputs ?? {};
    return this.process()
      .provider(name)
      .check(before, { ...declared, __urn: urnOf(name) });
  }

  /** Outputs of a resource that has to be there. */
  outputs(name: string): Properties {
    const recorded = this.state.get(name);
    assert.ok(recorded, `${name} is not in the state`);
    return recorded.outputs;
  }

  private async readAll({ provider, isOver }: Process): Promise<void> {
    await Promise.all(
      [...this.state].map(async ([name, { id, outputs }]) => {
        const { inputs, props, id: found } = await provider(name).read(id, outputs);
        if (isOver()) return;
        if (found === "") this.state.delete(name);
        else this.state.set(name, { id, inputs, outputs: stored(props), hasInitErrors: false });
      }),
    );
  }

  private process(death?: Death): Process {
    this.warnings = [];
    this.progress = [];
    const { time, wire, random } = this.surroundings;
    const env = {
      PAGE_GUARD_BASE_URL: this.sim.url,
      PAGE_GUARD_API_TOKEN: this.sim.token,
      ...this.surroundings.env,
    };
    const life = mortal(death, wire?.());
    const transport = death || wire ? life.transport : undefined;
    const run: ConfigurableRun = {
      ...createRun({
        env,
        ...(random && { random }),
        now: time?.now ?? (() => this.now),
        // Who waits moves the clock on.
        sleep:
          time?.sleep ??
          (async (milliseconds) => {
            this.now += milliseconds;
          }),
        createClient: (connection) =>
          createClient(connection, {
            env,
            ...(time ? timeless(time, attemptMs) : { clock: mortalClock }),
            transport,
          }),
      }),
      warn: async (urn, text) => {
        this.warnings.push({ name: nameOf(urn), text });
      },
      progress: async (urn, text) => {
        this.progress.push({ name: nameOf(urn), text });
      },
    };
    const providers = new Map<unknown, ReturnType<typeof providerOf>>();
    const provider: Providers = (name) => {
      const kind = this.kindOf(name);
      const known = providers.get(kind) ?? providerOf(kind, run);
      providers.set(kind, known);
      return known;
    };
    return { ...life, provider };
  }

  private async apply(program: Program, options: Options): Promise<Said[]> {
    const process = this.process(options.death);
    const applied = this.applyBy(process, program, options);
    const mayBeOrphaned = options.death && "request" in options.death && options.death.side === "cli";
    if (mayBeOrphaned) this.orphans.push(applied.catch(() => undefined));
    return Promise.race([applied, process.died.then(() => [])]);
  }

  private async applyBy(process: Process, program: Program, options: Options): Promise<Said[]> {
    const failures: Said[] = [];
    if (options.refresh) await this.readAll(process);
    try {
      const decided = await this.decide(process, program, options, async (name, inputs, decision) => {
        try {
          await this.carryOut(process, name, inputs, decision, options);
        } catch (error) {
          if (error instanceof MachineDies) throw error;
          failures.push({ name, text: messageOf(error) });
        }
      });
      failures.push(...decided.failures);
    } catch (error) {
      if (error instanceof MachineDies) return [];
      throw error;
    }
    if (failures.length > 0) return failures;
    const gone = [...this.state].filter(([name]) => !Object.hasOwn(program, name)).reverse();
    const remove = async (name: string, { id, outputs }: Recorded, forget: () => void): Promise<void> => {
      if (process.isOver()) return;
      await process.provider(name).delete(id, outputs);
      process.stepDone();
      if (!process.isOver()) forget();
    };
    for (const old of [...this.pending])
      await remove(old.name, old, () => this.pending.splice(this.pending.indexOf(old), 1));
    for (const [name, old] of gone) await remove(name, old, () => this.state.delete(name));
    return [];
  }

  private async decide(
    { provider, isOver }: Process,
    program: Program,
    { replace = [], parallel = false }: Options,
    work: (name: string, inputs: Properties, decision: Decision) => Promise<void> = async () => undefined,
  ): Promise<{ decisions: Map<string, Decision>; failures: Said[] }> {
    const decisions = new Map<string, Decision>();
    const working: Promise<void>[] = [];
    const stop = async (name: string, text: string) => {
      await Promise.all(working);
      return { decisions, failures: [{ name, text }] };
    };
    for (const [name, declared] of Object.entries(program)) {
      if (isOver()) throw new MachineDies();
      const before = this.state.get(name);
      const news = { ...declared, __urn: urnOf(name) };
      const { inputs, failures } = await provider(name).check(before?.inputs ?? {}, news);
      if (failures.length > 0) return stop(name, failures.map(({ reason }) => reason).join("\n"));
      let decision: Decision = "create";
      try {
        if (before) decision = await this.compare(provider, name, before, inputs, replace.includes(name));
      } catch (error) {
        return stop(name, messageOf(error));
      }
      if (decision === "replace") {
        const again = await provider(name).check({}, news);
        if (again.failures.length > 0)
          return stop(name, again.failures.map(({ reason }) => reason).join("\n"));
      }
      decisions.set(name, decision);
      const done = work(name, inputs, decision);
      working.push(done);
      if (!parallel) await done;
    }
    await Promise.all(working);
    return { decisions, failures: [] };
  }

  private async compare(
    provider: Providers,
    name: string,
    { id, inputs: oldInputs, outputs, hasInitErrors }: Recorded,
    inputs: Properties,
    isForced: boolean,
  ): Promise<Decision> {
    const { changes, replaces = [] } = await provider(name).diff(id, outputs, inputs);
    if (isForced) return "replace";
    // Without a verdict the engine compares the inputs; where they are equal it never looks at `replaces`.
    const isChanged = changes ?? !isDeepStrictEqual(oldInputs, inputs);
    if (isChanged && replaces.length > 0) return "replace";
    return hasInitErrors || isChanged ? "update" : "same";
  }

  private async carryOut(
    { provider, isOver, stepDone }: Process,
    name: string,
    inputs: Properties,
    decision: Decision,
    { dieAfterCreating }: Options,
  ): Promise<void> {
    const before = this.state.get(name);
    const record = (id: string, outputs: unknown, hasInitErrors: boolean): void => {
      if (isOver()) throw new MachineDies();
      if (decision === "replace" && before) this.pending.push({ ...before, name });
      this.state.set(name, { id, inputs, outputs: stored(outputs), hasInitErrors });
    };
    if (decision === "same" && before) {
      this.state.set(name, { ...before, inputs });
      return;
    }
    try {
      if (decision === "update" && before) {
        const { outs } = await provider(name).update(before.id, before.outputs, inputs);
        stepDone();
        record(before.id, outs, false);
        return;
      }
      const { id, outs } = await provider(name).create(inputs);
      stepDone();
      if (dieAfterCreating?.name === name) {
        if (dieAfterCreating.recorded) record(id, outs, false);
        throw new MachineDies();
      }
      record(id, outs, false);
    } catch (error) {
      if (error instanceof PartialFailure) record(error.id, error.properties, true);
      throw error;
    }
  }

  private *planned(program: Program, decisions: ReadonlyMap<string, Decision>): Iterable<string> {
    for (const [name, decision] of decisions) if (decision !== "same") yield `${decision} ${name}`;
    for (const name of this.state.keys()) if (!Object.hasOwn(program, name)) yield `delete ${name}`;
  }
}

/** The SDK's interface, in which every method is optional, as one that has them all. */
function providerOf<Inputs, State extends object>(kind: Kind<Inputs, State>, run: ConfigurableRun) {
  const provider = dynamicProvider(() => kind, run);
  const there = <Method>(method: Method | undefined): Method => {
    assert.ok(method, "a method of the provider is missing");
    return method;
  };
  return {
    check: async (olds: Properties, news: Properties) => {
      const { inputs, failures = [] } = await there(provider.check)(olds, news);
      return { inputs: Object(inputs) as Properties, failures };
    },
    diff: there(provider.diff),
    create: there(provider.create),
    read: there(provider.read),
    update: there(provider.update),
    delete: there(provider.delete),
  };
}

/** Outputs go through the checkpoint: only what JSON can say comes back. */
function stored(outputs: unknown): Properties {
  const text = JSON.stringify(outputs);
  assert.deepEqual(
    JSON.parse(text),
    outputs,
    "a state holds undefined or something else that JSON cannot say",
  );
  return JSON.parse(text);
}

function urnOf(name: string): string {
  return `urn:pulumi:dev::story::pulumi-nodejs:dynamic/page-guard:Kind::${name}`;
}

function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
