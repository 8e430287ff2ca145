import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import type { Declared, Options as DeclaredOptions } from "../../engine/real-engine/declaration";
import { changesOf, readPreview } from "../../engine/real-engine/preview";
import type { Stack as EngineStack } from "../../engine/real-engine/stack";
import type { Backup, Recorded } from "../../provider/small-engine/checkpoint";
import type { Death } from "../../provider/small-engine/mortal";
import type { Options, Program } from "../../provider/small-engine/operation";
import type { Said } from "../../provider/small-engine/provider-process";
import type { Stack } from "../world/machine";

/** Kinds by the first letter of a resource's name. */
const kinds: Readonly<Record<string, Declared["kind"]>> = {
  s: "PageGuardSettings",
  p: "CspPolicy",
  t: "CspPolicySet",
  e: "ManagedWafEntrypoint",
};

/** A stack of the real engine for a world: each operation runs the CLI, and each death is a SIGKILL. */
export class RealStack implements Stack {
  readonly progress: readonly Said[] = [];
  private readonly files = new WeakMap<Backup, string>();
  private readonly empty: string;
  private isLocked = false;

  constructor(private readonly stack: EngineStack) {
    this.empty = readFileSync(stack.checkpoint, "utf8");
  }

  /** All output so far, in place of the warnings, because the token must not be in any output. */
  get warnings(): readonly Said[] {
    return [{ name: "", text: this.stack.said }];
  }

  get state(): ReadonlyMap<string, Recorded> {
    return new Map(this.backup().state);
  }

  backup(): Backup {
    const all = this.stack.resources().map(({ urn, id, inputs, outputs, initErrors, ...rest }) => ({
      name: urn.split("::").at(-1) ?? "",
      isPending: rest.delete === true,
      recorded: { id, inputs, outputs: outputs ?? {}, hasInitErrors: initErrors !== undefined },
    }));
    const backup: Backup = {
      state: all.flatMap(({ name, isPending, recorded }) => (isPending ? [] : [[name, recorded] as const])),
      pending: all.flatMap(({ name, isPending, recorded }) => (isPending ? [{ name, ...recorded }] : [])),
    };
    this.files.set(backup, readFileSync(this.stack.checkpoint, "utf8"));
    return backup;
  }

  restore(backup: Backup): void {
    writeFileSync(this.stack.checkpoint, this.files.get(backup) ?? this.empty);
  }

  forget(): void {
    assert.fail("only migrations are removed from the state, and none is played here");
  }

  async tryUp(
    program: Program,
    {
      refresh = false,
      replace = [],
      replaceOnChanges = [],
      deleteBeforeReplace = [],
      death,
    }: Omit<Options, "dieAfterCreating"> = {},
  ): Promise<string> {
    this.declare(program, (name) => ({
      ...(replaceOnChanges.includes(name) && { replaceOnChanges: ["*"] }),
      ...(deleteBeforeReplace.includes(name) && { deleteBeforeReplace: true }),
    }));
    const urns = Object.fromEntries(this.stack.resources().map(({ urn }) => [urn.split("::").at(-1), urn]));
    const replaced = replace.flatMap((name) => ["--replace", urns[name] ?? ""]);
    return this.operate(["up", ...(refresh ? ["--refresh"] : []), ...replaced], death);
  }

  async refresh({ death }: Pick<Options, "death"> = {}): Promise<void> {
    const failure = await this.operate(["refresh", "--clear-pending-creates"], death);
    if (failure !== "") throw new Error(failure);
  }

  async preview(program: Program): Promise<readonly string[]> {
    await this.unlock();
    this.declare(program);
    const ended = await this.stack.run("preview", "--json");
    if (ended.code !== 0) throw new Error(ended.output);
    return changesOf(readPreview(ended));
  }

  async drift(): Promise<readonly string[]> {
    const { code, output } = await this.stack.run("refresh", "--preview-only", "--expect-no-changes");
    return code === 0 ? [] : [output];
  }

  async orphansEnded(): Promise<void> {
    if (this.isLocked) await this.stack.letOrphansFinish();
    await this.unlock();
  }

  private async operate([command = "", ...flags]: readonly string[], death: Death | undefined) {
    await this.unlock();
    const takeBack = death ? this.dieAt(death) : () => undefined;
    const { code, output } = await this.stack.run(command, "--yes", "--skip-preview", ...flags);
    takeBack();
    this.isLocked = code === null;
    return code === 0 || code === null ? "" : output;
  }

  /** Removes the lock of a CLI that has died. */
  private async unlock(): Promise<void> {
    if (!this.isLocked) return;
    this.isLocked = false;
    await this.stack.run("cancel", "--yes");
  }

  /** Kills processes at a request. No request marks the time between two steps, so then only the provider dies. */
  private dieAt(death: Death): () => void {
    if ("step" in death) return this.stack.killAt("provider", { at: "processed", skip: 2 * death.step });
    const skip = death.request;
    if (death.side === "cli") return this.stack.killAt("cli", { at: "arrival", skip });
    return this.stack.killAt("all", { at: death.side === "before" ? "arrival" : "processed", skip });
  }

  private declare(program: Program, optionsOf: (name: string) => DeclaredOptions = () => ({})): void {
    const declared = Object.entries(program).map(([name, args]): [string, Declared] => {
      const kind = kinds[name.charAt(0)];
      assert.ok(kind, `${name} can't be played on the real engine`);
      return [name, { kind, args, options: optionsOf(name) }];
    });
    this.stack.declare(Object.fromEntries(declared));
  }
}
