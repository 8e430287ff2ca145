import { parseKind } from "../model/urn";
import type {
  CspPolicyProps,
  CspPolicySetProps,
  EntrypointProps,
  SettingsProps,
  WafMigrationProps,
} from "./declared-props";

/**
 * A resource as a policy pack receives it: the arguments of `validateResource`, or one of the `resources` of `validateStack`.
 * Compatible with the types of `@pulumi/policy`.
 */
export interface PackResource {
  /** Type token of the resource. */
  readonly type: string;
  readonly urn: string;
  readonly name: string;
  readonly props: Readonly<Record<string, unknown>>;
}

/** A resource whose arguments have types. */
export type Typed<Resource extends PackResource, Props> = Resource & { readonly props: Props };

function guard<Props>(kind: string) {
  return <R extends PackResource>(resource: R): resource is Typed<R, Props> =>
    parseKind(resource.type) === kind;
}

/** Whether a resource is a `PageGuardSettings`. Narrows the type of its arguments. */
export const isPageGuardSettings = guard<SettingsProps>("PageGuardSettings");

/** Whether a resource is a `CspPolicy`. Narrows the type of its arguments. `policiesOf` reads policies and sets alike. */
export const isCspPolicy = guard<CspPolicyProps>("CspPolicy");

/** Whether a resource is a `CspPolicySet`. Narrows the type of its arguments. `policiesOf` reads policies and sets alike. */
export const isCspPolicySet = guard<CspPolicySetProps>("CspPolicySet");

/** Whether a resource is a `ManagedWafEntrypoint`. Narrows the type of its arguments. */
export const isManagedWafEntrypoint = guard<EntrypointProps>("ManagedWafEntrypoint");

/**
 * Whether a resource is the child that does the work of a `WafMigration`. Narrows the type of its arguments. Rules should read
 * this child, because the component around it has outputs only.
 */
export const isWafMigration = guard<WafMigrationProps>("WafMigrationStep");

/** Whether a resource belongs to this package and has a zone. */
export function isOfPageGuard<R extends PackResource>(
  resource: R,
): resource is Typed<R, { readonly zoneId: string }> {
  const kind = parseKind(resource.type);
  // The component around a migration has outputs only.
  return kind !== undefined && kind !== "WafMigration";
}

/** Returns the name of a URN's stack, without organisation and project. */
export function stackOf(urn: string): string {
  return /^urn:pulumi:(.*?)::/.exec(urn)?.[1] ?? "";
}
