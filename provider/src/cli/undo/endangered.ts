import type { Policy } from "../../api/client-types";
import type { ZonePart } from "../../zone/read-zone";
import { declaredSayings, policyChanges, sayingOf } from "../review/policy-changes";
import type { PreviewRead, PreviewStep } from "../review/preview-read";
import { ruleChanges } from "../review/rule-changes";
import { settingsChanges } from "../review/settings-changes";
import { recordedPolicies } from "../review/stack-policies";
import { isChanging, type ObjectChange, takesOthers } from "../review/zone-objects";
import { distinct } from "../values";

/** What an update deletes or overwrites in a zone, by its steps alone: findings are not needed. */
export interface Endangered {
  readonly zoneId: string;
  /** Parts of the zone with something of that. The list of WAF rules is always written as a whole. */
  readonly parts: readonly ZonePart[];
  /** What happens to a live policy. Undefined: nothing. */
  fateOf(policy: Policy): "deleted" | "overwritten" | undefined;
}

export function endangeredIn({ steps }: PreviewRead): Endangered[] {
  const changing = steps.filter((step) => step.isOurs && isChanging(step));
  const policies = policyChanges(steps);
  const settings = changedZones(settingsChanges(steps));
  // Whatever differs: the list that is overwritten may have rules of others.
  const rules = new Set([...changedZones(ruleChanges(steps)), ...zonesOf(changing.filter(writesRules))]);
  const exact = zonesOf(
    changing.filter((step) => step.kind === "CspPolicySet" && takesOthers(step) !== "no"),
  );
  const inState = steps.filter(({ isOurs }) => isOurs).flatMap(recordedPolicies);
  // An exact set may delete what a resource just left in the zone.
  const own = new Set(inState.flatMap(({ fate, id }) => (fate === "left" ? [] : [id])));
  const declared = declaredSayings(steps.filter(({ isOurs }) => isOurs));
  const fates = new Map(
    policies.flatMap(({ id, fate }) => {
      const known = { delete: "deleted", update: "overwritten" } as const;
      return id !== undefined && (fate === "delete" || fate === "update") ? [[id, known[fate]]] : [];
    }),
  );
  const zones = new Set([...settings, ...rules, ...exact, ...changedZones(policies)]);
  return [...zones].sort().map((zoneId) => {
    const isTouched = policies.some(({ zone, id }) => zone === zoneId && fates.has(id ?? ""));
    return {
      zoneId,
      parts: [
        ...(settings.has(zoneId) ? (["settings"] as const) : []),
        ...(exact.has(zoneId) || isTouched ? (["policies"] as const) : []),
        ...(rules.has(zoneId) ? (["entrypoint"] as const) : []),
      ],
      fateOf(policy) {
        // An exact set deletes what it neither has nor adopts.
        const isOthers = !own.has(policy.policyId) && !declared.has(sayingOf(zoneId, { ...policy }) ?? "");
        return fates.get(policy.policyId) ?? (exact.has(zoneId) && isOthers ? "deleted" : undefined);
      },
    };
  });
}

function changedZones(changes: readonly ObjectChange[]): ReadonlySet<string> {
  return zonesOf(changes.filter(({ fate }) => fate !== "leave"));
}

function zonesOf(list: readonly { readonly zone: string | undefined }[]): ReadonlySet<string> {
  return new Set(distinct(list.map(({ zone }) => zone)));
}

function writesRules({ kind }: PreviewStep): boolean {
  return kind === "ManagedWafEntrypoint" || kind === "WafMigrationStep";
}
