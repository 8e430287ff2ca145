import type { JournalEntry, Simulator } from "../../../simulator/src";
import type { Backup, Recorded } from "../../provider/small-engine/checkpoint";
import type { Options, Program } from "../../provider/small-engine/operation";
import type { Said } from "../../provider/small-engine/provider-process";

/** An engine and its checkpoint, as far as a world works with them. */
export interface Stack {
  readonly state: ReadonlyMap<string, Recorded>;
  /** Of the last operation. */
  readonly warnings: readonly Said[];
  readonly progress: readonly Said[];
  backup(): Backup;
  restore(backup: Backup): void;
  /** Takes a resource off the checkpoint, and nothing else: `pulumi state delete`. */
  forget(name: string): void;
  /** What failed, empty when nothing did or the machine died. */
  tryUp(program: Program, options?: Omit<Options, "dieAfterCreating">): Promise<string>;
  refresh(options?: Pick<Options, "death">): Promise<void>;
  preview(program: Program): Promise<readonly string[]>;
  /** What a refresh would change. */
  drift(): Promise<readonly string[]>;
  /** Until whatever works on unseen has ended. */
  orphansEnded(): Promise<void>;
}

/** What sees each request on its way. */
export interface Watch {
  /** It has arrived and was not looked at yet. */
  arrived(entry: JournalEntry): void;
  /** It was carried out, and its answer is not on its way yet. */
  processed(entry: JournalEntry): void;
}

/** A service and what works on it. */
export interface Machine {
  readonly sim: Simulator;
  readonly stack: Stack;
  watch(watch: Watch): void;
  /** Lets time pass, where it is not the machine's own. */
  pass(milliseconds: number): void;
}
