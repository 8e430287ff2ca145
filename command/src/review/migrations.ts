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
export function migrationsOf(
  steps: readonly PreviewStep[],
  findings: readonly ReadFinding[],
): { readonly migrations: readonly ReviewMigration[]; readonly used: ReadonlySet<ReadFinding> } {
  const used = new Set<ReadFinding>();
  const mayAct = steps.filter(
    (step) =>
      step.isOurs &&
      step.kind === "WafMigrationStep" &&
      isChanging(step) &&
      step.op !== "delete" &&
      !isDone(step),
  );
  const migrations = mayAct.map((step): ReviewMigration => {
    const of = findings.filter(({ urn }) => urn === step.urn);
    const own = of
      .filter((finding) => finding.isShown && !isError(finding) && order.includes(finding.code))
      .sort((left, right) => order.indexOf(left.code) - order.indexOf(right.code));
    for (const finding of own) used.add(finding);
    const texts = own.map(({ text }) => text.split("\n"));
    const place = of.find(({ file }) => file !== undefined);
    return {
      name: declaredAsIn(step.urn),
      zone: step.zone,
      stage: stringIn(step.after?.["stage"]) ?? "not known",
      facts: [
        ...consequencesOf(step, own.length > 0),
        ...texts.slice(0, mostFacts).map(([first = ""]) => {
          const text = first.replace(` of zone ${step.zone}`, "");
          return `From the preview: ${capped(text, longestFact)}`;
        }),
        ...(own.length === 0 ? ["The preview did not ask the service about the stage of the zone."] : []),
      ],
      // With the rules that are sent.
      remarks: texts.flatMap(([, ...rest]) => rest),
      ...{ file: place?.file, line: place?.line },
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
  const isSent = (path: string): boolean => /^(stage|ruleOverrides|configuration)\b/.test(path);
  return reached === "validation" && stage === "validation" && !differences.some(({ path }) => isSent(path));
}

function consequencesOf({ after, recorded }: PreviewStep, isAsked: boolean): string[] {
  const stage = after?.["stage"];
  if (stage === "validation")
    return ["no way back to the previous WAF alone, unless the zone is in validation already."];
  if (stage !== "finished") return ["its stage is not known yet."];
  const ends = "ends the previous WAF for good, unless it has ended already.";
  const since = stringIn(recorded?.["startedAt"])?.slice(0, 10);
  if (recorded?.["reached"] === "validation")
    return [ends, `In validation${since === undefined ? "" : ` since ${since}`}, according to the state.`];
  return isAsked ? [ends] : [ends, "The state has no validation."];
}
