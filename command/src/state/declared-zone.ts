import { kinds, objectOf } from "pulumi-page-guard/tools";
import type { RecordedResource } from "./recorded";
import { isClosed, opened } from "./secrets";

/** A policy that the state declares; its values may be `Secret`s. */
export interface DeclaredPolicy {
  /** Prefix of its arguments: empty, or `policies.checkout.` in a set. */
  readonly path: string;
  readonly policyId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly resource: RecordedResource;
}

/** What a state declares of one zone. */
export interface DeclaredZone {
  /** All of them. */
  readonly resources: readonly RecordedResource[];
  readonly settings?: RecordedResource | undefined;
  readonly policies: readonly DeclaredPolicy[];
  /** A resource whose ids are secret and could not be decrypted: nobody knows which policies it declares. */
  readonly hiddenPolicies?: RecordedResource | undefined;
  readonly entrypoint?: RecordedResource | undefined;
  readonly migration?: RecordedResource | undefined;
}

export function declaredZone(zoneId: string, recorded: readonly RecordedResource[]): DeclaredZone {
  const resources = recorded.filter((resource) => resource.zoneId === zoneId);
  const first = (object: ReturnType<typeof objectOf>): RecordedResource | undefined =>
    resources.find((resource) => objectOf(resource.kind) === object);
  return {
    resources,
    settings: first("settings"),
    policies: resources.flatMap((resource) => {
      const { policies } = kinds[resource.kind]().inZone;
      const { id, inputs, outputs } = resource;
      const declared = policies?.(id, inputs, { policyIds: opened(outputs["policyIds"]) }) ?? [];
      return declared.map((policy) => ({ ...policy, resource }));
    }),
    hiddenPolicies: resources.find(({ outputs }) => isClosed(outputs["policyIds"])),
    entrypoint: first("rule"),
    migration: first("migration"),
  };
}
