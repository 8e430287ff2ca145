import {
  type Kind,
  kinds,
  type PageGuardClient,
  type Properties,
  pluginTypePrefix,
  providerText,
  type Run,
  typePrefix,
  withoutUndefined,
  withVersion,
} from "pulumi-page-guard/tools";
import type { ProgramResource } from "./program";
import type { ZoneFound } from "./read-zone";

/**
 * `import.json`, for `pulumi import --file`: the state that an `up` of the exported program would record. It is made of what
 * was read, by the code of a refresh, so importing it sends no request.
 */
export async function importFile(
  zones: readonly { readonly found: ZoneFound; readonly resources: readonly ProgramResource[] }[],
  isPlugin: boolean,
  now: () => number,
): Promise<string> {
  const imported = zones.map(({ found, resources }) => {
    const run = snapshotRun(found, now);
    return Promise.all(
      resources.map((one) =>
        importedResource(run, kinds[one.kind]() as Kind<unknown, object>, one, isPlugin),
      ),
    );
  });
  return `${JSON.stringify({ resources: (await Promise.all(imported)).flat() }, undefined, 2)}\n`;
}

async function importedResource(
  run: Run,
  kind: Kind<unknown, object>,
  { name, id, zoneId, args, policyIds }: ProgramResource,
  isPlugin: boolean,
): Promise<object> {
  const inputs = { zoneId, ...args };
  const live = await kind.read(
    run,
    id,
    kind.parseState({ ...inputs, ...(policyIds && { policyIds }) }),
    true,
  );
  if (!live) throw new Error(`${kind.name} ${id} is not in what was read.`);
  const provider = isPlugin ? {} : { __provider: providerText(kind.name) };
  const outputs: Properties = Object(withoutUndefined(withVersion(live.state)));
  return {
    type: `${isPlugin ? pluginTypePrefix : typePrefix}${kind.name}`,
    name,
    id,
    inputs: { ...inputs, ...provider },
    outputs: { ...outputs, ...provider },
  };
}

/** A run with a client that answers from what was read. */
function snapshotRun({ settings, policies, entrypoint }: ZoneFound, now: () => number): Run {
  const memories = new Map<symbol, unknown>();
  const answers = {
    ...(settings && { getSettings: async () => settings }),
    ...(policies && { listPolicies: async () => policies }),
    getEntrypoint: async () => entrypoint,
  };
  // Anything else would be a request, and fails.
  const client = answers as Partial<PageGuardClient> as PageGuardClient;
  const run: Partial<Run> = {
    isOffline: false,
    client: () => client,
    service: () => "page_guard",
    memory<T>(key: symbol, make: () => T): T {
      if (!memories.has(key)) memories.set(key, make());
      return memories.get(key) as T;
    },
    warn: async () => undefined,
    now,
  };
  return run as Run;
}
