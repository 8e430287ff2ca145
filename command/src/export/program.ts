import { importedResource } from "pulumi-page-guard/tools";
import type { Fields } from "../shared/values";
import type { ZoneRef } from "../shared/zones";
import type { ExportedKind } from "./declared";
import { makeSlug, type NamedObject } from "./naming";
import type { ZoneFound } from "./read-zone";

/** Form of the policies in a program: one resource for all policies of a zone (`set`), or one for each policy (`single`). */
export type Form = "set" | "single";

/** A protected resource of a program, independent of the language. */
export interface ProgramResource {
  readonly kind: ExportedKind | "CspPolicySet";
  readonly zoneId: string;
  readonly name: string;
  /** Id in the state after the import. */
  readonly id: string;
  /** Arguments without the zone id. */
  readonly args: Fields;
  /** Ids of a set's policies, by key. */
  readonly policyIds?: Readonly<Record<string, string>>;
}

export type ZoneProgram = ReturnType<typeof zoneProgram>;

export function zoneProgram(zone: ZoneRef, objects: readonly NamedObject[], form: Form) {
  const inSet = objects.filter(({ policyId }) => form === "set" && policyId !== undefined);
  const resources = objects.flatMap((object) => {
    if (!inSet.includes(object)) return [single(zone, object)];
    return object === inSet[0] ? [policySet(zone, inSet)] : [];
  });
  return { zone, resources };
}

function single(zone: ZoneRef, { kind, name, policyId, args }: NamedObject): ProgramResource {
  const id = policyId === undefined ? zone.id : `${zone.id}/${policyId}`;
  return { kind, zoneId: zone.id, name: `${makeSlug(zone)}-${name}`, id, args };
}

function policySet(zone: ZoneRef, policies: readonly NamedObject[]): ProgramResource {
  return {
    kind: "CspPolicySet",
    zoneId: zone.id,
    name: `${makeSlug(zone)}-policies`,
    id: zone.id,
    args: { policies: setEntries(policies), others: "keep", onDestroy: "keep" },
    policyIds: Object.fromEntries(policies.map(({ name, policyId = "" }) => [name, policyId])),
  };
}

/** Returns the policies of a set by key. Leaves out `onDestroy`, which the set has, and descriptions that equal the key. */
export function setEntries(policies: readonly NamedObject[]): Fields {
  return Object.fromEntries(
    policies.map(({ name, args: { onDestroy: _ofSet, description, ...own } }) => [
      name,
      description === name ? own : { description, ...own },
    ]),
  );
}

/** Returns `import.json` for `pulumi import --file`. The import leaves the same state as an `up` of the program. */
export async function importFile(
  zones: readonly { readonly found: ZoneFound; readonly resources: readonly ProgramResource[] }[],
  isPlugin: boolean,
  now: () => number,
): Promise<string> {
  const imported = zones.flatMap(({ found, resources }) =>
    resources.map(async ({ kind, name, id, zoneId, args, policyIds }) => {
      const object = { id, inputs: { zoneId, ...args }, ids: policyIds ? { policyIds } : {} };
      const { type, ...state } = await importedResource(kind, object, found, { isPlugin, now });
      return { type, name, ...state };
    }),
  );
  return `${JSON.stringify({ resources: await Promise.all(imported) }, undefined, 2)}\n`;
}
