import { recordIn } from "../values";
import type { RecordedResource } from "./recorded";
import { isClosed, opened } from "./secrets";

export interface DeclaredPolicy {
  readonly resource: RecordedResource;
  /** Prefix of its arguments: empty, or `policies.checkout.` in a set. */
  readonly path: string;
  readonly policyId: string;
  /** Values may be `Secret`s. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a state declares of one zone. */
export interface DeclaredZone {
  readonly zoneId: string;
  /** All of them. */
  readonly resources: readonly RecordedResource[];
  readonly settings?: RecordedResource;
  readonly policies: readonly DeclaredPolicy[];
  /** Ids are secret and could not be decrypted, so nobody knows what is declared. */
  readonly arePoliciesHidden: boolean;
  readonly sets: readonly RecordedResource[];
  readonly entrypoint?: RecordedResource;
  readonly migration?: RecordedResource;
}

/** What the state declares, by zone, in its order. */
export function declaredZones(resources: readonly RecordedResource[]): readonly DeclaredZone[] {
  const ids = [...new Set(resources.map(({ zoneId }) => zoneId))];
  return ids.map((zoneId) =>
    declaredZone(
      zoneId,
      resources.filter((resource) => resource.zoneId === zoneId),
    ),
  );
}

export function declaredZone(zoneId: string, resources: readonly RecordedResource[]): DeclaredZone {
  const first = (kind: RecordedResource["kind"]): RecordedResource | undefined =>
    resources.find((resource) => resource.kind === kind);
  const sets = resources.filter(({ kind }) => kind === "CspPolicySet");
  const settings = first("PageGuardSettings");
  const entrypoint = first("ManagedWafEntrypoint");
  const migration = first("WafMigrationStep");
  return {
    zoneId,
    resources,
    ...(settings && { settings }),
    policies: resources.flatMap((resource) => {
      const { kind, id, inputs: args } = resource;
      if (kind === "CspPolicy")
        return [{ resource, path: "", policyId: id.slice(id.indexOf("/") + 1), args }];
      return kind === "CspPolicySet" ? policiesOfSet(resource) : [];
    }),
    arePoliciesHidden: sets.some(({ outputs }) => isClosed(outputs["policyIds"])),
    sets,
    ...(entrypoint && { entrypoint }),
    ...(migration && { migration }),
  };
}

function policiesOfSet(resource: RecordedResource): readonly DeclaredPolicy[] {
  const declared = recordIn(resource.inputs["policies"]);
  return Object.entries(recordIn(opened(resource.outputs["policyIds"]))).flatMap(([key, policyId]) => {
    const args = { description: key, ...recordIn(declared[key]) };
    return typeof policyId === "string" ? [{ resource, path: `policies.${key}.`, policyId, args }] : [];
  });
}
