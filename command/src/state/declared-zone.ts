import { kinds } from "pulumi-page-guard/tools";
import { distinct } from "../values";
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
  readonly zoneId: string;
  /** All of them. */
  readonly resources: readonly RecordedResource[];
  readonly settings?: RecordedResource | undefined;
  readonly policies: readonly DeclaredPolicy[];
  /** A resource whose ids are secret and could not be decrypted: nobody knows which policies it declares. */
  readonly hiddenPolicies?: RecordedResource | undefined;
  readonly entrypoint?: RecordedResource | undefined;
  readonly migration?: RecordedResource | undefined;
}

/** What the state declares, by zone, in its order. */
export function declaredZones(resources: readonly RecordedResource[]): readonly DeclaredZone[] {
  const ids = distinct(resources.map(({ zoneId }) => zoneId));
  return ids.map((zoneId) =>
    declaredZone(
      zoneId,
      resources.filter((resource) => resource.zoneId === zoneId),
    ),
  );
}

export function declaredZone(zoneId: string, resources: readonly RecordedResource[]): DeclaredZone {
  const first = (object: ReturnType<typeof objectOf>): RecordedResource | undefined =>
    resources.find((resource) => objectOf(resource) === object);
  return {
    zoneId,
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

/** What the resource has in its zone. */
export function objectOf({ kind }: RecordedResource): "settings" | "policy" | "rule" | "migration" {
  return kinds[kind]().inZone.object;
}
