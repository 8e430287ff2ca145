import type { ZonePart } from "../functions/read-zone";
import type { EffectsOf, ObjectKind, ResourceChange, TakesOthers } from "../model/effect";
import type { Finding } from "../model/finding";
import type { Properties } from "../model/properties";
import type { Draft, Schemas } from "./draft";
import type { Run } from "./run";

/** A resource as declared. In `args`, values that are not known before the update are `unknownValue`. */
export interface DeclaredResource {
  readonly kind: string;
  readonly object: ObjectKind;
  readonly name: string;
  readonly args: Properties;
}

interface ReadResult<State> {
  /** Live values of the inputs. A refresh compares them with the state to find drift. */
  readonly inputs: Properties;
  readonly state: State;
  /** Whether the object has drifted in a way that no input shows. A refresh reports this as a change. */
  readonly hasDrifted?: boolean;
}

/** An object that is in the state, or that the engine adds to the state. */
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

/** Findings that say why a resource cannot claim its object in this run. */
interface Claim {
  /** Errors about resources that cannot be declared together with this one. */
  readonly rivals?: readonly Finding[];
  /** Set if another resource has claimed the object. The engine then replaces this resource. */
  readonly lost?: Finding | undefined;
}

export interface Plan {
  readonly findings: readonly Finding[];
  /** Whether the object needs an update although no input differs. */
  readonly needsUpdate: boolean;
}

export const nothingToDo: Plan = { findings: [], needsUpdate: false };

interface RunRequest {
  /** Clients, clock, settings and memory of this run of the provider process. */
  readonly run: Run;
}

interface ClaimRequest<Inputs, State> extends RunRequest {
  readonly draft: Draft<Inputs>;
  /** Object of the resource in the state; undefined for a new resource. */
  readonly recorded?: RecordedObject<State> | undefined;
  /**
   * Whether the resource is being replaced; `recorded` is then the object of the old resource. `claim` does not claim this object,
   * but notes that it will be deleted or, with `onDestroy: "keep"`, left in the zone.
   */
  readonly isReplaced?: boolean;
}

interface PlanRequest<Inputs, State> extends RunRequest {
  readonly draft: Draft<Inputs>;
  /** Object in the state, for an update; undefined for a create. */
  readonly recorded?: Compared<State>;
  /** State of the object that a create replaces; see `CreateRequest`. */
  readonly replaced?: State | undefined;
  /** See `CreateRequest`; absent for an update. */
  readonly predecessor?: () => State | undefined;
}

interface WorkRequest<Inputs> extends RunRequest {
  /** Declared inputs, all of which are known. */
  readonly inputs: Inputs;
  /** URN of the resource; empty if the engine does not pass it. */
  readonly urn: string;
}

interface CreateRequest<Inputs, State> extends WorkRequest<Inputs> {
  /** State of the resource before it is replaced in its zone. Undefined with `--replace`, because the engine then passes no state. */
  readonly replaced?: State | undefined;
  /**
   * Returns the state of the resource that has managed this zone until this update moves it elsewhere; undefined until `diff` has
   * compared that resource. The engine compares resources while creates run, so ask as late as possible.
   */
  readonly predecessor: () => State | undefined;
}

interface ObjectRequest<State> extends RunRequest {
  readonly id: string;
  /** State after the last update or refresh, in the current format. */
  readonly state: State;
}

interface ReadRequest<State> extends ObjectRequest<State> {
  /**
   * True for a managed object or an import; false for an object that a program only reads (`get`). The first read for a `get`
   * knows only the id and the `connection`.
   */
  readonly isRecorded: boolean;
}

export type UpdateRequest<Inputs, State> = WorkRequest<Inputs> & ObjectRequest<State>;

interface DeleteRequest<State> extends ObjectRequest<State> {
  /** URN from the state. It can contain an older name of the resource. */
  readonly urn: string;
}

/**
 * The decisions and effects of one kind of resource. The other files of this folder contain the code that all kinds share
 * (unknown values, error messages, old states, claims of zones); `dynamic-provider.ts` combines that code with a kind.
 */
export interface Kind<Inputs, State> extends Schemas<Inputs, State> {
  readonly name: string;
  /** Inputs whose change replaces the resource. */
  readonly replacedBy: readonly string[];
  /** Outputs that are not inputs, each with the inputs that determine its value. If such an input is secret, so is the output. */
  readonly outputs: Readonly<Record<string, readonly string[]>>;
  /** Parts of a zone that the resource changes. `page-guard apply` compares them with the approval. */
  readonly parts: readonly ZonePart[];
  /** Whether a zone can have only one resource of this kind. The provider refuses a second one. */
  readonly onePerZone: boolean;
  /** The objects that the resource manages in its zone, and how an update changes them. */
  readonly inZone: {
    readonly object: ObjectKind;
    readonly effects?: EffectsOf;
    /**
     * Returns, by object id, the URN of the resource that still manages the object after the update. Absent if no other resource
     * can adopt the objects.
     */
    readonly keepersOf?: (resources: readonly ResourceChange[]) => ReadonlyMap<string, string>;
    /** Whether a declaration deletes or overwrites unmanaged objects. Absent if the kind never does. */
    readonly takesOthers?: TakesOthers;
  };
  /** Set if the resource's effect cannot be undone. The provider then refuses inputs that a policy pack changed after `check`. */
  readonly refusesRemediation?: true;

  /**
   * Applies the rules that concern several inputs, and the lint rules. Sends no request. Any value may be unknown. With
   * `wanted: "errors"`, warnings may be left out.
   */
  inspect?(request: { values: Properties; wanted: "all" | "errors" }): readonly Finding[];
  /** Returns errors about other resources of the program (`beside`) that cannot be declared together with this one. */
  rivals?(request: {
    name: string;
    values: Properties;
    beside: readonly DeclaredResource[];
  }): readonly Finding[];
  /**
   * Returns the declared inputs. An input whose meaning is unchanged keeps its spelling from the state, so that a preview shows
   * only real changes. `recorded`: inputs of the last update; undefined if the resource is new.
   */
  inRecordedSpelling?(request: { recorded: Properties | undefined; declared: Properties }): Properties;
  /** Returns the names of the inputs whose meaning differs between the state and the declaration. */
  changedInputs(request: { state: State; values: Properties }): readonly string[];

  /** Claims the resource's object for the rest of this run, without a request to the service. */
  claim?(request: ClaimRequest<Inputs, State>): Claim;
  /** Plans a create or update, and finds problems that prevent it. Called in previews and updates. Can send requests. */
  plan(request: PlanRequest<Inputs, State>): Promise<Plan>;

  /** Creates or adopts the object. */
  create(request: CreateRequest<Inputs, State>): Promise<RecordedObject<State>>;
  /** Reads the object. Returns undefined if the API has clearly said that the object is gone. */
  read(request: ReadRequest<State>): Promise<ReadResult<State> | undefined>;
  /** Changes the object as declared, and returns its new state. */
  update(request: UpdateRequest<Inputs, State>): Promise<State>;
  /** Deletes or restores the object, as `onDestroy` says. */
  delete(request: DeleteRequest<State>): Promise<void>;
}
