import {
  appliedMigration as appliedSchema,
  declaredAsIn,
  isSameRule,
  kindOf,
  type Rule,
  zoneIdOf,
} from "pulumi-page-guard/tools";
import type { PreviewRead } from "../preview/preview-read";
import { forTerminal } from "../reports/escape";
import type { ApprovedContent, ApprovedStep } from "./approved-file";
import { dependenciesOf } from "./engine-plan";
import { rulesIn } from "./outcome";
import type { PreviewPlan } from "./plan";
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
  { zones, findings }: Pick<PreviewPlan, "zones"> & Pick<PreviewRead, "findings">,
  approved: Pick<ApprovedContent, "zones">,
  zoneName: (id: string) => string,
): Promise<readonly string[]> {
  const touched = zones.filter(({ zoneId }) => passedOn.some((one) => one.zoneId === zoneId));
  const texts = await readZones(approving, touched, async (client, { zoneId }) => {
    const { rules, name = "" } = (await client.getEntrypoint(zoneId)) ?? { rules: [] };
    const sent = findings
      .filter(({ code, zone }) => code.startsWith("migration-") && zoneIdOf(zone) === zoneId)
      .flatMap(({ data }) => appliedSchema.safeParse(data?.["configuration"]).data ?? [])[0];
    const { objects = [] } = approved.zones.find((zone) => zone.zoneId === zoneId) ?? {};
    const before = objects.filter(({ kind }) => kind === "rule").map(({ fields }) => fields);
    // A migration that sends nothing leaves the list as it is.
    const expected = rulesIn(sent?.rules ?? before);
    const named = (list: readonly Rule[], text: string): string[] =>
      list.map(
        (rule) => `the rule ${forTerminal(JSON.stringify(rule.description || rule.expression), 100)} ${text}`,
      );
    const missing = expected.filter((wanted) => !rules.some((rule) => isSameRule(wanted, rule)));
    const others = rules.filter((rule) => !expected.some((wanted) => isSameRule(wanted, rule)));
    const parts = [...named(missing, "is missing"), ...named(others, "is not among them")];
    const isSame =
      rules.length === expected.length &&
      expected.every((wanted, at) => rules.slice(at, at + 1).every((rule) => isSameRule(wanted, rule)));
    if (!isSame && parts.length === 0)
      parts.push("the rules are in another order, or one of them is there twice");
    const isNamed = passedOn.some((one) => one.zoneId === zoneId && one.inputs.includes("name"));
    if (isNamed && sent !== undefined && sent.name !== name) {
      const shownNames = [name, sent.name].map((one) => forTerminal(JSON.stringify(one), 100));
      parts.push(`the name of the list is ${shownNames.join(" and not ")}`);
    }
    return parts.length === 0 ? [] : [`zone ${zoneName(zoneId)}: ${parts.join(", ")}`];
  });
  return texts.flat();
}
