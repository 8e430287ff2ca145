import type { Entrypoint, Policy, Settings } from "../api/client-types";
import type { PolicyDeclaration } from "./csp-policy/to-declaration";
import type { EntrypointDeclaration } from "./managed-waf-entrypoint/to-declaration";
import type { SettingsDeclaration } from "./page-guard-settings/to-declaration";

/**
 * Returns the arguments that declare an object in a zone. They contain no defaults and, except for the `ref` of a rule, no fields
 * that the service created. A resource with these arguments adopts the object and changes nothing.
 *
 * @example
 * ```ts
 * import { CspPolicy, getPolicies, toDeclaration } from "pulumi-page-guard";
 *
 * const [policy] = await getPolicies({ zoneId });
 * new CspPolicy("checkout", { zoneId, ...toDeclaration(policy) });
 * ```
 *
 * @throws InputError (`PG_INPUT`) if no argument can express a value, for example an action that this version does not know.
 */
export function toDeclaration(policy: Policy): PolicyDeclaration;
export function toDeclaration(entrypoint: Entrypoint): EntrypointDeclaration;
export function toDeclaration(settings: Settings): SettingsDeclaration;
export function toDeclaration(
  found: Settings | Policy | Entrypoint,
): SettingsDeclaration | PolicyDeclaration | EntrypointDeclaration {
  // Loaded on first use, because most programs do not need these functions.
  if ("rules" in found) {
    const { entrypointDeclaration } =
      require("./managed-waf-entrypoint/to-declaration") as typeof import("./managed-waf-entrypoint/to-declaration");
    return entrypointDeclaration(found);
  }
  if ("value" in found) {
    const { policyDeclaration } =
      require("./csp-policy/to-declaration") as typeof import("./csp-policy/to-declaration");
    return policyDeclaration(found);
  }
  const { settingsDeclaration } =
    require("./page-guard-settings/to-declaration") as typeof import("./page-guard-settings/to-declaration");
  return settingsDeclaration(found);
}
