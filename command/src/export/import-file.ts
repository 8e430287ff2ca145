import { importedResource } from "pulumi-page-guard/tools";
import type { ProgramResource } from "./program";
import type { ZoneFound } from "./read-zone";

/** `import.json`, for `pulumi import --file`: the state that an `up` of the exported program would record. */
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
