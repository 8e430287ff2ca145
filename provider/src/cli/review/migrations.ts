import { declaredAsIn } from "../../lifecycle/urn";
import type { ReviewMigration, ReviewRule } from "../../reports/review/review";
import { readableRules, ruleInWords } from "../../resources/waf-migration/readable-rules";
import { asRule } from "../../resources/waf-migration/rules";
import { capped } from "../../text/clean";
import { type MigrationPlan, migrationPlan } from "./agreed-data";
import type { PreviewStep, ReadFinding } from "./preview-read";
import { isChanging, recordIn, stringIn } from "./zone-objects";

/** The steps of WAF migrations that may do what cannot be undone, by the engine's word alone. */
export function migrationSteps(steps: readonly PreviewStep[]): PreviewStep[] {
  return steps.filter(
    (step) =>
      step.isOurs &&
      step.kind === "WafMigrationStep" &&
      isChanging(step) &&
      step.op !== "delete" &&
      !isDone(step),
  );
}

/** The state says that the stage is reached, and nothing that could be sent differs. */
function isDone({ op, before, after, recorded, differences }: PreviewStep): boolean {
  const stage = after?.["stage"];
  const { reached, applied } = recorded ?? {};
  if (op !== "update" || applied === undefined || before?.["zoneId"] !== after?.["zoneId"]) return false;
  if (reached === "finished") return stage === "finished";
  const isSent = (path: string): boolean => /^(stage|ruleOverrides|configuration)\b/.test(path);
  return reached === "validation" && stage === "validation" && !differences.some(({ path }) => isSent(path));
}

/** What the preview says of a migration, the gravest first. None of it takes a migration out of the box. */
const order = [
  ...["migration-finishes", "migration-validates", "migration-not-looked-at"],
  ...["migration-under-way", "migration-taken-over", "migration-no-effect"],
];

/** Characters of one of them; and how many there are: a program can make up more. */
const longestFact = 300;
const mostFacts = 4;

/** Box entries; `used`: findings that are in them. */
export function migrationsOf(
  steps: readonly PreviewStep[],
  findings: readonly ReadFinding[],
): { readonly migrations: readonly ReviewMigration[]; readonly used: ReadonlySet<ReadFinding> } {
  const used = new Set<ReadFinding>();
  const migrations = migrationSteps(steps).map((step): ReviewMigration => {
    // What only the file has may be of anybody's writing.
    const said = findings
      .filter(
        ({ urn, code, severity, isShown }) =>
          isShown && urn === step.urn && severity !== "error" && order.includes(code),
      )
      .sort((left, right) => order.indexOf(left.code) - order.indexOf(right.code));
    for (const finding of said) used.add(finding);
    // Where several messages claim to be the plan, nobody can tell which is: all are there as they came.
    const claims = said.filter(({ code }) => order.indexOf(code) < 2);
    const plans =
      claims.length === 1 ? claims.flatMap(({ text, data }) => migrationPlan(text, data) ?? []) : [];
    const rules = new Set(plans.flatMap(linesOf));
    const texts = said.map(({ text }) => text.split("\n"));
    const [place] = findings.filter(({ urn, file }) => urn === step.urn && file !== undefined);
    return {
      name: declaredAsIn(step.urn),
      zone: step.zone,
      stage: stringIn(step.after?.["stage"]) ?? "not known",
      facts: [
        consequenceOf(step),
        ...historyOf(step, said.length > 0),
        ...said.slice(0, mostFacts).map((_, at) => {
          const text = (texts[at]?.[0] ?? "").replace(` of zone ${step.zone}`, "");
          return `The preview says: ${capped(text, longestFact)}`;
        }),
        ...(said.length === 0 ? ["The service was not asked how far the zone is."] : []),
      ],
      plan: plans.flatMap(({ configuration }) => configuration.rules.map(ruleOf)),
      remarks: texts.flatMap(([, ...rest]) => rest.filter((line) => !rules.has(bare(line)))),
      file: place?.file,
      line: place?.line,
    };
  });
  return { migrations, used };
}

/** By the step alone. */
function consequenceOf({ after }: PreviewStep): string {
  const stage = after?.["stage"];
  if (stage === "finished") return "ends the previous WAF for good, unless that has happened already.";
  if (stage === "validation")
    return "no way back to the previous WAF alone, unless the zone is there already.";
  return "what it does is not known yet.";
}

/** Of a zone that the state knows nothing of the preview may know more. */
function historyOf({ recorded, after }: PreviewStep, isAsked: boolean): string[] {
  if (after?.["stage"] !== "finished") return [];
  const { reached, startedAt } = recorded ?? {};
  const since = stringIn(startedAt)?.slice(0, 10);
  if (reached === "validation")
    return [`In validation${since === undefined ? "" : ` since ${since}`}, says the state.`];
  return isAsked ? [] : ["The state knows of no validation."];
}

function linesOf({ configuration: { name, rules } }: MigrationPlan): string[] {
  return readableRules({ name, rules: rules.map(asRule) }).map(bare);
}

function bare(line: string): string {
  return line.replace(/\s+/g, "");
}

function ruleOf(record: MigrationPlan["configuration"]["rules"][number]): ReviewRule {
  const { does, overrides } = ruleInWords(asRule(record));
  const { description, expression, enabled } = recordIn(record);
  return {
    description: stringIn(description) ?? "",
    condition: stringIn(expression) ?? "",
    isEnabled: enabled !== false,
    does,
    overrides,
  };
}
