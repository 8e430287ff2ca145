import type { InputShape } from "./check-inputs";
import type { Finding } from "./finding";
import type { Run } from "./run";

export type Properties = Readonly<Record<string, unknown>>;

/** What `preflight` may look at: the inputs as declared now and, on an update, as declared before. */
export interface Proposal {
  /** Undefined when the resource is about to be created. */
  readonly before: Properties | undefined;
  readonly now: Properties;
  readonly urn: string;
}

export interface Created<State> {
  readonly id: string;
  readonly state: State;
}

export interface ReadResult<State> {
  /** Live values under the names that the program uses: without them a refresh sees no drift. */
  readonly inputs: Properties;
  readonly state: State;
  /** Something differs from the record that no input shows: a refresh tells it as a change. */
  readonly hasDrifted?: boolean;
}

/** What a look at every preview and `up` finds. */
export interface Look {
  readonly findings: readonly Finding[];
  /** The object is not as it should be although no input differs. */
  readonly needsUpdate: boolean;
}

/**
 * A kind of resource: the decisions and effects that are its own. What all kinds share (unknown values, error
 * texts, old state, who owns what in this run) is in `dynamic-provider.ts`.
 */
export interface Kind<Inputs, State> {
  readonly name: string;
  /** Names and rules of the inputs, one by one. */
  readonly shape: InputShape;
  /** Inputs whose change makes another object: the resource is replaced. */
  readonly replacedBy: readonly string[];
  /** A zone has at most one of these: two resources for one zone are refused. */
  readonly onePerZone: boolean;

  parseInputs(inputs: Properties): Inputs;
  /** Accepts every state that an older version has written, in the form of today (`upgradeState`). */
  parseState(state: Properties): State;

  /**
   * Rules over several inputs, and lint. No request; any input may still be unknown. `errors`: warnings are not
   * wanted, because the program has shown them.
   */
  inspect?(inputs: Properties, wanted: "all" | "errors"): readonly Finding[];
  /** What is declared, in the words of the inputs on record where they mean the same: so a preview shows what differs. */
  inRecordedWords?(recorded: Properties, declared: Properties): Properties;
  /** Resources of this run that can't be declared beside this one. No request. */
  rivals?(run: Run, now: Properties, urn: string): readonly Finding[];
  /** What the program declares beside the resource, as its class asked: a list of `{ kind, name, args }`. */
  noteBeside?(run: Run, urn: string, beside: unknown): void;
  /** Names of the inputs whose meaning differs between the recorded state and what is declared now. */
  changedInputs(recorded: Properties, declared: Properties): readonly string[];
  /**
   * What a preview tells where a zone or a connection that is not known yet keeps it from looking. Called as `preflight`
   * is. No request.
   */
  unlooked?(run: Run, proposal: Proposal): readonly Finding[];
  /** Findings that need the API. Called on create and when `matters` says that a relevant input has changed. */
  preflight?(run: Run, proposal: Proposal): Promise<readonly Finding[]>;
  matters?(before: Properties, now: Properties): boolean;
  /** What has to be asked in every preview and `up`, also without a change. Inputs may be unknown. */
  look?(run: Run, id: string, state: State, now: Properties, urn: string): Promise<Look>;
  /** Findings on a change that need the recorded state, which `preflight` does not see. Inputs may be unknown. */
  beforeUpdate?(
    run: Run,
    id: string,
    state: State,
    now: Properties,
    urn: string,
  ): Promise<readonly Finding[]>;
  /** The object with this id is declared by the program of this run, as the resource with this URN. */
  noteDeclared?(run: Run, id: string, state: State, urn: string, declared: Properties): void;
  /** The object with this id, declared before in this run, is to make room for another one of the same resource. */
  noteReplaced?(run: Run, id: string, state: State, urn: string): void;
  /** Why an id can't go on being this resource's (another one of this run has the object): it is replaced. */
  whyTaken?(run: Run, id: string, urn: string): Finding | undefined;

  /** `urn` is empty where the engine does not tell it. */
  create(run: Run, inputs: Inputs, urn: string): Promise<Created<State>>;
  /** Undefined: it is gone, and the API has said so clearly. */
  read(run: Run, id: string, state: State): Promise<ReadResult<State> | undefined>;
  update(run: Run, id: string, state: State, inputs: Inputs, urn: string): Promise<State>;
  delete(run: Run, id: string, state: State): Promise<void>;
}
