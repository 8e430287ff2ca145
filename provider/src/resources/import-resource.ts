import type { Service } from "../api/client-types";
import type { PageGuardClient } from "../api/create-client";
import { providerText } from "../declaration/internals/provider-text";
import type { ZoneValues } from "../functions/read-zone";
import { inspectDeclaration } from "../lifecycle/inspect-declaration";
import type { Kind } from "../lifecycle/kind";
import { withVersion } from "../lifecycle/state";
import { findingText } from "../model/finding";
import type { Properties } from "../model/properties";
import { containsUnknown } from "../model/unknown";
import { pluginTypePrefix, typePrefix } from "../model/urn";
import { withoutFields } from "../text/data";
import { type KindName, kinds } from "./kinds";

/** Returns the reason why a resource or the engine refuses these arguments on a service; undefined if neither does. */
export function explainRefusal(kind: KindName, args: Properties, service: Service = "page_guard") {
  if (containsUnknown(args)) return "it contains the engine's placeholder for an unknown value.";
  const values = { ...args, connection: { service } };
  const [error] = inspectDeclaration(kinds[kind]() as Kind<unknown, unknown>, values).errors;
  return error && findingText(error);
}

/**
 * Returns the resource that `pulumi import` has to record for an object that was read, so that the next preview shows no
 * difference. Calls the kind's `read` without sending a request. `ids`: values of the state that are not inputs, such as the
 * `policyIds` of a set.
 */
export async function importedResource(
  kindName: KindName,
  { id, inputs, ids }: { readonly id: string; readonly inputs: Properties; readonly ids: Properties },
  { settings, policies, entrypoint }: ZoneValues,
  { isPlugin, now }: { readonly isPlugin: boolean; readonly now: () => number },
) {
  const kind = kinds[kindName]() as Kind<unknown, object>;
  const answers: Partial<PageGuardClient> = {
    ...(settings && { getSettings: async () => settings }),
    ...(policies && { listPolicies: async () => policies }),
    getEntrypoint: async () => entrypoint,
  };
  // Loads this module only here, because it loads the SDK, which most commands do not need.
  const { createRun } = require("../lifecycle/run") as typeof import("../lifecycle/run");
  // The client has only the functions above. Every other call fails, because it would send a request.
  const client = () => answers as PageGuardClient;
  const run = { ...createRun({ env: {}, now, log: async () => undefined }), client };
  const state = kind.parseState({ ...inputs, ...ids });
  const live = await kind.read({ run, id, state, isRecorded: true });
  if (!live) throw new Error(`${kindName} ${id} is not in the data that was read from the zone.`);
  const provider = isPlugin ? {} : { __provider: providerText(kindName) };
  const prefix = isPlugin ? pluginTypePrefix : typePrefix;
  return {
    type: `${prefix}${kindName}`,
    id,
    inputs: { ...inputs, ...provider },
    outputs: { ...withoutFields(withVersion(live.state), undefined), ...provider },
  };
}
