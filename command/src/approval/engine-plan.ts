import {
  enumerate,
  isSameRule,
  parseJson,
  parseKind,
  parseRules,
  parseZoneId,
  type Rule,
  readDeclaredAs,
  readMark,
  toObjectType,
} from "pulumi-page-guard/tools";
import * as z from "zod";
import { forTerminal, readReason } from "../documents/escape";
import type { PreviewRead } from "../preview/preview-read";
import { type PlannedZone, type ReadingContext, readZones } from "../review/read-zones";
import { CommandError } from "../shared/command-error";
import { resourceText } from "../shared/labels";
import { readRegularFile } from "../shared/read-text";
import { asRecord, asString } from "../shared/values";
import type { StateResource } from "../state/read-state";
import type { ApprovedContent } from "./approved-file";
import { findPlaces } from "./places";
import { requireRead } from "./zone-contents";

const dependencies = z.record(z.string(), z.array(z.string()).nullable()).nullish();
const goal = z.looseObject({ propertyDependencies: dependencies }).nullish();
/** Schema of the fields of the engine's plan that the command reads. CLI 3.259 writes plans of this form. */
const planSchema = z.looseObject({
  manifest: z.looseObject({}),
  resourcePlans: z.record(z.string(), z.looseObject({ goal })),
});

const mostBytes = 64_000_000;

/** Returns the plan of the engine. @throws CommandError if the file is not a plan of this stack, or has secrets in plain text. */
export function readEnginePlan(file: string, { project, stack }: Pick<ApprovedContent, "project" | "stack">) {
  const unusable = (why: string): CommandError =>
    new CommandError(
      `Failed to use the engine's plan: it ${why}. Without a plan, the update could differ from the approval, so no file was written. Preview again.`,
    );
  let text: string;
  try {
    text = readRegularFile(file, mostBytes).toString("utf8");
  } catch (error) {
    throw unusable(`cannot be read (${readReason(error)})`);
  }
  const plan = planSchema.safeParse(parseJson(text)).data;
  if (!plan) throw unusable("is not the output of `pulumi preview --save-plan`");
  const own = `urn:pulumi:${stack}::${project}::`;
  if (!Object.keys(plan.resourcePlans).every((urn) => urn.startsWith(own)))
    throw unusable("does not belong to the stack of the preview");
  const open = findPlaces(
    plan,
    (value) => readMark(value) === "secret" && Object.hasOwn(Object(value), "plaintext"),
  );
  if (open.length > 0) throw unusable("has secrets in plain text, from --show-secrets");
  return text;
}

/**
 * Returns the approval for the rest of an update. In its engine plan, each import that is already done becomes a step `same`,
 * because the engine refuses a plan with such an import. `left`: the steps that the current preview shows.
 */
export function approveRest(approved: ApprovedContent, left: ApprovedContent["steps"]): ApprovedContent {
  const isLeft = (urn: string): boolean => left.some((step) => step.urn === urn);
  const done = approved.steps.filter(({ op, urn }) => op === "import" && !isLeft(urn));
  const plan = planSchema.safeParse(parseJson(approved.plan)).data;
  if (!plan || done.length === 0) return approved;
  const same = done.map(({ urn }) => [urn, { ...plan.resourcePlans[urn], steps: ["same"] }] as const);
  const resourcePlans = { ...plan.resourcePlans, ...Object.fromEntries(same) };
  return { ...approved, plan: JSON.stringify({ ...plan, resourcePlans }) };
}

/** Unknown inputs of an entry point. The preview does not know them, because the program takes them from the zone's migration. */
export type PassedOn = ReturnType<typeof findPassedOn>[number];

/**
 * Returns, for each entry point, the unknown inputs (`rules`, `name`) that depend only on the migration of its zone. The review
 * shows the rules that the migration sends, and after the update `checkPassedOn` compares the entry point with these rules. Skips
 * entry points whose `foreignRules` is neither `"refuse"` nor `"keep"`.
 */
