import type { ZonePart } from "../functions/read-zone";
import type { EffectsOf, ObjectKind, TakesOthers } from "../model/effect";
import type { Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import type { Draft, Schemas } from "./draft";
import type { Run } from "./run";

/** A resource as declared; values that are unknown before the update are the unknown value. */
export interface DeclaredResource {
  readonly kind: string;
  readonly object: InZone["object"];
  readonly name: string;
  readonly args: Properties;
}

interface ReadResult<State> {
  /** Live values under the program's names. A refresh finds drift in them. */
  readonly inputs: Properties;
  readonly state: State;
  /** Whether something differs from the state that no input shows. A refresh reports it as a change. */
  readonly hasDrifted?: boolean;
}

/** An object in the state, or a new one that is to be recorded there. */
export interface Recorded<State> {
  readonly id: string;
  readonly state: State;
}

/** An object in the state that is being compared with the program. */
interface Compared<State> extends Recorded<State> {
  /** Inputs of the last update. */
  readonly inputs: Properties;
  /** Whether it is already known that the object will be updated: an input differs, or the last update failed halfway. */
  readonly isDue: boolean;
}

/** Result of claiming an object: findings that prevent the resource from having it in this run. */
interface Claim {
  /** Errors about resources that can't be declared beside this one. */
  readonly rivals?: readonly Finding[];
  /** Set if another resource of this run has the object: this one is replaced. */
  readonly lost?: Finding | undefined;
}

export interface Plan {
  readonly findings: readonly Finding[];
  /** Whether the object needs an update although no input differs. */
  readonly needsUpdate: boolean;
}

export const nothingToDo: Plan = { findings: [], needsUpdate: false };

/** A policy of a resource, as its state has it. */
/** Objects that a kind of resource has in its zone. */
interface InZone {
  readonly object: ObjectKind;
  readonly effects?: EffectsOf;
  /** Whether a declaration deletes or overwrites unmanaged objects. Absent if the kind never does. */
  readonly takesOthers?: TakesOthers;
}

/**
 * A kind of resource: its own decisions and effects. The code that all kinds share (unknown values, error texts, old state,
 * ownership in this run) is in `dynamic-provider.ts`.
 */
export interface Kind<Inputs, State> extends Schemas<Inputs, State> {
  readonly name: string;
  /** Inputs whose change replaces the resource. */
  readonly replacedBy: readonly string[];
  /** Outputs of the resource, each with the inputs that it repeats under another name. An output is secret if one of its inputs is. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  /** Parts of a zone that the resource changes. An approval compares them. */
  readonly parts: readonly ZonePart[];
  /** Whether a zone can have only one resource of this kind: a second one is refused. */
  readonly onePerZone: boolean;
  readonly inZone: InZone;
  /** Set if the resource's effect can't be undone: then inputs that a policy pack changed after their check are refused. */
  readonly refusesRemediation?: true;

  /**
   * Checks rules that concern several inputs, and lint, without a request. Any input may still be unknown. `errors`: return no
   * warnings, because the program has shown them.
   */
  inspect?(draft: Draft<Inputs>, wanted: "all" | "errors"): readonly Finding[];
  /**
   * Findings about resources of the same program that can't be declared beside this one, as far as the program itself sees
   * both.
   */
  rivals?(values: Properties, name: string, beside: readonly DeclaredResource[]): readonly Finding[];
  /**
   * Returns the declared inputs, spelled as in the state where the meaning is the same, so that a preview shows only real
   * differences.
   */
  inRecordedWords?(recorded: Properties | undefined, declared: Properties): Properties;
  /** Returns the names of the inputs whose meaning differs between the state and the declaration. */
  changedInputs(state: State, draft: Draft<Inputs>): readonly string[];

  /**
   * Claims the resource's object for the rest of this run, without a request. `recorded`: the object in the state, if there is
   * one. `isReplaced`: it is to make room for another object of the same resource.
   */
  claim?(run: Run, draft: Draft<Inputs>, recorded?: Recorded<State>, isReplaced?: boolean): Claim;
  /**
   * Plans a create, or the update of `recorded`, and finds what prevents it. May send requests; called in every preview and
   * update, never in a refresh. `replaced`: see `create`.
   */
  plan(run: Run, draft: Draft<Inputs>, recorded?: Compared<State>, replaced?: State): Promise<Plan>;

  /**
   * Creates or adopts the object. `urn` is empty if the engine does not tell it. `replaced`: the resource's previous state in
   * the same zone; undefined with `--replace`, because the engine does not pass it on.
   */
  create(run: Run, inputs: Inputs, urn: string, replaced?: State): Promise<Recorded<State>>;
  /**
   * Reads the object. Returns undefined if the API has clearly said that it is gone. `isRecorded`: false for a `get` of a
   * program, which keeps no state of its own.
   */
  read(run: Run, id: string, state: State, isRecorded: boolean): Promise<ReadResult<State> | undefined>;
  update(run: Run, id: string, state: State, inputs: Inputs, urn: string): Promise<State>;
  /** Deletes or restores the object, as `onDestroy` says. `urn` comes from the state, so it may have an older name. */
  delete(run: Run, id: string, state: State, urn: string): Promise<void>;
}
