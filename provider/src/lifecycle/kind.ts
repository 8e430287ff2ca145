import type { ZonePart } from "../functions/read-zone";
import type { EffectsOf, ObjectKind, TakesOthers } from "../model/effect";
import type { Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import type { Draft, Schemas } from "./draft";
import type { Run } from "./run";

/** A resource as declared. A placeholder (`unknownValue`) stands for each value that is not known before the update. */
export interface DeclaredResource {
  readonly kind: string;
  readonly object: InZone["object"];
  readonly name: string;
  readonly args: Properties;
}

interface ReadResult<State> {
  /** Live values, by the names of the inputs. A refresh compares them with the state to find drift. */
  readonly inputs: Properties;
  readonly state: State;
  /** Whether the object differs from the state in a way that no input shows. A refresh reports this as a change. */
  readonly hasDrifted?: boolean;
}

/** An object in the state, or a new object that the engine will add to the state. */
export interface RecordedObject<State> {
  readonly id: string;
  readonly state: State;
}

interface Compared<State> extends RecordedObject<State> {
  /** Inputs of the last update. */
  readonly inputs: Properties;
  /** Whether it is already known that the object will be updated: an input differs, or the last update failed halfway. */
  readonly isDue: boolean;
}

/** Result of claiming an object: findings that say why the resource cannot have the object in this run. */
interface Claim {
  /** Errors about resources that can't be declared together with this one. */
  readonly rivals?: readonly Finding[];
  /** Set if another resource has claimed the object in this run. The engine then replaces this resource. */
  readonly lost?: Finding | undefined;
}

export interface Plan {
  readonly findings: readonly Finding[];
  /** Whether the object needs an update although no input differs. */
  readonly needsUpdate: boolean;
}

export const nothingToDo: Plan = { findings: [], needsUpdate: false };

/** Objects that a kind of resource has in its zone. */
interface InZone {
  readonly object: ObjectKind;
  readonly effects?: EffectsOf;
  /** Whether a declaration deletes or overwrites unmanaged objects. Absent if the kind never does. */
  readonly takesOthers?: TakesOthers;
}

interface InspectRequest {
  /** Declared inputs, any of which may still be unknown. */
  readonly values: Properties;
  /** Findings that the caller needs. With "errors", warnings may be left out. */
  readonly wanted: "all" | "errors";
}

interface RivalsRequest {
  readonly name: string;
  /** Declared inputs of the resource; outputs of other resources count as unknown. */
  readonly values: Properties;
  /** Other resources of the program, with the values that the program knows. */
  readonly beside: readonly DeclaredResource[];
}

/** Argument of `inRecordedSpelling`. */
export interface SpellingRequest {
  /** Inputs of the last update; undefined if the resource is new. */
  readonly recorded: Properties | undefined;
  readonly declared: Properties;
}

/** Argument of `changedInputs`. */
interface ChangeRequest<State> {
  readonly state: State;
  /** Inputs that the program declares now. A placeholder (`unknownValue`) stands for each value that is not known yet. */
  readonly values: Properties;
}

interface RunRequest {
  /** One run of the provider process: its clients, clock, settings and memory. */
  readonly run: Run;
}

interface DraftRequest<Inputs> extends RunRequest {
  /** Declaration of the resource, with its URN and the values that are known before the update. */
  readonly draft: Draft<Inputs>;
}

interface ClaimRequest<Inputs, State> extends DraftRequest<Inputs> {
  /** Object of the resource in the state; undefined for a resource that is new. */
  readonly recorded?: RecordedObject<State> | undefined;
  /**
   * Whether the claim is for a create that replaces the object in the state. The resource then prepares to delete or release this
   * object, instead of claiming it.
   */
  readonly isReplaced?: boolean;
}

interface PlanRequest<Inputs, State> extends DraftRequest<Inputs> {
  /** Object in the state that is to be updated; undefined for a create. */
  readonly recorded?: Compared<State>;
  /** State of the object that a create replaces; see `CreateRequest`. */
  readonly replaced?: State | undefined;
}

interface WorkRequest<Inputs> extends RunRequest {
  /** Declared inputs, all of which are known. */
  readonly inputs: Inputs;
  /** URN of the resource; empty if the engine does not pass it. */
  readonly urn: string;
}

interface CreateRequest<Inputs, State> extends WorkRequest<Inputs> {
  /** Previous state of the resource in the same zone. Undefined with `--replace`: then the engine does not pass on that state. */
  readonly replaced?: State | undefined;
}

interface ObjectRequest<State> extends RunRequest {
  readonly id: string;
  /** State after the last update or refresh, in the current format. */
  readonly state: State;
}

interface ReadRequest<State> extends ObjectRequest<State> {
  /**
   * True if this read is for a managed object or for an import; false for an object that a program only reads (`get`). For the
   * first read of such an object, only the id and the `connection` are known.
   */
  readonly isRecorded: boolean;
}

export type UpdateRequest<Inputs, State> = WorkRequest<Inputs> & ObjectRequest<State>;

interface DeleteRequest<State> extends ObjectRequest<State> {
  /** URN from the state. The URN can contain an older name of the resource. */
  readonly urn: string;
}

/**
 * A kind of resource: its own decisions and effects. The code that all kinds share (unknown values, error messages, old states,
 * claims of zones) is in the other files of this folder; `dynamic-provider.ts` combines that code with a kind.
 */
export interface Kind<Inputs, State> extends Schemas<Inputs, State> {
  readonly name: string;
  /** Inputs whose change replaces the resource. */
  readonly replacedBy: readonly string[];
  /** Outputs besides the inputs, each with the inputs that its value comes from. If such an input is secret, so is the output. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  /** Parts of a zone that the resource changes. `page-guard apply` compares them with the approval. */
  readonly parts: readonly ZonePart[];
  /** Whether a zone can have only one resource of this kind. The provider refuses a second one. */
  readonly onePerZone: boolean;
  readonly inZone: InZone;
  /** Set if the resource's effect can't be undone: then the provider refuses inputs that a policy pack changed after `check`. */
  readonly refusesRemediation?: true;

  /** Applies the rules that concern several inputs, and the lint rules. Sends no request. */
  inspect?(request: InspectRequest): readonly Finding[];
  /** Returns findings about resources of the same program that can't be declared together with this one. */
  rivals?(request: RivalsRequest): readonly Finding[];
  /**
   * Returns the declared inputs. An input whose meaning is unchanged keeps its spelling from the state, so that a preview shows
   * only real changes.
   */
  inRecordedSpelling?(request: SpellingRequest): Properties;
  /** Returns the names of the inputs whose meaning differs between the state and the declaration. */
  changedInputs(request: ChangeRequest<State>): readonly string[];

  /** Claims the resource's object for the rest of this run, without a request to the service. */
  claim?(request: ClaimRequest<Inputs, State>): Claim;
  /** Plans a create or update, and finds problems that prevent it. Called in a preview and an update only. Can send requests. */
  plan(request: PlanRequest<Inputs, State>): Promise<Plan>;

  /** Creates or adopts the object. */
  create(request: CreateRequest<Inputs, State>): Promise<RecordedObject<State>>;
  /** Reads the object. Returns undefined if the API has clearly said that the object is gone. */
  read(request: ReadRequest<State>): Promise<ReadResult<State> | undefined>;
  /** Changes the object to what is declared, and returns its new state. */
  update(request: UpdateRequest<Inputs, State>): Promise<State>;
  /** Deletes or restores the object, as `onDestroy` says. */
  delete(request: DeleteRequest<State>): Promise<void>;
}
