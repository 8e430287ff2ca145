import type { ZonePart } from "../functions/read-zone";
import type { EffectsOf, ObjectKind, TakesOthers } from "../model/effect";
import type { Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import type { Draft, Schemas } from "./draft";
import type { Run } from "./run";

/** A resource as a program declares it; what is not known yet is the unknown value. */
export interface DeclaredResource {
  readonly kind: string;
  readonly object: InZone["object"];
  readonly name: string;
  readonly args: Properties;
}

interface ReadResult<State> {
  /** Live values under the names that the program uses: without them a refresh sees no drift. */
  readonly inputs: Properties;
  readonly state: State;
  /** Something differs from the state that no input shows: a refresh reports it as a change. */
  readonly hasDrifted?: boolean;
}

/** An object as the state has it, or is to have it. */
export interface Recorded<State> {
  readonly id: string;
  readonly state: State;
}

/** An object of the state as it is compared with the program. */
interface Compared<State> extends Recorded<State> {
  /** The inputs of the last update. */
  readonly inputs: Properties;
  /** Known already that it will be updated: an input differs, or the last update failed halfway. */
  readonly isDue: boolean;
}

/** What prevents a resource from having its object in this run. */
interface Claim {
  /** Resources that can't be declared beside this one. */
  readonly rivals?: readonly Finding[];
  /** Another resource of this run has the object: this one is replaced. */
  readonly lost?: Finding | undefined;
}

export interface Plan {
  readonly findings: readonly Finding[];
  /** The object is not as it should be although no input differs. */
  readonly needsUpdate: boolean;
}

export const nothingToDo: Plan = { findings: [], needsUpdate: false };

/** A policy that a resource declares, as its state has it. */
interface PolicyInZone {
  /** Prefix of its arguments: empty, or `policies.checkout.` in a set. */
  readonly path: string;
  readonly policyId: string;
  readonly args: Properties;
}

/** What a kind of resource has in its zone. `apply` compares it, `drift` compares it and counts it as declared. */
interface InZone {
  readonly object: ObjectKind;
  /** The policies of a recorded resource. Its inputs may hold values that are secret. */
  policies?(id: string, inputs: Properties, outputs: Properties): readonly PolicyInZone[];
  readonly effects?: EffectsOf;
  /** Absent for a kind that never does so. */
  readonly takesOthers?: TakesOthers;
}

/**
 * A kind of resource: the decisions and effects that are its own. What all kinds share (unknown values, error
 * texts, old state, who owns what in this run) is in `dynamic-provider.ts`.
 */
export interface Kind<Inputs, State> extends Schemas<Inputs, State> {
  readonly name: string;
  /** Inputs whose change makes another object: the resource is replaced. */
  readonly replacedBy: readonly string[];
  /** Outputs of the resource, each with the inputs that it repeats under another name. An output is secret if one of its inputs is. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  /** Parts of a zone that it changes: what an approval compares. */
  readonly parts: readonly ZonePart[];
  /** A zone has at most one of these: two resources for one zone are refused. */
  readonly onePerZone: boolean;
  readonly inZone: InZone;
  /** What it does can't be undone: inputs that a policy pack changed after their check are refused. */
  readonly refusesRemediation?: true;

  /**
   * Rules over several inputs, and lint. No request; any input may still be unknown. `errors`: warnings are not
   * wanted, because the program has shown them.
   */
  inspect?(draft: Draft<Inputs>, wanted: "all" | "errors"): readonly Finding[];
  /** What prevents it beside others that a program declares in one go, for what the program itself can see of both. */
  rivals?(values: Properties, name: string, beside: readonly DeclaredResource[]): readonly Finding[];
  /** What is declared, in the words of the recorded inputs where they mean the same: so a preview shows what differs. */
  inRecordedWords?(recorded: Properties | undefined, declared: Properties): Properties;
  /** Names of the inputs whose meaning differs between the state and what is declared now. */
  changedInputs(state: State, draft: Draft<Inputs>): readonly string[];

  /**
   * Notes for the rest of this run what the resource has: an object, or none yet. `isReplaced`: it has one, and is to make
   * room for another of the same resource. No request.
   */
  claim?(run: Run, draft: Draft<Inputs>, recorded?: Recorded<State>, isReplaced?: boolean): Claim;
  /**
   * What creating it, or updating what is `recorded`, would do, and what prevents that. It may ask the API, in every
   * preview and `up`; never in a refresh. `replaced`: see `create`.
   */
  plan(run: Run, draft: Draft<Inputs>, recorded?: Compared<State>, replaced?: State): Promise<Plan>;

  /**
   * `urn` is empty where the engine does not tell it. `replaced`: what the resource had in the same zone before; with `--replace` the
   * engine shows it to no one.
   */
  create(run: Run, inputs: Inputs, urn: string, replaced?: State): Promise<Recorded<State>>;
  /**
   * Undefined: it is gone, and the API has said so clearly. `isRecorded`: not what a program only reads (`get`), which has no
   * state of its own to keep anything in.
   */
  read(run: Run, id: string, state: State, isRecorded: boolean): Promise<ReadResult<State> | undefined>;
  update(run: Run, id: string, state: State, inputs: Inputs, urn: string): Promise<State>;
  /** `urn` may be of an older name: the engine tells none, it is the one in the state. */
  delete(run: Run, id: string, state: State, urn: string): Promise<void>;
}
