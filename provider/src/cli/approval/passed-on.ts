import { declaredAsIn, kindOf } from "../../lifecycle/urn";
import { forTerminal } from "../../reports/escape";
import { appliedSchema } from "../../resources/waf-migration/state";
import { anyWafRule, toRule } from "../../waf-rules/rule-input";
import { isSameRule } from "../../waf-rules/rule-match";
import { zoneIdOf } from "../../zone/zone-id";
import type { PreviewRead } from "../review/preview-read";
import { stringIn } from "../values";
import type { ApprovedContent, ApprovedStep } from "./approved-file";
import { dependenciesOf } from "./engine-plan";
import type { PlannedZone } from "./plan";
import { type Approving, readZones } from "./read-zones";

/** Inputs of an entry point that a migration of its zone writes in the same update. */
export interface PassedOn {
  readonly urn: string;
  readonly zoneId: string;
  readonly inputs: readonly string[];
}

/**
 * The unknown `rules` and `name` of entry points that depend on nothing but the migration of their zone: the review shows
 * what it sends. What they became is checked after the update.
 */
export function passedOnIn({ steps, plan }: Pick<ApprovedContent, "steps" | "plan">): readonly PassedOn[] {
  return steps.flatMap(({ urn, type, op, after = {}, unknown }) => {
    const zoneId = zoneIdOf(after["zoneId"]);
    const { foreignRules = "refuse" } = after;
    const isSafe = foreignRules === "refuse" || foreignRules === "keep";
    if (kindOf(type) !== "ManagedWafEntrypoint" || op === "delete" || !isSafe || zoneId === undefined)
      return [];
    const inputs = ["rules", "name"].filter((name) => {
      const on = dependenciesOf(plan, urn, name);
      return (
        unknown.some(([first]) => first === name) &&
        on.length > 0 &&
        on.every((dependency) => isMigrationOf(zoneId, dependency, steps))
      );
    });
    return inputs.length === 0 ? [] : [{ urn, zoneId, inputs }];
  });
}

/** By the name of the component, whose child does the work: programs depend on either. */
function isMigrationOf(zoneId: string, urn: string, steps: readonly ApprovedStep[]): boolean {
  const named = steps.filter(
    (step) => kindOf(step.type) === "WafMigrationStep" && declaredAsIn(step.urn) === declaredAsIn(urn),
  );
  return named.length > 0 && named.every(({ after }) => zoneIdOf(after?.["zoneId"]) === zoneId);
}

/** What the entry points have become that is not in the review's box of the migration. Safe to show. */
export async function notPassedOn(
  approving: Approving,
  passedOn: readonly PassedOn[],
  { zones, findings }: { readonly zones: readonly PlannedZone[]; readonly findings: PreviewRead["findings"] },
  approved: Pick<ApprovedContent, "zones">,
): Promise<readonly string[]> {
  const touched = zones.filter(({ zoneId }) => passedOn.some((one) => one.zoneId === zoneId));
  const texts = await readZones(approving, touched, async (client, { zoneId }) => {
    const { rules } = (await client.getEntrypoint(zoneId)) ?? { rules: [] };
    const box = findings
      .filter(({ code, zone }) => code.startsWith("migration-") && zoneIdOf(zone) === zoneId)
      .flatMap(({ data }) => appliedSchema.safeParse(data?.["configuration"]).data ?? [])[0];
    // A migration that sends nothing leaves the list as it is.
    const kept = approved.zones.find((zone) => zone.zoneId === zoneId)?.objects ?? [];
    const order = kept.find(({ kind }) => kind === "entrypoint")?.fields["order"];
    const expected = (
      box?.rules ??
      (Array.isArray(order) ? order : []).map(
        (id: unknown) => kept.find((one) => one.kind === "rule" && one.id === id)?.fields,
      )
    ).flatMap((rule) => {
      const known = anyWafRule.safeParse(rule);
      return known.success ? [toRule(known.data)] : [];
    });
    const label = (rule: object): string =>
      forTerminal(JSON.stringify(stringIn(Object(rule).description) || Object(rule).expression), 100);
    const missing = expected.filter((wanted) => !rules.some((rule) => isSameRule(wanted, rule)));
    const added = rules.filter((rule) => !expected.some((wanted) => isSameRule(wanted, rule)));
    const isInOrder =
      rules.length === expected.length &&
      expected.every((wanted, index) => {
        const rule = rules[index];
        return rule !== undefined && isSameRule(wanted, rule);
      });
    if (isInOrder) return [];
    const parts = [
      ...missing.map((rule) => `the rule ${label(rule)} is missing`),
      ...added.map((rule) => `the rule ${label(rule)} is not among them`),
    ];
    return [
      `zone ${zoneId}: ${parts.length === 0 ? "the rules are in another order, or one is there twice" : parts.join(", ")}`,
    ];
  });
  return texts.flat();
}
