import assert from "node:assert/strict";

export type Properties = Readonly<Record<string, unknown>>;

/** A resource as the checkpoint holds it. */
export interface Recorded {
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  /** The engine's note of a failed change. */
  readonly hasInitErrors: boolean;
  /** It was deleted first (`deleteBeforeReplace`), and what takes its place is not made yet. */
  readonly isPendingReplacement?: true;
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

/** All that one process tells the next. */
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

/** Outputs go through the checkpoint: only what JSON can say comes back. */
export function stored(outputs: unknown): Properties {
  const text = JSON.stringify(outputs);
  assert.deepEqual(
    JSON.parse(text),
    outputs,
    "a state holds undefined or something else that JSON cannot say",
  );
  return JSON.parse(text);
}

export function urnOf(name: string): string {
  return `urn:pulumi:dev::story::pulumi-nodejs:dynamic/page-guard:Kind::${name}`;
}

export function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}
