/** The names under which `pulumi-page-guard/runtime` exports its providers. They are in people's state: never rename one. */
export const kindNames = [
  "PageGuardSettings",
  "CspPolicy",
  "ManagedWafEntrypoint",
  "WafMigrationStep",
] as const;

export type KindName = (typeof kindNames)[number];
