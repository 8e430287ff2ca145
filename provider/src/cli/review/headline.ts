import type { ReviewLoss, ReviewNote } from "../../reports/review/review";
import { counted, plural } from "../../text/plural";
import { sumOf } from "../values";
import { letInCounts } from "./blocked";
import { objectCounts } from "./counts";
import type { PreviewRead, ReadFinding } from "./preview-read";
import type { ObjectChange } from "./zone-objects";
import type { ReviewFacts } from "./zone-rows";

/** One sentence: how the preview ended, or what happens in zones. */
export function headlineOf(
  read: PreviewRead,
  isUnchanged: boolean,
  { steps, changes, migrations }: ReviewFacts,
  findings: readonly ReadFinding[],
): string {
  if (read.result === "failed")
    return "The preview failed: nothing can be applied until its errors are fixed. Steps that the engine had not reached are not in this review.";
  if (read.result === "unfinished") return "The preview ended early: this review is incomplete.";
  if (isUnchanged) return "Nothing changes.";
  const finishing = migrations.filter(({ stage }) => stage === "finished").length;
  const counts = [
    objectCounts(changes, "todo"),
    ...counted(
      [
        migrations.length - finishing,
        "WAF migration to start or adjust",
        "WAF migrations to start or adjust",
      ],
      [finishing, "WAF migration to finish", "WAF migrations to finish"],
      [
        steps.filter(({ isOurs, isComponent }) => !isOurs && !isComponent).length,
        "resource of other packages to change",
        "resources of other packages to change",
      ],
    ),
  ].filter((text) => text !== "");
  const zones = new Set([...changes, ...migrations].flatMap(({ zone }) => zone ?? [])).size;
  const where = zones < 2 ? "" : `, in ${zones} zones`;
  const adopted = adoptedIn(changes, findings);
  const already =
    adopted === 0
      ? ""
      : ` The preview found ${adopted} of the objects to create in ${adopted === 1 ? "its zone: it is" : "the zones: they are"} adopted.`;
  const all = counts.join(", ") || "Nothing of this stack changes in its zones";
  return `${all[0]?.toUpperCase() ?? ""}${all.slice(1)}${where}.${already}`;
}

/** Policies to create that the preview found in their zones. */
function adoptedIn(changes: readonly ObjectChange[], findings: readonly ReadFinding[]): number {
  return sumOf(
    findings.filter(({ code, isShown }) => code === "csp-adopted" && isShown),
    ({ text, urn }) => {
      const found = Number(/exactly these (\d{1,5}) policies/.exec(text)?.[1] ?? 1);
      const created = changes.filter(({ fate, step }) => fate === "create" && step.urn === urn).length;
      return Math.min(found, created);
    },
  );
}

/** What nobody may miss, a sentence each. */
export function alertsOf(
  { changes, migrations, losses, blocked, letIn }: ReviewFacts,
  [failure]: readonly ReviewNote[],
): string[] {
  const zones = (list: readonly { readonly zone: string | undefined }[]): string =>
    plural(new Set(list.map(({ zone }) => zone)).size, "zone");
  const weaker = changes.filter(({ weaker: how }) => how !== undefined);
  const lostIn = (one: ReviewFacts["blocked"][number]): number => one.scripts + one.connections + one.unnamed;
  const harmed = blocked.filter((one) => lostIn(one) > 0);
  const malicious = letInCounts(letIn, "malicious ");
  return [
    ...(migrations.length > 0
      ? [`${plural(migrations.length, "WAF migration")} in ${zones(migrations)} cannot be undone.`]
      : []),
    ...lossAlerts(losses),
    ...(failure ? [`The update will most likely fail: ${failure.text.split("\n", 1)[0] ?? ""}`] : []),
    ...(harmed.length > 0
      ? [
          `Visitors would lose ${plural(sumOf(harmed, lostIn), "script or connection", "scripts and connections")} in use, in ${zones(harmed)}.`,
        ]
      : []),
    ...(malicious.length > 0 ? [`Policies let in ${malicious.join(" and ")}, in ${zones(letIn)}.`] : []),
    ...(weaker.length > 0 ? [`Protection gets weaker in ${zones(weaker)}.`] : []),
  ];
}

function lossAlerts(losses: readonly ReviewLoss[]): string[] {
  const sure = losses.filter(({ fate }) => fate !== "maybe deleted");
  const count = (kind: ReviewLoss["kind"]): number =>
    sumOf(
      sure.filter((loss) => loss.kind === kind),
      (loss) => loss.count,
    );
  const lost = counted([count("policy"), "policy", "policies"], [count("rule"), "WAF rule"]);
  return [
    ...(lost.length === 0 ? [] : [`${lost.join(" and ")} of others will be deleted or overwritten.`]),
    ...(sure.length === losses.length
      ? []
      : ["Policies or rules of others may be deleted: nobody has checked which."]),
  ];
}
