import type { ReviewLoss, ReviewNote } from "../../reports/review/review";
import { objectCounts, plural } from "./counts";
import { letInCounts } from "./let-in";
import type { PreviewRead, ReadFinding } from "./preview-read";
import type { ObjectChange } from "./zone-objects";
import type { Told } from "./zone-rows";

/** One sentence: how it ended, or what happens in zones. */
export function headlineOf(
  read: PreviewRead,
  isUnchanged: boolean,
  { steps, changes, migrations }: Told,
  findings: readonly ReadFinding[],
): string {
  if (read.result === "failed")
    return "The preview failed: nothing can be applied before what stops it is fixed. Steps that the engine had not reached are not in this review.";
  if (read.result === "unfinished") return "The preview ended early: this review is incomplete.";
  if (isUnchanged) return "Nothing changes.";
  const others = steps.filter(({ isOurs, isComponent }) => !isOurs && !isComponent).length;
  const counts = [
    objectCounts(changes, "todo"),
    ...migrationCounts(migrations),
    ...(others > 0 ? [`${plural(others, "resource")} of other packages to change`] : []),
  ].filter((text) => text !== "");
  const zones = new Set([...changes, ...migrations].flatMap(({ zone }) => zone ?? [])).size;
  const where = zones < 2 ? "" : `, in ${zones} zones`;
  const adopted = adoptedIn(changes, findings);
  const already =
    adopted === 0
      ? ""
      : ` The preview found ${adopted} of what is to be created in ${adopted === 1 ? "its zone" : "the zones"}: ${adopted === 1 ? "it is" : "they are"} adopted.`;
  const all = counts.join(", ") || "Nothing of this stack changes in its zones";
  return `${all[0]?.toUpperCase() ?? ""}${all.slice(1)}${where}.${already}`;
}

function migrationCounts(migrations: Told["migrations"]): string[] {
  const finishing = migrations.filter(({ stage }) => stage === "finished").length;
  const others = migrations.length - finishing;
  return [
    ...(others > 0 ? [`${plural(others, "WAF migration")} to start or adjust`] : []),
    ...(finishing > 0 ? [`${plural(finishing, "WAF migration")} to finish`] : []),
  ];
}

/** Of the policies that are to be created those that the preview has found in their zones. */
function adoptedIn(changes: readonly ObjectChange[], findings: readonly ReadFinding[]): number {
  return findings
    .filter(({ code, isShown }) => code === "csp-taken-over" && isShown)
    .reduce((sum, { text, urn }) => {
      const found = Number(/exactly these (\d{1,5}) policies/.exec(text)?.[1] ?? 1);
      const created = changes.filter(({ fate, step }) => fate === "create" && step.urn === urn).length;
      return sum + Math.min(found, created);
    }, 0);
}

/** What nobody may miss, a sentence each. */
export function alertsOf(
  { changes, migrations, losses, blocked, letIn }: Told,
  [failure]: readonly ReviewNote[],
): string[] {
  const zones = (list: readonly { readonly zone: string | undefined }[]): string =>
    plural(new Set(list.map(({ zone }) => zone)).size, "zone");
  const weaker = changes.filter(({ weaker: how }) => how !== undefined);
  const lostIn = (one: Told["blocked"][number]): number => one.scripts + one.connections + one.unnamed;
  const harmed = blocked.filter((one) => lostIn(one) > 0);
  const items = harmed.reduce((sum, one) => sum + lostIn(one), 0);
  const malicious = letInCounts(letIn, "malicious ");
  return [
    ...(migrations.length > 0
      ? [`${plural(migrations.length, "WAF migration")} in ${zones(migrations)} cannot be undone.`]
      : []),
    ...lossAlert(losses),
    ...(failure ? [`The update will most likely fail: ${failure.text.split("\n", 1)[0] ?? ""}`] : []),
    ...(harmed.length > 0
      ? [
          `Visitors would lose ${plural(items, "script or connection", "scripts and connections")} in use, in ${zones(harmed)}.`,
        ]
      : []),
    ...(malicious.length > 0 ? [`Policies let in ${malicious.join(" and ")}, in ${zones(letIn)}.`] : []),
    ...(weaker.length > 0 ? [`Protection gets weaker in ${zones(weaker)}.`] : []),
  ];
}

function lossAlert(losses: readonly ReviewLoss[]): string[] {
  const count = (kind: ReviewLoss["kind"], isSure: boolean): number =>
    losses
      .filter((loss) => loss.kind === kind && (loss.fate === "maybe deleted") !== isSure)
      .reduce((sum, loss) => sum + loss.count, 0);
  const said = (isSure: boolean): string =>
    [
      ...(count("policy", isSure) > 0 ? [plural(count("policy", isSure), "policy", "policies")] : []),
      ...(count("rule", isSure) > 0 ? [plural(count("rule", isSure), "WAF rule")] : []),
    ].join(" and ");
  return [
    ...(said(true) === "" ? [] : [`${said(true)} of others will be deleted or overwritten.`]),
    ...(said(false) === "" ? [] : ["Policies or rules of others may be deleted: nobody has checked which."]),
  ];
}
