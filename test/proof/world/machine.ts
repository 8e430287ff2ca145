import type { JournalEntry, Simulator } from "../../../simulator/src";
import type { Backup, Recorded } from "../../provider/small-engine/checkpoint";
import type { Options, Program } from "../../provider/small-engine/operation";
import type { Said } from "../../provider/small-engine/provider-process";

/** The operations of an engine and its checkpoint that a world uses. */
export interface Stack {
  readonly state: ReadonlyMap<string, Recorded>;
  /** Warnings of the last operation. */
  readonly warnings: readonly Said[];
  readonly progress: readonly Said[];
  backup(): Backup;
  restore(backup: Backup): void;
  /** Only removes a resource from the checkpoint: `pulumi state delete`. */
  forget(name: string): void;
  /** Runs an update. Returns the message of its failure; empty if it succeeded or the machine died. */
  tryUp(program: Program, options?: Omit<Options, "dieAfterCreating">): Promise<string>;
  refresh(options?: Pick<Options, "death">): Promise<void>;
  preview(program: Program): Promise<readonly string[]>;
  /** Returns the changes that a refresh would record. */
  drift(): Promise<readonly string[]>;
  /** Waits until all processes have ended whose CLI has died. */
  orphansEnded(): Promise<void>;
}

/** Observer of each request. */
export interface Watch {
  /** Called when a request has arrived and is not processed yet. */
  arrived(entry: JournalEntry): void;
  /** Called when a request was carried out and its answer is not sent yet. */
  processed(entry: JournalEntry): void;
}

/** A service and a stack that works on it. */
export interface Machine {
  readonly sim: Simulator;
  readonly stack: Stack;
  watch(watch: Watch): void;
  /** Returns the operations that a preview with `--replace` and `replaceOnChanges` shows. Absent on the real engine. */
  foresee?(
    program: Program,
    options: Pick<Options, "replace" | "replaceOnChanges">,
  ): Promise<readonly string[]>;
  /** Advances simulated time. Does nothing on a machine with real time. */
  pass(milliseconds: number): void;
}
