import {
  cspPolicy,
  cspPolicySet,
  InputError,
  type Kind,
  managedWafEntrypoint,
  type PageGuardClient,
  type Properties,
  pageGuardSettings,
  pluginTypePrefix,
  providerText,
  type Run,
  typePrefix,
  withoutUndefined,
  withVersion,
} from "pulumi-page-guard/tools";
import { type Named, slugOf } from "./naming";
import { type Form, policySet } from "./program";
import type { ZoneFound } from "./read-zone";

/**
 * `import.json`, for `pulumi import --file`: the state that an `up` of the exported program would record. It is made of what
 * was read, by the code of a refresh, so importing it sends no request.
 */
export async function importedResources(
  found: ZoneFound,
  objects: readonly Named[],
  form: Form,
  isPlugin: boolean,
  now: () => number,
): Promise<readonly object[]> {
  const run = snapshotRun(found, now);
  const zoneId = found.zone.id;
  const imported = async <Inputs, State extends object>(
    kind: Kind<Inputs, State>,
    name: string,
    id: string,
    args: Properties,
    /** Outputs that are no arguments. */
    made: Properties = {},
  ) => {
    const inputs = { zoneId, ...args };
    const live = await kind.read(run, id, kind.parseState({ ...inputs, ...made }), true);
    if (!live) throw new InputError("id", `${kind.name} ${id} no longer exists.`);
    const provider = isPlugin ? {} : { __provider: providerText(kind.name) };
    const outputs = Object(withoutUndefined(withVersion(live.state))) as Properties;
    return {
      type: `${isPlugin ? pluginTypePrefix : typePrefix}${kind.name}`,
      name,
      id,
      inputs: { ...inputs, ...provider },
      outputs: { ...outputs, ...provider },
    };
  };
  const slug = slugOf(found.zone);
  const policies = objects.filter(({ kind }) => form === "set" && kind === "CspPolicy");
  const set = policySet(found.zone, policies);
  const ids = Object.fromEntries(policies.map(({ name, key }) => [name, key]));
  return Promise.all([
    ...objects.flatMap((object) => {
      const name = `${slug}-${object.name}`;
      if (object.kind === "PageGuardSettings")
        return [imported(pageGuardSettings, name, zoneId, object.args)];
      if (object.kind === "ManagedWafEntrypoint")
        return [imported(managedWafEntrypoint, name, zoneId, object.args)];
      return policies.includes(object)
        ? []
        : [imported(cspPolicy, name, `${zoneId}/${object.key}`, object.args)];
    }),
    ...(policies.length > 0 ? [imported(cspPolicySet, set.name, zoneId, set.args, { policyIds: ids })] : []),
  ]);
}

/** A run with a client that answers from what was read. */
function snapshotRun(found: ZoneFound, now: () => number): Run {
  const memories = new Map<symbol, unknown>();
  const answers: Partial<PageGuardClient> = {
    getSettings: async () => known(found.settings),
    listPolicies: async () => known(found.policies),
    getEntrypoint: async () => found.entrypoint,
  };
  // Anything else would be a request, and fails.
  const client = answers as PageGuardClient;
  return {
    isOffline: false,
    skipsCheckpoints: false,
    useConfig: () => undefined,
    client: () => client,
    service: () => "page_guard",
    memory<T>(key: symbol, make: () => T): T {
      if (!memories.has(key)) memories.set(key, make());
      return memories.get(key) as T;
    },
    warn: async () => undefined,
    progress: async () => undefined,
    now,
    sleep: async () => undefined,
    random: () => 0,
  };
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("An import file is made of what was read, and this part was not.");
  return value;
}
