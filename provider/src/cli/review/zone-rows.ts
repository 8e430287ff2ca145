import type { ReviewLoss, ReviewMigration, ReviewZone } from "../../reports/review/review";
import { grouped } from "../../text/grouped";
import { counted } from "../../text/plural";
import { sumOf } from "../values";
import { type Blocked, type LetIn, letInCounts } from "./blocked";
import { objectCounts } from "./counts";
import { type PreviewStep, type ReadFinding, unknownValue } from "./preview-read";
import { policiesIn } from "./stack-policies";
import { isChanging, type ObjectChange, zonesOf } from "./zone-objects";

export interface ReviewFacts {
  readonly steps: readonly PreviewStep[];
  readonly findings: readonly ReadFinding[];
  readonly changes: readonly ObjectChange[];
  readonly migrations: readonly ReviewMigration[];
  readonly losses: readonly ReviewLoss[];
  readonly blocked: readonly Blocked[];
  readonly letIn: readonly LetIn[];
}

/** What an approver has to know of each zone. Equal zones share a row; the gravest row comes first. */
export function zoneRows(facts: ReviewFacts): ReviewZone[] {
  const { steps, changes, migrations, losses } = facts;
  const zones = new Set(
    [
      ...[...changes, ...migrations].map(({ zone }) => zone),
      ...steps.filter(isChanging).flatMap(zonesOf),
      ...losses.flatMap(({ places }) => places.map(({ zone }) => zone)),
    ].flatMap((zone) => zone ?? []),
  );
  const rows = [...zones].sort().map((zone) => ({ zone, row: rowOf(zone, facts) }));
  const all = [...grouped(rows, ({ row }) => JSON.stringify(row)).values()].map((group) => ({
    ...group[0].row,
    zones: group.map(({ zone }) => zone),
  }));
  // For a single zone without anything grave the rest of the review is enough.
  if (zones.size === 1 && all.every((row) => weight(row) === 0)) return [];
  return all.sort((left, right) => weight(right) - weight(left) || right.zones.length - left.zones.length);
}

function rowOf(
  zone: string,
  { steps, findings, changes, migrations, losses, blocked, letIn }: ReviewFacts,
): Omit<ReviewZone, "zones"> {
  const here = changes.filter((change) => change.zone === zone);
  const stages = migrations.filter((migration) => migration.zone === zone).map(({ stage }) => stage);
  const weaker = here.flatMap(({ label, kind, weaker: how }) => {
    const name = label === "" ? kind : label;
    return how === undefined ? [] : [kind === "settings" ? how : `${name}: ${how}`];
  });
  return {
    changes: objectCounts(here, "done"),
    undone: [...new Set(stages)].map((stage) => `migration: ${stage}`).join(", "),
    others: othersIn(zone, losses),
    weaker: [...new Set(weaker)].sort(),
    letIn: letInCounts(letIn.filter((one) => one.zone === zone)).join(", "),
    ...lostIn(
      blocked.filter((one) => one.zone === zone),
      hasUnchecked(zone, steps, findings),
    ),
  };
}

function othersIn(zone: string, losses: readonly ReviewLoss[]): string {
  const countOf = (kind: ReviewLoss["kind"], fate: ReviewLoss["fate"]): number =>
    sumOf(
      losses.filter((loss) => loss.kind === kind && loss.fate === fate),
      ({ places, label, count }) => {
        const here = places.filter((place) => place.zone === zone).length;
        return label === undefined && here > 0 ? count : here;
      },
    );
  return (["deleted", "overwritten", "maybe deleted"] as const)
    .flatMap((fate) =>
      counted(
        [countOf("policy", fate), `policy ${fate}`, `policies ${fate}`],
        [countOf("rule", fate), `rule ${fate}`, `rules ${fate}`],
      ),
    )
    .join(", ");
}

function lostIn(blocked: readonly Blocked[], isUnchecked: boolean): Pick<ReviewZone, "lost" | "malicious"> {
  const counts = counted(
    [sumOf(blocked, ({ scripts }) => scripts), "script"],
    [sumOf(blocked, ({ connections }) => connections), "connection"],
    [sumOf(blocked, ({ unnamed }) => unnamed), "script or connection", "scripts and connections"],
  );
  const malicious = sumOf(blocked, (one) => one.malicious);
  return {
    lost: [...counts, ...(isUnchecked ? ["not checked"] : [])].join(", "),
    malicious: malicious > 0 ? String(malicious) : "",
  };
}

/** A policy starts to enforce, or enforces something else, and nobody checked what it blocks. */
function hasUnchecked(
  zone: string,
  steps: readonly PreviewStep[],
  findings: readonly ReadFinding[],
): boolean {
  const changed = steps.filter((step) => step.isOurs && isChanging(step) && zonesOf(step).includes(zone));
  return changed.some(
    (step) =>
      (blocksUnasked(step) && step.after?.["impact"] === "off") ||
      findings.some(({ urn, code }) => urn === step.urn && code === "csp-impact-unknown"),
  );
}

function blocksUnasked({ kind, op, before, after, differences }: PreviewStep): boolean {
  const mayBlock = policiesIn(kind, after).some(
    ({ values: { action, enabled } }) => (action === "allow" || action === unknownValue) && enabled !== false,
  );
  const isNew = op !== "update" || before === undefined;
  const matters = /^(policies|action|expression|enabled|value|directives|zoneId)\b/;
  return mayBlock && (isNew || differences.some(({ path }) => matters.test(path)));
}

/** The graver ones first. */
function weight({ undone, others, lost, letIn, weaker, malicious }: ReviewZone): number {
  return [undone, others, lost, letIn, weaker.join(), malicious].reduce(
    (sum, text) => 2 * sum + (text === "" ? 0 : 1),
    0,
  );
}
