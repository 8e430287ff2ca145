import { isDeepStrictEqual } from "node:util";
import { PartialFailureError } from "../../../provider/src/lifecycle/partial-failure-error";
import { type Checkpoint, type Properties, type Recorded, stored, urnOf } from "./checkpoint";
import type { Death } from "./mortal";
import type { ProviderProcess, Said } from "./provider-process";

/** Name in the program to inputs, in the order of the program. */
export type Program = Readonly<Record<string, Properties>>;

export interface Options {
  /** The machine dies when this resource was created: `recorded` or not yet, and nothing comes after it. */
  readonly dieAfterCreating?: { readonly name: string; readonly recorded: boolean };
  /** `--replace`: the engine does not show the provider what is on record of these, neither to check nor to compare. */
  readonly replace?: readonly string[];
  /** `replaceOnChanges: ["*"]` of these: where an input differs, or a change has failed, it is a replacement. */
  readonly replaceOnChanges?: readonly string[];
  /** `deleteBeforeReplace` of these: what is replaced is deleted before its successor is made. */
  readonly deleteBeforeReplace?: readonly string[];
  /** Creates and updates all at once, as the engine does; otherwise one after the other. */
  readonly parallel?: boolean;
  /** `--refresh`: the state is read first, by the same process. */
  readonly refresh?: boolean;
  /** What the program only reads before it declares anything (`get`, or the option `id`): name to id and what it gives as state. */
  readonly reads?: Readonly<Record<string, { readonly id: string; readonly state: Properties }>>;
  /** Nothing of what was under way is recorded. */
  readonly death?: Death | undefined;
}

/** What one resource needs in an operation. */
type Decision = "same" | "create" | "update" | "replace";

interface Decided {
  readonly decisions: Map<string, Decision>;
  readonly failures: Said[];
}

/** Thrown when the machine dies. */
class MachineDies extends Error {}

/** What one process does with a checkpoint. */
export class Operation {
  constructor(
    private readonly process: ProviderProcess,
    private readonly checkpoint: Checkpoint,
  ) {}

  /** All at once. Where one fails the others are waited for: the process ends with the last of them. */
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

  /** What would be done: `create csp`, nothing for what stays the same. */
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

  /** Gives what failed; then nothing is deleted. */
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
    if (failures.length === 0) await this.removeWhatIsNotDeclared(program);
    return failures;
  }

  private undeclared(program: Program): [string, Recorded][] {
    return [...this.checkpoint.state].filter(([name]) => !Object.hasOwn(program, name));
  }

  private async removeWhatIsNotDeclared(program: Program): Promise<void> {
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

  /** Check and diff one by one, a second check before a replacement; `work` begins as soon as its turn has come. */
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
        // A provider whose CLI has died ends what is under way.
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
      // Whoever waits for all of them gets it; until then it is not nobody's.
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
    // Without a verdict the engine compares the inputs; where they are equal it never looks at `replaces`.
    const isChanged = changes ?? !isDeepStrictEqual(oldInputs, inputs);
    // A verdict names no input that differs.
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

/** Until the last of them has ended, whatever became of it; then the first failure, where there is one. */
async function allOf(working: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(working);
  await Promise.all(working);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
