import assert from "node:assert/strict";

export type Properties = Readonly<Record<string, unknown>>;

/** A resource in the checkpoint. */
export interface Recorded {
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** Whether the engine noted a failed change. */
  readonly hasInitErrors: boolean;
  /** Whether it was deleted first (`deleteBeforeReplace`) and its replacement is not created yet. */
  readonly isPendingReplacement?: true;
}

/** A replaced object that is not deleted yet. */
export interface Pending extends Recorded {
  readonly name: string;
}

/** A checkpoint at one moment. */
export interface Backup {
  readonly state: readonly (readonly [string, Recorded])[];
  readonly pending: readonly Pending[];
}

/** Everything that one process passes to the next. */
export class Checkpoint {
  /** Name to resource. */
  readonly state = new Map<string, Recorded>();
  readonly pending: Pending[] = [];

  backup(): Backup {
    return { state: [...this.state], pending: [...this.pending] };
  }

  restore({ state, pending }: Backup): void {
    this.state.clear();
    for (const [name, recorded] of state) this.state.set(name, recorded);
    this.pending.splice(0, this.pending.length, ...pending);
  }
}

/** Returns outputs as the checkpoint stores them. Asserts that JSON can represent them. */
export function stored(outputs: unknown): Properties {
  const text = JSON.stringify(outputs);
  assert.deepEqual(
    JSON.parse(text),
    outputs,
    "the state contains undefined or another value that JSON cannot represent",
  );
  return JSON.parse(text);
}

export function urnOf(name: string): string {
  return `urn:pulumi:dev::story::pulumi-nodejs:dynamic/page-guard:Kind::${name}`;
}

export function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}
