import {
  appliedMigration as appliedSchema,
  declaredAsIn,
  isSameRule,
  kindOf,
  type Rule,
  valuesOf,
  zoneIdOf,
} from "pulumi-page-guard/tools";
import type { PreviewRead } from "../preview/preview-read";
import { forTerminal } from "../reports/escape";
import { type PlannedZone, type Reading, readZones } from "../review/read-zones";
import { rulesIn } from "../review/rules";
import type { ApprovedContent } from "./approved-file";
import { dependenciesOf } from "./engine-plan";

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
  /** By the name of the component, whose child does the work: programs depend on either. */
  const isMigrationOf = (zoneId: string, urn: string): boolean => {
    const named = steps.filter(
      (step) => kindOf(step.type) === "WafMigrationStep" && declaredAsIn(step.urn) === declaredAsIn(urn),
    );
    return named.length > 0 && named.every(({ after }) => zoneIdOf(after?.["zoneId"]) === zoneId);
  };
  return steps.flatMap(({ urn, type, op, after = {}, unknown }) => {
    const zoneId = zoneIdOf(after["zoneId"]);
    const { foreignRules = "refuse" } = after;
    const isSafe = foreignRules === "refuse" || foreignRules === "keep";
    if (kindOf(type) !== "ManagedWafEntrypoint" || op === "delete" || !isSafe || zoneId === undefined)
      return [];
    const inputs = ["rules", "name"].filter((name) => {
      const on = dependenciesOf(plan, urn, name);
      const isUnknown = unknown.some(([first]) => first === name);
      return isUnknown && on.length > 0 && on.every((dependency) => isMigrationOf(zoneId, dependency));
    });
    return inputs.length === 0 ? [] : [{ urn, zoneId, inputs }];
  });
}

/** What the entry points have become that is not in the review's box of the migration. Safe to show. */
export async function notPassedOn(
  reading: Reading,
  passedOn: readonly PassedOn[],
  planned: readonly PlannedZone[],
  { findings }: Pick<PreviewRead, "findings">,
  approved: Pick<ApprovedContent, "zones">,
  zoneName: (id: string) => string,
): Promise<readonly string[]> {
  const touched = planned.filter(({ zoneId }) => passedOn.some((one) => one.zoneId === zoneId));
  const all = await readZones(reading, touched, () => ["entrypoint"]);
  return all.flatMap((one) => {
    const { zoneId } = one.zone;
    if (!one.read) throw one.error;
    const { rules, name = "" } = valuesOf(one.read).entrypoint ?? { rules: [] };
    const sent = findings
      .filter(({ code, zone }) => code.startsWith("migration-") && zoneIdOf(zone) === zoneId)
      .flatMap(({ data }) => appliedSchema.safeParse(data?.["configuration"]).data ?? [])[0];
    const { objects = [] } = approved.zones.find((zone) => zone.zoneId === zoneId) ?? {};
    const before = objects.filter(({ kind }) => kind === "rule").map(({ fields }) => fields);
    // A migration that sends nothing leaves the list as it is.
    const expected = rulesIn(sent?.rules ?? before);
    const lacking = (list: readonly Rule[], those: readonly Rule[], text: string): string[] =>
      list
        .filter((rule) => !those.some((other) => isSameRule(rule, other)))
        .map(
          (rule) =>
            `the rule ${forTerminal(JSON.stringify(rule.description || rule.expression), 100)} ${text}`,
        );
    const parts = [
      ...lacking(expected, rules, "is missing"),
      ...lacking(rules, expected, "is not among them"),
    ];
    const isSame = (wanted: Rule, at: number): boolean =>
      rules.slice(at, at + 1).some((rule) => isSameRule(wanted, rule));
    if (parts.length === 0 && !(rules.length === expected.length && expected.every(isSame)))
      parts.push("the rules are in another order, or one of them is there twice");
    const isNamed = passedOn.some(({ zoneId: id, inputs }) => id === zoneId && inputs.includes("name"));
    if (isNamed && sent !== undefined && sent.name !== name) {
      const shownNames = [name, sent.name].map((text) => forTerminal(JSON.stringify(text), 100));
      parts.push(`the name of the list is ${shownNames.join(" and not ")}`);
    }
    return parts.length === 0 ? [] : [`zone ${zoneName(zoneId)}: ${parts.join(", ")}`];
  });
}
