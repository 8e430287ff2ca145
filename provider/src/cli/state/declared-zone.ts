import type { RecordedResource } from "./recorded";
import { isClosed, opened } from "./secrets";

/** A policy that a resource of the state declares. */
export interface DeclaredPolicy {
  readonly resource: RecordedResource;
  /** Before the name of an argument: empty, or `policies.checkout.` for one of a set. */
  readonly path: string;
  readonly policyId: string;
  /** Its arguments; values may be secrets. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a state declares of one zone. */
export interface DeclaredZone {
  readonly zoneId: string;
  readonly settings?: RecordedResource;
  readonly policies: readonly DeclaredPolicy[];
  /** Ids of policies or rules are secret and could not be opened: nobody can tell what is declared. */
  readonly arePoliciesHidden: boolean;
  readonly sets: readonly RecordedResource[];
  readonly entrypoint?: RecordedResource;
  readonly migration?: RecordedResource;
}

/** What the state declares, zone by zone, in the order of the state. */
export function declaredZones(resources: readonly RecordedResource[]): readonly DeclaredZone[] {
  const ids = [...new Set(resources.map(({ zoneId }) => zoneId))];
  return ids.map((zoneId) =>
    declaredZone(
      zoneId,
      resources.filter((resource) => resource.zoneId === zoneId),
    ),
  );
}

/** A zone of which the state may declare nothing. */
export function declaredZone(zoneId: string, resources: readonly RecordedResource[]): DeclaredZone {
  const first = (kind: RecordedResource["kind"]): RecordedResource | undefined =>
    resources.find((resource) => resource.kind === kind);
  const sets = resources.filter(({ kind }) => kind === "CspPolicySet");
  const settings = first("PageGuardSettings");
  const entrypoint = first("ManagedWafEntrypoint");
  const migration = first("WafMigrationStep");
  return {
    zoneId,
    ...(settings && { settings }),
    policies: resources.flatMap((resource) => {
      if (resource.kind === "CspPolicy") return [singlePolicy(resource)];
      return resource.kind === "CspPolicySet" ? policiesOfSet(resource) : [];
    }),
    arePoliciesHidden: sets.some(({ outputs }) => isClosed(outputs["policyIds"])),
    sets,
    ...(entrypoint && { entrypoint }),
    ...(migration && { migration }),
  };
}

function singlePolicy(resource: RecordedResource): DeclaredPolicy {
  const policyId = resource.id.slice(resource.id.indexOf("/") + 1);
  return { resource, path: "", policyId, args: resource.inputs };
}

function policiesOfSet(resource: RecordedResource): readonly DeclaredPolicy[] {
  const declared = record(resource.inputs["policies"]);
  return Object.entries(record(opened(resource.outputs["policyIds"]))).flatMap(([key, policyId]) =>
    typeof policyId === "string"
      ? [
          {
            resource,
            path: `policies.${key}.`,
            policyId,
            args: { description: key, ...record(declared[key]) },
          },
        ]
      : [],
  );
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
