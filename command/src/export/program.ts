import type { Properties } from "pulumi-page-guard/tools";
import type { ZoneRef } from "../zones";
import { type Named, slugOf } from "./naming";

export const exportedKinds = [
  "PageGuardSettings",
  "CspPolicy",
  "CspPolicySet",
  "ManagedWafEntrypoint",
] as const;
export type ExportedKind = (typeof exportedKinds)[number];

/** One resource for each policy, or one for all of a zone. */
export type Form = "set" | "single";

/** A resource of a program, in no language yet. All of them are protected. */
export interface ProgramResource {
  readonly kind: ExportedKind;
  readonly zoneId: string;
  readonly name: string;
  /** Besides the zone id. */
  readonly args: Properties;
  /** Comments. */
  readonly remarks: readonly string[];
  /** Comments of the policies of a set, by their key. */
  readonly policyRemarks?: ReadonlyMap<string, readonly string[]>;
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
  const inSet = objects.filter(({ kind }) => form === "set" && kind === "CspPolicy");
  const resources = objects.flatMap((object) => {
    if (!inSet.includes(object)) return [single(zone, object)];
    return object === inSet[0] ? [policySet(zone, inSet)] : [];
  });
  return { zone, remarks, resources };
}

export function single(zone: ZoneRef, { kind, name, args, remarks }: Named): ProgramResource {
  return { kind, zoneId: zone.id, name: `${slugOf(zone)}-${name}`, args, remarks };
}

export function policySet(zone: ZoneRef, policies: readonly Named[]): ProgramResource {
  const entries = policies.map(({ name, args }) => [name, setEntry(name, args)] as const);
  return {
    kind: "CspPolicySet",
    zoneId: zone.id,
    name: `${slugOf(zone)}-policies`,
    args: { policies: Object.fromEntries(entries), others: "keep", onDestroy: "keep" },
    remarks: [],
    policyRemarks: new Map(policies.map(({ name, remarks }) => [name, remarks])),
  };
}

/** A policy in a set, without what the set has for all, and without a description that is its key. */
function setEntry(name: string, args: Properties): Properties {
  const { onDestroy: _ofSet, ...own } = args;
  const isKey = (field: string, value: unknown) => field === "description" && value === name;
  return Object.fromEntries(Object.entries(own).filter(([field, value]) => !isKey(field, value)));
}