export function findPassedOn({ steps, plan }: Pick<ApprovedContent, "steps" | "plan">) {
  /** Whether a URN belongs to the migration of a zone: to the component or to its child, which does the work. */
  const migratesZone = (zoneId: string, urn: string): boolean => {
    const named = steps.filter(
      (step) =>
        toObjectType(parseKind(step.type)) === "migration" &&
        readDeclaredAs(step.urn) === readDeclaredAs(urn),
    );
    return named.length > 0 && named.every(({ after }) => parseZoneId(after?.["zoneId"]) === zoneId);
  };
  const { resourcePlans = {} } = planSchema.safeParse(parseJson(plan)).data ?? {};
  return steps.flatMap(({ urn, type, op, after = {}, unknown }) => {
    const zoneId = parseZoneId(after["zoneId"]);
    const { foreignRules = "refuse" } = after;
    const isSafe = foreignRules === "refuse" || foreignRules === "keep";
    if (toObjectType(parseKind(type)) !== "rule" || op === "delete" || !isSafe || zoneId === undefined)
      return [];
    const inputs = ["rules", "name"].filter((name) => {
      const on = resourcePlans[urn]?.goal?.propertyDependencies?.[name] ?? [];
      const isUnknown = unknown.some(([first]) => first === name);
      return isUnknown && on.length > 0 && on.every((dependency) => migratesZone(zoneId, dependency));
    });
    return inputs.length === 0 ? [] : [{ urn, zoneId, inputs }];
  });
}

/** Reads entry points, and describes how their rules and names differ from those that the review showed for the migration. */
export async function checkPassedOn(
  reading: ReadingContext,
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
    const { rules, name = "" } = requireRead(reading, one).values.entrypoint ?? { rules: [] };
    const sent = findings
      .filter(({ code, zone }) => code.startsWith("migration-") && parseZoneId(zone) === zoneId)
      .map(({ data }) => asRecord(data?.["configuration"]))
      .find(({ rules: list }) => Array.isArray(list));
    const { objects = [] } = approved.zones.find((zone) => zone.zoneId === zoneId) ?? {};
    const before = objects.filter(({ kind }) => kind === "rule").map(({ fields }) => fields);
    // A migration that sends nothing leaves the list of rules unchanged.
    const expected = parseRules(sent?.["rules"] ?? before);
    const quoted = (text: string): string => forTerminal(JSON.stringify(text), 100);
    const labels = (list: readonly Rule[]): string =>
      enumerate(list.map(({ description, expression }) => quoted(description || expression))) || "none";
    const parts = areSame(expected, rules)
      ? []
      : [`the rules are ${labels(rules)} instead of ${labels(expected)}`];
    const isNamed = passedOn.some(({ zoneId: id, inputs }) => id === zoneId && inputs.includes("name"));
    const sentName = asString(sent?.["name"]) ?? name;
    if (isNamed && sentName !== name)
      parts.push(`the name of the list is ${quoted(name)} instead of ${quoted(sentName)}`);
    return parts.length === 0 ? [] : [`zone ${zoneName(zoneId)}: ${parts.join(", ")}`];
  });
}

/** Describes each entry point whose rules or name in the state differ from those that the migration applied. Safe to show. */
export function checkPassedOnState(
  approved: Pick<ApprovedContent, "steps" | "plan">,
  state: readonly StateResource[],
): readonly string[] {
  return findPassedOn(approved).flatMap(({ urn, zoneId, inputs: passed }) => {
    const step = state.find(
      ({ type, inputs }) =>
        toObjectType(parseKind(type ?? "")) === "migration" && parseZoneId(inputs?.["zoneId"]) === zoneId,
    );
    const applied = asRecord(step?.outputs?.["applied"]);
    const list = state.find((one) => one.urn === urn && !one.delete)?.inputs ?? {};
    const isSame = (name: string): boolean =>
      name === "rules"
        ? areSame(parseRules(applied[name]), parseRules(list[name]))
        : applied[name] === list[name];
    const names = passed.filter((name) => !isSame(name));
    return names.length === 0
      ? []
      : [`${resourceText(urn)} does not have the migration's ${names.join(", ")}`];
  });
}

function areSame(expected: readonly Rule[], rules: readonly Rule[]): boolean {
  const isSame = (wanted: Rule, at: number): boolean =>
    rules.slice(at, at + 1).some((rule) => isSameRule(wanted, rule));
  return rules.length === expected.length && expected.every(isSame);
}
