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
import { type Death, mortal, timeless } from "./mortal";

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
  /** The machine dies at one of the requests: nothing of what was under way is recorded. */
  readonly death?: Death | undefined;
}

/** What one resource needs in an operation. */
type Decision = "same" | "create" | "update" | "replace";

type Provider = ReturnType<typeof providerOf>;

/** Thrown when the machine dies. */
class MachineDies extends Error {}

/** Real milliseconds that an attempt may take in a story with virtual time. */
const attemptMs = 2000;

/**
 * The engine around one kind of resource, in the order that was measured on the real one: check and diff one by one,
 * a second check before a replacement, creates and updates, then deletes. Each operation is a provider process of its
 * own, so nothing but the checkpoint is remembered.
 */
export class SmallEngine<Inputs, State extends object> {
  /** The checkpoint: name to resource. */
  readonly state = new Map<string, Recorded>();
  /** Replaced objects whose deletion is still to come. */
  readonly pending: Recorded[] = [];
  /** Warnings of the last operation. */
  warnings: Said[] = [];
  /** What the last operation told besides: plans, and what is waited for. */
  progress: Said[] = [];
  /** The clock of provider processes, milliseconds since 1970. */
  now = Date.parse("2024-02-01T00:00:00.000Z");

  constructor(
    private readonly sim: Simulator,
    private readonly kind: Kind<Inputs, State>,
    /** Added to the environment of each process. */
    private readonly env: NodeJS.ProcessEnv = {},
    /** Given: waits between attempts cost nothing. */
    private readonly time?: VirtualTime,
  ) {}

  passDays(days: number): void {
    this.now += days * 24 * 60 * 60 * 1000;
  }

  /** Gives what would be done: `create csp`, nothing for what stays the same. Fails when a check or diff does. */
  async preview(program: Program, options: Options = {}): Promise<string[]> {
    const provider = this.process();
    if (options.refresh) await this.readAll(provider);
    const { decisions, failures } = await this.decide(provider, program, options);
    assert.deepEqual(failures, []);
    return [...this.planned(program, decisions)];
  }

  async previewFails(program: Program): Promise<string> {
    const { failures } = await this.decide(this.process(), program, {});
    assert.notDeepEqual(failures, [], "the preview was to fail");
    return failures.map(({ text }) => text).join("\n");
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
    const { transport, died } = mortal(death);
    await Promise.race([this.readAll(this.process(transport)), died]);
  }

  /** `refresh --preview-only --expect-no-changes`: what it would change. Records nothing. */
  async drift(): Promise<string[]> {
    const provider = this.process();
    const drifted: string[] = [];
    for (const [name, { id, inputs: before, outputs }] of this.state) {
      const { inputs, props, id: found } = await provider.read(id, outputs);
      const { changes } = found === "" ? { changes: true } : await provider.diff(id, stored(props), before);
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
    return this.process().check(before, { ...declared, __urn: urnOf(name) });
  }

  /** Outputs of a resource that has to be there. */
  outputs(name: string): Properties {
    const recorded = this.state.get(name);
    assert.ok(recorded, `${name} is not in the state`);
    return recorded.outputs;
  }

  private async readAll(provider: Provider): Promise<void> {
    await Promise.all(
      [...this.state].map(async ([name, { id, outputs }]) => {
        const { inputs, props, id: found } = await provider.read(id, outputs);
        if (found === "") this.state.delete(name);
        else this.state.set(name, { id, inputs, outputs: stored(props), hasInitErrors: false });
      }),
    );
  }

  private process(transport?: Transport): Provider {
    this.warnings = [];
    this.progress = [];
    const env = { PAGE_GUARD_BASE_URL: this.sim.url, PAGE_GUARD_API_TOKEN: this.sim.token, ...this.env };
    const run: ConfigurableRun = {
      ...createRun({
        env,
        now: () => this.now,
        // Who waits moves the clock on.
        sleep: async (milliseconds) => {
          this.now += milliseconds;
        },
        createClient: (connection) =>
          createClient(connection, { env, ...(this.time && timeless(this.time, attemptMs)), transport }),
      }),
      warn: async (urn, text) => {
        this.warnings.push({ name: nameOf(urn), text });
      },
      progress: async (urn, text) => {
        this.progress.push({ name: nameOf(urn), text });
      },
    };
    return providerOf(this.kind, run);
  }

  private async apply(program: Program, options: Options): Promise<Said[]> {
    const { transport, died } = mortal(options.death);
    const provider = this.process(options.death && transport);
    return Promise.race([this.applyBy(provider, program, options), died.then(() => [])]);
  }

  private async applyBy(provider: Provider, program: Program, options: Options): Promise<Said[]> {
    const failures: Said[] = [];
    if (options.refresh) await this.readAll(provider);
    try {
      const decided = await this.decide(provider, program, options, async (name, inputs, decision) => {
        try {
          await this.carryOut(provider, name, inputs, decision, options);
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
    for (const old of [...this.pending]) {
      await provider.delete(old.id, old.outputs);
      this.pending.splice(this.pending.indexOf(old), 1);
    }
    for (const [name, { id, outputs }] of gone) {
      await provider.delete(id, outputs);
      this.state.delete(name);
    }
    return [];
  }

  private async decide(
    provider: Provider,
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
      const before = this.state.get(name);
      const news = { ...declared, __urn: urnOf(name) };
      const { inputs, failures } = await provider.check(before?.inputs ?? {}, news);
      if (failures.length > 0) return stop(name, failures.map(({ reason }) => reason).join("\n"));
      let decision: Decision = "create";
      try {
        if (before) decision = await this.compare(provider, before, inputs, replace.includes(name));
      } catch (error) {
        return stop(name, messageOf(error));
      }
      if (decision === "replace") {
        const again = await provider.check({}, news);
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
    provider: Provider,
    { id, inputs: oldInputs, outputs, hasInitErrors }: Recorded,
    inputs: Properties,
    isForced: boolean,
  ): Promise<Decision> {
    const { changes, replaces = [] } = await provider.diff(id, outputs, inputs);
    if (isForced) return "replace";
    // Without a verdict the engine compares the inputs; where they are equal it never looks at `replaces`.
    const isChanged = changes ?? !isDeepStrictEqual(oldInputs, inputs);
    if (isChanged && replaces.length > 0) return "replace";
    return hasInitErrors || isChanged ? "update" : "same";
  }

  private async carryOut(
    provider: Provider,
    name: string,
    inputs: Properties,
    decision: Decision,
    { dieAfterCreating }: Options,
  ): Promise<void> {
    const before = this.state.get(name);
    const record = (id: string, outputs: unknown, hasInitErrors: boolean): void => {
      if (decision === "replace" && before) this.pending.push(before);
      this.state.set(name, { id, inputs, outputs: stored(outputs), hasInitErrors });
    };
    if (decision === "same" && before) {
      this.state.set(name, { ...before, inputs });
      return;
    }
    try {
      if (decision === "update" && before) {
        const { outs } = await provider.update(before.id, before.outputs, inputs);
        record(before.id, outs, false);
        return;
      }
      const { id, outs } = await provider.create(inputs);
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
