import { isDeepStrictEqual } from "node:util";
import { PartialFailureError } from "../../../provider/src/lifecycle/partial-failure-error";
import { type Checkpoint, type Properties, type Recorded, stored, urnOf } from "./checkpoint";
import type { Death } from "./mortal";
import type { ProviderProcess, Said } from "./provider-process";

/** Resource names and inputs, in the order of the program. */
export type Program = Readonly<Record<string, Properties>>;

export interface Options {
  /** The machine dies after this resource was created; `recorded`: whether the checkpoint contains it. */
  readonly dieAfterCreating?: { readonly name: string; readonly recorded: boolean };
  /** `--replace` of these resources: the engine passes their state neither to check nor to diff. */
  readonly replace?: readonly string[];
  /** `replaceOnChanges: ["*"]` of these resources: a changed input or a failed change replaces them. */
  readonly replaceOnChanges?: readonly string[];
  /** `deleteBeforeReplace` of these resources: the old object is deleted before the new one is created. */
  readonly deleteBeforeReplace?: readonly string[];
  /** Whether creates and updates run all at once, as in the engine, or one after the other. */
  readonly parallel?: boolean;
  /** `--refresh`: the same process reads the state first. */
  readonly refresh?: boolean;
  /** Resources that the program reads first (`get`, or the option `id`), by name, with their ids and the state that it passes. */
  readonly reads?: Readonly<Record<string, { readonly id: string; readonly state: Properties }>>;
  /** The checkpoint contains nothing of what was under way at that moment. */
  readonly death?: Death | undefined;
  /** Path of the file with the approved inputs, which `page-guard apply` gives to the provider. */
  readonly approval?: string | undefined;
}

/** Operation on one resource. */
type Decision = "same" | "create" | "update" | "replace";

interface Decided {
  readonly decisions: Map<string, Decision>;
  readonly failures: Said[];
}

/** Thrown when the machine dies. */
class MachineDies extends Error {}

/** The work of one process on a checkpoint. */
export class Operation {
  constructor(
    private readonly process: ProviderProcess,
    private readonly checkpoint: Checkpoint,
  ) {}

  /** Reads all resources at once. If one fails, it still waits for the others: the process ends with the last one. */
  async readAll(): Promise<void> {
    const { state } = this.checkpoint;
    const { provider, isOver } = this.process;
    const reads = [...state].map(async ([name, { id, outputs, isPendingReplacement }]) => {
      if (isPendingReplacement) return;
      const { inputs, props, id: found } = await provider(name).read(id, outputs);
      if (isOver()) return;
      if (found === "") state.delete(name);
      else state.set(name, { id, inputs, outputs: stored(props), hasInitErrors: false });
    });
    await allOf(reads);
  }

  /** Returns the planned operations, such as `create csp`, without unchanged resources. */
  async plan(program: Program, options: Options): Promise<{ planned: string[]; failures: Said[] }> {
    if (options.refresh) await this.readAll();
    const { decisions, failures } = await this.decide(program, options);
    const changed = [...decisions].filter(([, decision]) => decision !== "same");
    return {
      planned: [
        ...changed.map(([name, decision]) => `${decision} ${name}`),
        ...this.undeclared(program).map(([name]) => `delete ${name}`),
      ],
      failures,
    };
  }

