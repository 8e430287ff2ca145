import type { Policy } from "../../api/client-types";
import { declaredSayings, policyChanges, sayingOf } from "../review/policy-changes";
import { type PreviewRead, type PreviewStep, unknownValue } from "../review/preview-read";
import { ruleChanges } from "../review/rule-changes";
import { settingsChanges } from "../review/settings-changes";
import { isChanging } from "../review/zone-objects";
import { recordIn, stringIn } from "../values";

/** What an update deletes or overwrites in a zone, by its steps alone: findings are not needed. */
export interface Endangered {
  readonly zoneId: string;
  readonly hasSettings: boolean;
  /** The list of WAF rules, which is always written as a whole. */
  readonly hasRules: boolean;
  /** What happens to a live policy. Undefined: nothing. */
  fateOf(policy: Policy): "deleted" | "overwritten" | undefined;
  readonly hasPolicies: boolean;
}

export function endangeredIn({ steps }: PreviewRead): Endangered[] {
  const changing = steps.filter((step) => step.isOurs && isChanging(step));
  const policies = policyChanges(steps);
  const lasting = (zone: string | undefined, fate: string): zone is string =>
    zone !== undefined && fate !== "leave";
  const settings = new Set(
    settingsChanges(steps).flatMap((one) => (lasting(one.zone, one.fate) ? one.zone : [])),
  );
  const rules = new Set([
    ...ruleChanges(steps).flatMap((one) => (lasting(one.zone, one.fate) ? one.zone : [])),
    // Whatever differs: the list that is overwritten may have rules of others.
    ...changing.filter(writesRules).flatMap(({ zone }) => zone ?? []),
  ]);
  const exact = new Set(changing.filter(isExact).flatMap(({ zone }) => zone ?? []));
  const own = ownIds(steps);
  const declared = declaredSayings(steps);
  const touched = new Map(
    policies.flatMap(({ id, fate }) =>
      id !== undefined && (fate === "delete" || fate === "update") ? [[id, fate] as const] : [],
    ),
  );
  const zones = new Set([
    ...settings,
    ...rules,
    ...exact,
    ...policies.flatMap((one) => (lasting(one.zone, one.fate) ? one.zone : [])),
  ]);
  return [...zones].sort().map((zoneId) => ({
    zoneId,
    hasSettings: settings.has(zoneId),
    hasRules: rules.has(zoneId),
    hasPolicies:
      exact.has(zoneId) || policies.some(({ zone, id }) => zone === zoneId && touched.has(id ?? "")),
    fateOf(policy) {
      const fate = touched.get(policy.policyId);
      if (fate !== undefined) return fate === "delete" ? "deleted" : "overwritten";
      // An exact set deletes what it neither has nor adopts.
      const isOthers = !own.has(policy.policyId) && !declared.has(sayingOf(zoneId, { ...policy }) ?? "");
      return exact.has(zoneId) && isOthers ? "deleted" : undefined;
    },
  }));
}

function writesRules({ kind }: PreviewStep): boolean {
  return kind === "ManagedWafEntrypoint" || kind === "WafMigrationStep";
}

function isExact({ kind, after }: PreviewStep): boolean {
  return kind === "CspPolicySet" && (after?.["others"] === "delete" || after?.["others"] === unknownValue);
}

/** Ids of policies that resources of the stack keep or change. */
function ownIds(steps: readonly PreviewStep[]): ReadonlySet<string> {
  return new Set(
    steps
      // An exact set may delete what a resource just left in the zone.
      .filter(
        ({ op, isRetained, recorded }) =>
          op !== "delete" || !(isRetained || recorded?.["onDestroy"] === "keep"),
      )
      .flatMap(({ recorded }) => [
        stringIn(recorded?.["policyId"]),
        ...Object.values(recordIn(recorded?.["policyIds"])).map(stringIn),
      ])
      .filter((id) => id !== undefined),
  );
}
