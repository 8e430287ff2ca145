import { capped, declaredAsIn } from "pulumi-page-guard/tools";
import { isChanging, isError, type PreviewStep, type ReadFinding } from "../preview/preview-read";
import type { ReviewMigration } from "../reports/review/review";
import { stringIn } from "../values";

/** Findings of a migration, the gravest first. None of them removes a migration from the box. */
const order = ["finishes", "validates", "not-checked", "under-way", "adopted", "no-effect"].map(
  (end) => `migration-${end}`,
);

/** Limits of what is quoted: a program can invent findings. */
const longestFact = 300;
const mostFacts = 4;

/** WAF migrations that may do what cannot be undone, by the engine's events alone. `used`: findings that are in the entries. */
export function migrationsOf(steps: readonly PreviewStep[], findings: readonly ReadFinding[]) {
  const used = new Set<ReadFinding>();
  const mayAct = (step: PreviewStep): boolean =>
    step.isOurs &&
    step.kind === "WafMigrationStep" &&
    step.op !== "delete" &&
    isChanging(step) &&
    !isDone(step);
  const migrations = steps.filter(mayAct).map((step): ReviewMigration => {
    const { urn, zone, after, file, line } = step;
    const own = findings
      .filter((one) => one.urn === urn && one.isShown && !isError(one) && order.includes(one.code))
      .sort((left, right) => order.indexOf(left.code) - order.indexOf(right.code));
    for (const finding of own) used.add(finding);
    const texts = own.map(({ text }) => text.split("\n"));
    const quoted = texts.slice(0, mostFacts).map(([first = ""]) => {
      return `From the preview: ${capped(first.replace(` of zone ${zone}`, ""), longestFact)}`;
    });
    const unasked =
      own.length > 0 ? [] : ["The preview did not ask the service about the stage of the zone."];
    return {
      ...{ name: declaredAsIn(urn), zone, stage: stringIn(after?.["stage"]) ?? "not known", file, line },
      facts: [...consequencesOf(step), ...quoted, ...unasked],
      // With the rules that are sent.
      remarks: texts.flatMap(([, ...rest]) => rest),
    };
  });
  return { migrations, used };
}

/** The stage is reached in the state, and nothing that would be sent differs. */
function isDone({ op, before, after, recorded, differences }: PreviewStep): boolean {
  const stage = after?.["stage"];
  const { reached, applied } = recorded ?? {};
  if (op !== "update" || applied === undefined || before?.["zoneId"] !== after?.["zoneId"]) return false;
  if (reached === "finished") return stage === "finished";
  const isSent = differences.some(({ path }) => /^(stage|ruleOverrides|configuration)\b/.test(path));
  return reached === "validation" && stage === "validation" && !isSent;
}

function consequencesOf({ after, recorded }: PreviewStep): string[] {
  const stage = after?.["stage"];
  if (stage === "validation")
    return ["no way back to the previous WAF alone, unless the zone is in validation already."];
  if (stage !== "finished") return ["its stage is not known yet."];
  const since = stringIn(recorded?.["startedAt"])?.slice(0, 10);
  return [
    "ends the previous WAF for good, unless it has ended already.",
    recorded?.["reached"] === "validation"
      ? `In validation${since === undefined ? "" : ` since ${since}`}, according to the state.`
      : "The state has no validation.",
  ];
}