  /** Applies the program and returns the failures. After a failure it deletes nothing. */
  async apply(program: Program, options: Options): Promise<Said[]> {
    if (options.refresh) await this.readAll();
    const failures: Said[] = [];
    try {
      const decided = await this.decide(program, options, async (name, inputs, decision) => {
        try {
          await this.carryOut(name, inputs, decision, options);
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
    if (failures.length === 0) await this.removeUndeclared(program);
    return failures;
  }

  private undeclared(program: Program): [string, Recorded][] {
    return [...this.checkpoint.state].filter(([name]) => !Object.hasOwn(program, name));
  }

  private async removeUndeclared(program: Program): Promise<void> {
    const { state, pending } = this.checkpoint;
    const gone = this.undeclared(program).reverse();
    for (const old of [...pending])
      await this.remove(old.name, old, () => pending.splice(pending.indexOf(old), 1));
    for (const [name, old] of gone) await this.remove(name, old, () => state.delete(name));
  }

  private async remove(name: string, old: Recorded, forget: () => void): Promise<void> {
    const { provider, isOver, stepDone } = this.process;
    if (isOver()) return;
    if (!old.isPendingReplacement) {
      await provider(name).delete(old.id, old.outputs);
      stepDone();
    }
    if (!isOver()) forget();
  }

  /** Checks and compares one by one, with a second check before a replacement. Starts `work` after each decision. */
  private async decide(
    program: Program,
    { replace = [], replaceOnChanges = [], parallel = false, reads = {} }: Options,
    work: (name: string, inputs: Properties, decision: Decision) => Promise<void> = async () => undefined,
  ): Promise<Decided> {
    const { provider, isOver } = this.process;
    const decisions = new Map<string, Decision>();
    const working: Promise<void>[] = [];
    const stop = async (name: string, text: string): Promise<Decided> => {
      await allOf(working);
      return { decisions, failures: [{ name, text }] };
    };
    for (const [name, { id, state }] of Object.entries(reads))
      await provider(name).read(id, { ...state, __urn: urnOf(name) });
    for (const [name, declared] of Object.entries(program)) {
      if (isOver()) {
        // A provider whose CLI has died finishes the work under way.
        await allOf(working);
        throw new MachineDies();
      }
      const before = this.checkpoint.state.get(name);
      const news = { ...declared, __urn: urnOf(name) };
      const isForced = before !== undefined && replace.includes(name);
      const { inputs, failures } = await provider(name).check((!isForced && before?.inputs) || {}, news);
      if (failures.length > 0) return stop(name, failures.map(({ reason }) => reason).join("\n"));
      let decision: Decision = "create";
      try {
        if (isForced) decision = "replace";
        else if (before) decision = await this.compare(name, before, inputs, replaceOnChanges.includes(name));
      } catch (error) {
        return stop(name, messageOf(error));
      }
      if (decision === "replace" && !isForced) {
        const again = await provider(name).check({}, news);
        if (again.failures.length > 0)
          return stop(name, again.failures.map(({ reason }) => reason).join("\n"));
      }
      decisions.set(name, decision);
      const done = work(name, inputs, decision);
      working.push(done);
      // `allOf` reports the failure later. Without this handler, it would be an unhandled rejection until then.
      done.catch(() => undefined);
      if (!parallel) await done;
    }
    await allOf(working);
    return { decisions, failures: [] };
  }

  private async compare(
    name: string,
    { id, inputs: oldInputs, outputs, hasInitErrors, isPendingReplacement }: Recorded,
    inputs: Properties,
    isReplacedOnChanges: boolean,
  ): Promise<Decision> {
    const { changes, replaces = [] } = await this.process.provider(name).diff(id, outputs, inputs);
    // Without `changes`, the engine compares the inputs. If they are equal, it ignores `replaces`.
    const isChanged = changes ?? !isDeepStrictEqual(oldInputs, inputs);
    // With `changes`, the answer names no changed input.
    const isReplacedByChange = isReplacedOnChanges && (hasInitErrors || changes === undefined);
    if (isPendingReplacement || (isChanged && replaces.length > 0)) return "replace";
    if (isReplacedByChange && (isChanged || hasInitErrors)) return "replace";
    return hasInitErrors || isChanged ? "update" : "same";
  }

  private async carryOut(
    name: string,
    inputs: Properties,
    decision: Decision,
    { dieAfterCreating, deleteBeforeReplace = [] }: Options,
  ): Promise<void> {
    const { state, pending } = this.checkpoint;
    const { provider, isOver, stepDone } = this.process;
    const before = state.get(name);
    const isDeletedFirst = decision === "replace" && deleteBeforeReplace.includes(name);
    const record = (id: string, outputs: unknown, hasInitErrors: boolean): void => {
      if (isOver()) throw new MachineDies();
      if (decision === "replace" && before && !isDeletedFirst) pending.push({ ...before, name });
      state.set(name, { id, inputs, outputs: stored(outputs), hasInitErrors });
    };
    if (decision === "same" && before) {
      state.set(name, { ...before, inputs });
      return;
    }
    if (isDeletedFirst && before) {
      await this.remove(name, before, () => state.set(name, { ...before, isPendingReplacement: true }));
      if (isOver()) throw new MachineDies();
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
      if (error instanceof PartialFailureError) record(error.id, error.properties, true);
      throw error;
    }
  }
}

/** Waits for all, also after failures, and then throws the first failure. */
async function allOf(working: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(working);
  await Promise.all(working);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
