import { kinds, objectOf } from "pulumi-page-guard/tools";
import type { RecordedResource } from "./recorded";
import { isClosed, opened } from "./secrets";

/** Objects of one zone that a state declares. */
export type DeclaredZone = ReturnType<typeof declaredZone>;
export type DeclaredPolicy = DeclaredZone["policies"][number];

export function declaredZone(zoneId: string, recorded: readonly RecordedResource[]) {
  const resources = recorded.filter((resource) => resource.zoneId === zoneId);
  const first = (object: ReturnType<typeof objectOf>): RecordedResource | undefined =>
    resources.find((resource) => objectOf(resource.kind) === object);
  return {
    resources,
    settings: first("settings"),
    /** Values may be `Secret`s. `path`: prefix of the arguments, empty, or `policies.checkout.` in a set. */
    policies: resources.flatMap((resource) => {
      const { policies } = kinds[resource.kind]().inZone;
      const { id, inputs, outputs } = resource;
      const declared = policies?.(id, inputs, { policyIds: opened(outputs["policyIds"]) }) ?? [];
      return declared.map((policy) => ({ ...policy, resource }));
    }),
    /** A resource whose ids are secret and could not be decrypted: nobody knows which policies it declares. */
    hiddenPolicies: resources.find(({ outputs }) => isClosed(outputs["policyIds"])),
    entrypoint: first("rule"),
    migration: first("migration"),
  };
}
