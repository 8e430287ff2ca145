import type { Properties } from "pulumi-page-guard/tools";
import type { ZoneRef } from "../zones";
import { type Named, slugOf } from "./naming";

export type ExportedKind = "PageGuardSettings" | "CspPolicy" | "CspPolicySet" | "ManagedWafEntrypoint";

/** One resource for each policy, or one for all of a zone. */
export type Form = "set" | "single";

/** A resource of a program, in no language yet. All of them are protected. */
export interface ProgramResource {
  readonly kind: ExportedKind;
  readonly zoneId: string;
  readonly name: string;
  /** In the state, once it is imported. */
  readonly id: string;
  /** Besides the zone id. */
  readonly args: Properties;
  /** Comments. */
  readonly remarks: readonly string[];
  /** Of a set, by key: comments and ids of its policies. */
  readonly policyRemarks?: ReadonlyMap<string, readonly string[]>;
  readonly policyIds?: Readonly<Record<string, string>>;
}

/** What a file declares of one zone. */
export interface ZoneProgram {
  readonly zone: ZoneRef;
  readonly remarks: readonly string[];
  readonly resources: readonly ProgramResource[];
}

export function zoneProgram(
  zone: ZoneRef,
  objects: readonly Named[],
  form: Form,
  remarks: readonly string[],
): ZoneProgram {
  const inSet = objects.filter(({ policyId }) => form === "set" && policyId !== undefined);
  const resources = objects.flatMap((object) => {
    if (!inSet.includes(object)) return [single(zone, object)];
    return object === inSet[0] ? [policySet(zone, inSet)] : [];
  });
  return { zone, remarks, resources };
}

export function single(zone: ZoneRef, { kind, name, policyId, args, remarks }: Named): ProgramResource {
  const id = policyId === undefined ? zone.id : `${zone.id}/${policyId}`;
  return { kind, zoneId: zone.id, name: `${slugOf(zone)}-${name}`, id, args, remarks };
}

export function policySet(zone: ZoneRef, policies: readonly Named[]): ProgramResource {
  const byKey = <T>(partOf: (policy: Named) => T) =>
    Object.fromEntries(policies.map((policy) => [policy.name, partOf(policy)]));
  return {
    kind: "CspPolicySet",
    zoneId: zone.id,
    name: `${slugOf(zone)}-policies`,
    id: zone.id,
    args: { policies: byKey(setEntry), others: "keep", onDestroy: "keep" },
    remarks: [],
    policyRemarks: new Map(policies.map(({ name, remarks }) => [name, remarks])),
    policyIds: byKey(({ policyId = "" }) => policyId),
  };
}

/** A policy in a set, without what the set has for all, and without a description that is its key. */
function setEntry({ name, args: { onDestroy: _ofSet, description, ...own } }: Named): Properties {
  return description === name ? own : { description, ...own };
}
