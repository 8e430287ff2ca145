import type { Entrypoint } from "../api/client-types";
import type { Properties } from "./properties";
import { isUnknown } from "./unknown";

/**
 * Fate of an object in an update. `adopt`: it is in the zone as it is declared. `leave`: it stays in the zone, unmanaged.
 * `restore`: it becomes what it was before the resource changed it. `lose`: no resource of the stack has it, and the update
 * deletes it or overwrites it.
 */
export type Fate = "adopt" | "create" | "update" | "leave" | "delete" | "restore" | "lose";

export type ObjectKind = "settings" | "policy" | "rule" | "migration";

/** A resource in one zone: what the state has of it, and what the program declares. Both are undefined in another zone. */
export interface ResourceChange {
  readonly kind: string;
  readonly urn: string;
  readonly name: string;
  /** Id in the state; empty for a new resource. */
  readonly id: string;
  /** Inputs and outputs in the state. A value that is secret or not known yet is no text, or the unknown value. */
  readonly was?: Properties | undefined;
  readonly becomes?: Properties | undefined;
  /** The engine's operation on the resource; `same` for none. */
  readonly op: string;
  /** Whether the resource leaves the state and nothing is deleted. */
  readonly isRetained: boolean;
  /** Inputs that differ, as paths: the only trace of a secret that changes. */
  readonly differences: readonly { readonly path: string }[];
}

/** Effect of an update on one object of a zone. */
export interface Effect<Resource extends ResourceChange = ResourceChange> {
  readonly object: {
    readonly kind: ObjectKind;
    /** Id in the zone; undefined for a new object. */
    readonly id?: string | undefined;
    /** Key in its set, or description. */
    readonly label: string;
  };
  readonly fate: Fate;
  /** The resource that causes it. */
  readonly by: Resource;
  /** The object as it is now, as far as it is known. */
  readonly before?: Properties | undefined;
  /** The object as it will be, as far as it is known; undefined for none. */
  readonly after?: Properties | undefined;
  /** A policy that begins to enforce. */
  readonly begins?: boolean | undefined;
  /** The way in which protection gets weaker, in a few words. */
  readonly weaker?: string | undefined;
  /** The rules with which a rule changes places, in words: one of two blocks, challenges or skips. */
  readonly moved?: string | undefined;
  /** Whether the effect is only possible, because the deciding value is secret or not known yet. */
  readonly isOpen?: boolean | undefined;
  /** Rules that the zone's migration hands over in the same update. They take nothing away. */
  readonly isPassedOn?: boolean | undefined;
}

/** Objects of a zone, as far as they were read. */
export interface ZoneObjects {
  readonly settings?: object | undefined;
  readonly policies?: readonly { readonly policyId: string }[] | undefined;
  readonly entrypoint?: Pick<Entrypoint, "rules"> | undefined;
}

/**
 * Computes the effects of an update on the objects of one zone. Pure. `resources`: those of the zone whose kind has this same function;
 * `isMigrating`: whether the update also starts or finishes the zone's WAF migration.
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

/** Whether a resource deletes or overwrites objects of its zone that it does not declare. `maybe`: secret, or not known yet. */
export type TakesOthers = (declared: Properties | undefined) => "yes" | "maybe" | "no";

/** Returns a test of whether an input has a certain value. */
export function takesOthersIf(input: string, value: string): TakesOthers {
  return (declared) => {
    const given = declared?.[input];
    const isKnown = given === undefined || (typeof given === "string" && !isUnknown(given));
    return isKnown ? (given === value ? "yes" : "no") : "maybe";
  };
}
