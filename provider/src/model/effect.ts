import type { Entrypoint } from "../api/client-types";
import type { Properties } from "./properties";
import { isHidden } from "./unknown";

/**
 * Outcome of an update for an object. `adopt`: the zone already has the object as declared. `leave`: the object stays in the
 * zone, unmanaged. `restore`: the object returns to its form before the resource changed it. `lose`: the object is unmanaged, and
 * the update deletes or overwrites it.
 */
export type Fate = "adopt" | "create" | "update" | "leave" | "delete" | "restore" | "lose";

export type ObjectKind = "settings" | "policy" | "rule" | "migration";

/**
 * The change of a resource in one zone. A resource that moves to another zone has two changes: one in the old zone, without
 * `becomes`, and one in the new zone, without `was`.
 */
export interface ResourceChange {
  readonly kind: string;
  readonly urn: string;
  readonly name: string;
  /** Id in the state; empty for a new resource. */
  readonly id: string;
  /** Inputs and outputs in the state. No string is a secret: secret values have another type. */
  readonly was?: Properties | undefined;
  /** Declared inputs. No string is a secret. An input that is not known yet is `unknownValue`. */
  readonly becomes?: Properties | undefined;
  /** The engine's operation on the resource; `same` if the engine does nothing. */
  readonly op: string;
  /** Whether the engine removes the resource from the state without deleting its object. */
  readonly isRetained: boolean;
  /** Whether a replacement deletes the object before it creates the new one. */
  readonly isDeletedFirst?: boolean | undefined;
  /** Paths of the inputs that differ. Nothing else shows that a secret changes. */
  readonly differences: readonly { readonly path: string }[];
}

export interface Effect<Resource extends ResourceChange = ResourceChange> {
  readonly object: {
    readonly kind: ObjectKind;
    /** Id in the zone; undefined for a new object. */
    readonly id?: string | undefined;
    /** Human-readable name of the object: its key in a set, its description, or the name of the resource. */
    readonly label: string;
  };
  readonly fate: Fate;
  /** The resource that causes the effect. */
  readonly by: Resource;
  /** The object as it is now, as far as it is known. */
  readonly before?: Properties | undefined;
  /** The object as it will be, as far as it is known; undefined if it will be gone. */
  readonly after?: Properties | undefined;
  /** Whether the zone begins to enforce a policy; undefined if it does not. */
  readonly begins?: "yes" | "maybe" | undefined;
  /**
   * Whether a policy begins to enforce only because the zone has drifted from the state. A preview compares the program with the
   * state, so it does not check the impact of such a policy.
   */
  readonly isUnchecked?: boolean | undefined;
  /** How protection gets weaker, in a few words; undefined if it does not. */
  readonly weaker?: string | undefined;
  /** Says which rules this rule overtakes. Absent if there are none, or if the order does not matter. */
  readonly moved?: string | undefined;
  /** Whether the effect is only possible: the deciding value is secret or not known yet, or the preview refuses the effect. */
  readonly isOpen?: boolean | undefined;
  /** Whether the resource gets its rules from the zone's migration in the same update, and therefore removes no rules. */
  readonly isPassedOn?: boolean | undefined;
}

/** The objects in a zone, as far as they were read. */
export interface ZoneObjects {
  readonly settings?: object | undefined;
  readonly policies?: readonly { readonly policyId: string }[] | undefined;
  readonly entrypoint?: Pick<Entrypoint, "rules"> | undefined;
}

/**
 * Computes the effects of an update on the objects in one zone. Pure. `resources`: the zone's resources of the kinds that use
 * this function. `isMigrating`: whether the update also creates or changes the resource of the zone's WAF migration.
 */
export type EffectsOf = <Resource extends ResourceChange>(
  resources: readonly Resource[],
  zone: ZoneObjects,
  isMigrating: boolean,
) => readonly Effect<Resource>[];

/** Whether an update does anything with a resource. */
export function isChanging({ op }: Pick<ResourceChange, "op">): boolean {
  return !["same", "read", "read-discard", "refresh"].includes(op);
}

/** Answer to a question about an update. `maybe`: the deciding value is secret or not known yet. */
export type Answer = "yes" | "maybe" | "no";

/** Whether a resource deletes or overwrites unmanaged objects in its zone. */
export type TakesOthers = (declared: Properties | undefined) => Answer;

export function takesOthersIf(input: string, value: string): TakesOthers {
  return (declared) => isWord(declared?.[input], value);
}

/** Whether a value is this word. */
export function isWord(given: unknown, word: string): Answer {
  if (given === word) return "yes";
  return isHidden(given) ? "maybe" : "no";
}
