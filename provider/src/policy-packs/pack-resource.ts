import { kindOf } from "../model/urn";
import type {
  CspPolicyProps,
  CspPolicySetProps,
  EntrypointProps,
  SettingsProps,
  WafMigrationProps,
} from "./declared-props";

/**
 * What a policy pack gets for a resource: the arguments of `validateResource`, and each of the `resources` of
 * `validateStack`. Their own types, of `@pulumi/policy`, fit.
 */
export interface PackResource {
  /** The type token. */
  readonly type: string;
  readonly urn: string;
  readonly name: string;
  readonly props: Readonly<Record<string, unknown>>;
}

/** A resource whose arguments have types. */
export type Typed<Resource extends PackResource, Props> = Resource & { readonly props: Props };

function guard<Props>(kind: string) {
  return <R extends PackResource>(resource: R): resource is Typed<R, Props> => kindOf(resource.type) === kind;
}

/** Whether it is a `PageGuardSettings`; gives its arguments types. */
export const isPageGuardSettings = guard<SettingsProps>("PageGuardSettings");

/** Whether it is a `CspPolicy`; gives its arguments types. `policiesOf` knows both forms of a policy. */
export const isCspPolicy = guard<CspPolicyProps>("CspPolicy");

/** Whether it is a `CspPolicySet`; gives its arguments types. `policiesOf` knows both forms of a policy. */
export const isCspPolicySet = guard<CspPolicySetProps>("CspPolicySet");

/** Whether it is a `ManagedWafEntrypoint`; gives its arguments types. */
export const isManagedWafEntrypoint = guard<EntrypointProps>("ManagedWafEntrypoint");

/**
 * Whether it is the child of a `WafMigration` that does the work, once a migration; gives its arguments types. The
 * component around it has outputs only; rules should not read it.
 */
export const isWafMigration = guard<WafMigrationProps>("WafMigrationStep");

/** Whether it is any resource of this package that represents something in a zone. */
export function isOfPageGuard<R extends PackResource>(
  resource: R,
): resource is Typed<R, { readonly zoneId: string }> {
  const kind = kindOf(resource.type);
  // The component around a migration has outputs only.
  return kind !== undefined && kind !== "WafMigration";
}

/** The name of the stack that a URN belongs to, without organisation and project. */
export function stackOf(urn: string): string {
  return /^urn:pulumi:(.*?)::/.exec(urn)?.[1] ?? "";
}
