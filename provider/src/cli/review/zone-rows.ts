import type { ReviewLoss, ReviewMigration, ReviewZone } from "../../reports/review/review";
import type { Blocked } from "./blocked";
import { objectCounts, plural } from "./counts";
import { type LetIn, letInCounts } from "./let-in";
import { type PreviewStep, type ReadFinding, unknownValue } from "./preview-read";
import { isChanging, type ObjectChange, recordIn } from "./zone-objects";

export interface Told {
  readonly steps: readonly PreviewStep[];
  readonly findings: readonly ReadFinding[];
  readonly changes: readonly ObjectChange[];
  readonly migrations: readonly ReviewMigration[];
  readonly losses: readonly ReviewLoss[];
  readonly blocked: readonly Blocked[];
  readonly letIn: readonly LetIn[];
}

/** What an approver looks for, zone by zone; zones of which the same is to be said are one row, the gravest first. */
export function zoneRows(told: Told): ReviewZone[] {
  const { steps, changes, migrations, losses } = told;
  const zones = new Set(
    [
      ...[...changes, ...migrations, ...steps.filter(isChanging)].map(({ zone }) => zone),
      ...losses.flatMap(({ places }) => places.map(({ zone }) => zone)),
    ].flatMap((zone) => zone ?? []),
  );
  const rows = new Map<string, ReviewZone>();
  for (const zone of [...zones].sort()) {
    const row = rowOf(zone, told);
    const key = JSON.stringify({ ...row, zones: [] });
    rows.set(key, { ...row, zones: [...(rows.get(key)?.zones ?? []), zone] });
  }
  const all = [...rows.values()];
  // Of a single zone in which nothing is grave the rest of the review says all.
  if (zones.size === 1 && all.every((row) => weight(row) === 0)) return [];
  return all.sort((left, right) => weight(right) - weight(left) || right.zones.length - left.zones.length);
}

function rowOf(
  zone: string,
  { steps, findings, changes, migrations, losses, blocked, letIn }: Told,
): ReviewZone {
  const here = changes.filter((change) => change.zone === zone);
  const stages = migrations.filter((migration) => migration.zone === zone).map(({ stage }) => stage);
  const weaker = here.flatMap(({ label, kind, weaker: how }) => {
    const name = label === "" ? kind : label;
    return how === undefined ? [] : [kind === "settings" ? how : `${name}: ${how}`];
  });
  return {
    zones: [],
    changes: objectCounts(here, "done"),
    undone: [...new Set(stages)].map((stage) => `migration: ${stage}`).join(", "),
    others: othersIn(zone, losses),
    weaker: [...new Set(weaker)].sort(),
    letIn: letInCounts(letIn.filter((one) => one.zone === zone)).join(", "),
    ...lostIn(
      blocked.filter((one) => one.zone === zone),
      isUnchecked(zone, steps, findings),
    ),
  };
}

function othersIn(zone: string, losses: readonly ReviewLoss[]): string {
  const countOf = (kind: ReviewLoss["kind"], fate: ReviewLoss["fate"]): number =>
    losses
      .filter((loss) => loss.kind === kind && loss.fate === fate)
      .reduce((sum, { places, label, count }) => {
        const here = places.filter((place) => place.zone === zone).length;
        return sum + (label === undefined && here > 0 ? count : here);
      }, 0);
  return (["deleted", "overwritten", "maybe deleted"] as const)
    .flatMap((fate) => [
      { count: countOf("policy", fate), one: "policy", many: "policies", fate },
      { count: countOf("rule", fate), one: "rule", many: "rules", fate },
    ])
    .filter(({ count }) => count > 0)
    .map(({ count, one, many, fate }) => `${plural(count, one, many)} ${fate}`)
    .join(", ");
}

function lostIn(blocked: readonly Blocked[], unchecked: boolean): Pick<ReviewZone, "lost" | "malicious"> {
  const sum = (of: (one: Blocked) => number): number => blocked.reduce((total, one) => total + of(one), 0);
  const [scripts, connections, malicious, unnamed] = [
    sum((one) => one.scripts),
    sum((one) => one.connections),
    sum((one) => one.malicious),
    sum((one) => one.unnamed),
  ];
  const counts = [
    ...(scripts > 0 ? [plural(scripts, "script")] : []),
    ...(connections > 0 ? [plural(connections, "connection")] : []),
    ...(unnamed > 0 ? [plural(unnamed, "script or connection", "scripts and connections")] : []),
    ...(unchecked ? ["not checked"] : []),
  ];
  return { lost: counts.join(", "), malicious: malicious > 0 ? String(malicious) : "" };
}

/** A policy that comes to enforce, or enforces something else, and that nobody has checked. */
function isUnchecked(zone: string, steps: readonly PreviewStep[], findings: readonly ReadFinding[]): boolean {
  const changed = steps.filter((step) => step.zone === zone && step.isOurs && isChanging(step));
  return changed.some(
    (step) =>
      (blocksUnasked(step) && step.after?.["impact"] === "off") ||
      findings.some(({ urn, code }) => urn === step.urn && code === "csp-impact-unknown"),
  );
}

function blocksUnasked({ kind, op, before, after, differences }: PreviewStep): boolean {
  const policies =
    kind === "CspPolicy"
      ? [after ?? {}]
      : kind === "CspPolicySet"
        ? Object.values(recordIn(after?.["policies"]))
        : [];
  const mayBlock = policies.some((policy) => {
    const { action, enabled } = recordIn(policy);
    return (action === "allow" || action === unknownValue) && enabled !== false;
  });
  const isNew = op !== "update" || before === undefined;
  const matters = /^(policies|action|expression|enabled|value|directives|zoneId)\b/;
  return mayBlock && (isNew || differences.some(({ path }) => matters.test(path)));
}

function weight({ undone, others, weaker, lost, letIn, malicious }: ReviewZone): number {
  return (
    (undone === "" ? 0 : 32) +
    (others === "" ? 0 : 16) +
    (lost === "" ? 0 : 8) +
    (letIn === "" ? 0 : 4) +
    (weaker.length === 0 ? 0 : 2) +
    (malicious === "" ? 0 : 1)
  );
}
