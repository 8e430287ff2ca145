import { meaningOf } from "../../reports/finding-meanings";
import type { ReviewImpact, ReviewLoss, ReviewMigration, ReviewZone } from "../../reports/review/review";
import { grouped } from "../../text/data";
import { counted, listed, plural } from "../../text/shown";
import { distinct, sumOf } from "../values";
import { type Impact, itemCounts } from "./impact";
import type { PreviewRead, PreviewStep, ReadFinding } from "./preview-read";
import { type Fate, isChanging, type ObjectChange, zonesOf } from "./zone-objects";
import type { ZonesRead } from "./zones";

/** All that a review says of zones. */
export interface ReviewFacts {
  readonly steps: readonly PreviewStep[];
  readonly findings: readonly ReadFinding[];
  readonly changes: readonly ObjectChange[];
  readonly migrations: readonly ReviewMigration[];
  readonly losses: readonly ReviewLoss[];
  readonly blocked: readonly Impact[];
  readonly letIn: readonly Impact[];
  /** Undefined: no zone was read. */
  readonly zones: ZonesRead | undefined;
  readonly isOffline: boolean;
}

const nouns: Readonly<Record<ObjectChange["kind"], (count: number) => string>> = {
  policy: (count) => plural(count, "policy", "policies"),
  rule: (count) => plural(count, "WAF rule"),
  settings: (count) => `the settings of ${plural(count, "zone")}`,
};

const kinds = ["policy", "rule", "settings"] as const;

/** In the order of the sentence. */
const words: readonly (readonly [fate: Fate, todo: string, done: string])[] = [
  ["adopt", "to adopt", "adopted"],
  ["create", "to create", "created"],
  ["update", "to change", "changed"],
  ["leave", "to leave in the zone, unmanaged", "left unmanaged"],
  ["delete", "to delete", "deleted"],
  ["restore", "to restore as found", "restored as found"],
];

/** What happens to objects of zones: `2 policies and 1 WAF rule to create, 1 policy to delete`. */
function objectCounts(changes: readonly ObjectChange[], tense: "todo" | "done"): string {
  const texts = words.flatMap(([fate, todo, done]) => {
    const objects = objectsOf(changes.filter((change) => change.fate === fate));
    return objects.length === 0 ? [] : [`${objects.join(" and ")} ${tense === "todo" ? todo : done}`];
  });
  return texts.join(", ");
}

function objectsOf(changes: readonly ObjectChange[]): string[] {
  return kinds.flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count === 0 ? [] : [nouns[kind](count)];
  });
}

/** As Pulumi counts: resources, of this package and of others. */
export function resourceCounts({ steps }: Pick<PreviewRead, "steps">): string {
  const count = (...ops: readonly string[]): number => steps.filter(({ op }) => ops.includes(op)).length;
  const texts = counted(
    [count("create", "import"), "to create", "to create"],
    [count("update"), "to update", "to update"],
    [count("replace"), "to replace", "to replace"],
    [count("delete"), "to delete", "to delete"],
    [count("same"), "unchanged", "unchanged"],
  );
  return texts.length === 0 ? "" : `Resources, as Pulumi counts them: ${texts.join(", ")}.`;
}

/** Whether all that happens is that objects of zones are adopted as they are. */
export function isAdoptionOnly({ steps, changes, losses, migrations }: ReviewFacts): boolean {
  return (
    changes.every(({ fate }) => fate === "adopt") &&
    losses.length === 0 &&
    migrations.length === 0 &&
    otherSteps(steps).length === 0 &&
    steps.every(({ isOurs, op }) => !isOurs || op === "create" || op === "import")
  );
}

function otherSteps(steps: readonly PreviewStep[]): PreviewStep[] {
  return steps.filter(({ isOurs, isComponent }) => !isOurs && !isComponent);
}

/** One sentence: how the preview ended, or what happens in zones. */
export function headlineOf(result: PreviewRead["result"], isUnchanged: boolean, facts: ReviewFacts): string {
  if (result === "failed")
    return "The preview failed: nothing can be applied until its errors are fixed. Steps that the engine had not reached are not in this review.";
  if (result === "unfinished") return "The preview ended early: this review is incomplete.";
  if (isUnchanged) return "Nothing changes.";
  const { steps, changes, migrations } = facts;
  const zones = new Set([...changes, ...migrations].flatMap(({ zone }) => zone ?? [])).size;
  const where = zones < 2 ? "" : `, in ${zones} zones`;
  if (changes.length > 0 && isAdoptionOnly(facts))
    return `${changes.length} to adopt, 0 to create, 0 to change: ${listed(objectsOf(changes), { separator: ", " })}${where}.`;
  const finishing = migrations.filter(({ stage }) => stage === "finished").length;
  const starting = migrations.length - finishing;
  const counts = [
    objectCounts(changes, "todo"),
    ...counted(
      [starting, "WAF migration to start or adjust", "WAF migrations to start or adjust"],
      [finishing, "WAF migration to finish", "WAF migrations to finish"],
      [
        otherSteps(steps).length,
        "resource of other packages to change",
        "resources of other packages to change",
      ],
    ),
  ].filter((text) => text !== "");
  const all = counts.join(", ") || "Nothing of this stack changes in its zones";
  return `${all[0]?.toUpperCase() ?? ""}${all.slice(1)}${where}.`;
}

/** What nobody may miss, a sentence each. */
export function alertsOf(facts: ReviewFacts, said: readonly ReadFinding[]): string[] {
  const failure = said.find(
    ({ code, severity }) => severity !== "error" && meaningOf(code).concern === "fails",
  );
  const { changes, migrations, losses, blocked, letIn } = facts;
  const weaker = changes.filter(({ weaker: how }) => how !== undefined);
  const lost = itemCounts(blocked);
  const malicious = itemCounts(letIn, "malicious ");
  return [
    ...(migrations.length > 0
      ? [`${plural(migrations.length, "WAF migration")} in ${zonesIn(migrations)} cannot be undone.`]
      : []),
    ...lossAlerts(losses),
    ...readingAlerts(facts),
    ...(failure ? [`The update will most likely fail: ${failure.text.split("\n", 1)[0] ?? ""}`] : []),
    ...beginningAlerts(facts),
    ...(lost.length > 0
      ? [
          `Visitors would lose scripts and connections in use (${lost.join(", ")}), in ${zonesIn(blocked.filter((one) => itemCounts([one]).length > 0))}.`,
        ]
      : []),
    ...(malicious.length > 0 ? [`Policies let in ${malicious.join(" and ")}, in ${zonesIn(letIn)}.`] : []),
    ...(weaker.length > 0 ? [`Protection gets weaker in ${zonesIn(weaker)}.`] : []),
  ];
}

function zonesIn(list: readonly { readonly zone?: string | undefined }[]): string {
  return plural(new Set(list.map(({ zone }) => zone)).size, "zone");
}

function lossAlerts(losses: readonly ReviewLoss[]): string[] {
  const countOf = (kind: ReviewLoss["kind"]): number =>
    losses
      .filter((loss) => loss.kind === kind && loss.fate !== "maybe deleted")
      .reduce((sum, { places }) => sum + places.length, 0);
  const lost = counted([countOf("policy"), "policy", "policies"], [countOf("rule"), "WAF rule"]);
  return [
    ...(lost.length === 0 ? [] : [`${lost.join(" and ")} of others will be deleted or overwritten.`]),
    ...(losses.some(({ fate }) => fate === "maybe deleted")
      ? ["Policies or rules of others may be deleted."]
      : []),
  ];
}

/** What was not read: then only findings say what others lose. */
function readingAlerts({ steps, zones, isOffline }: ReviewFacts): string[] {
  if (!steps.some((step) => step.isOurs && isChanging(step))) return [];
  if (!zones)
    return [`Losses by findings alone: no zone was read${isOffline ? " (PAGE_GUARD_OFFLINE)" : ""}.`];
  const { unread } = zones;
  const [first] = unread;
  if (!first) return [];
  const count = zonesIn(unread);
  return [`Losses by findings alone in ${count}, which could not be read: ${first.zone}: ${first.reason}`];
}

/** Policies that begin to enforce, and whether anything says what they block. */
function beginningAlerts(facts: ReviewFacts): string[] {
  const all = facts.changes.filter(({ begins }) => begins);
  if (all.length === 0) return [];
  const unchecked = all.filter((change) => !isImpactChecked(change, facts));
  const names = (list: readonly ObjectChange[]): string =>
    listed(distinct(list.map(({ label }) => label)), { most: 5, separator: ", " });
  const begin = `${plural(all.length, "policy begins", "policies begin")} to enforce, in ${zonesIn(all)}: ${names(all)}.`;
  if (unchecked.length === 0) return [`${begin} Its impact on scripts and connections in use was checked.`];
  if (unchecked.length === all.length) return [`${begin} Its impact was not checked.`];
  return [`${begin} Its impact was not checked for ${unchecked.length} of them: ${names(unchecked)}.`];
}

/** In numbers, for a limit that someone sets. */
export function impactOf(facts: ReviewFacts): ReviewImpact {
  const { blocked, changes } = facts;
  return {
    scripts: sumOf(blocked, ({ scripts }) => scripts),
    connections: sumOf(blocked, ({ connections }) => connections),
    isUnknown:
      blocked.some(({ isUncounted }) => isUncounted) ||
      changes.some((change) => change.begins && !isImpactChecked(change, facts)),
  };
}

function isImpactChecked({ step, zone }: ObjectChange, { findings, isOffline }: ReviewFacts): boolean {
  if (isOffline || zone === undefined || step.after?.["impact"] === "off") return false;
  return !findings.some(({ urn, code }) => urn === step.urn && code === "csp-impact-unknown");
}

/** What an approver has to know of each zone. Equal zones share a row; the one with most grave facts comes first. */
export function zoneRows(facts: ReviewFacts): ReviewZone[] {
  const { steps, changes, migrations, losses } = facts;
  const zones = distinct([
    ...[...changes, ...migrations].map(({ zone }) => zone),
    ...steps.flatMap(zonesOf),
    ...losses.flatMap(({ places }) => places.map(({ zone }) => zone)),
  ]);
  const rows = zones.sort().map((zone) => ({ zone, row: rowOf(zone, facts) }));
  const all = [...grouped(rows, ({ row }) => JSON.stringify(row)).values()].map((group) => ({
    ...group[0].row,
    zones: group.map(({ zone }) => zone),
  }));
  // For a single zone without anything grave the rest of the review is enough.
  if (zones.length === 1 && all.every(({ grave }) => grave.length === 0)) return [];
  return all.sort(
    (left, right) => right.grave.length - left.grave.length || right.zones.length - left.zones.length,
  );
}

function rowOf(zone: string, facts: ReviewFacts): Omit<ReviewZone, "zones"> {
  const isHere = (one: { readonly zone?: string | undefined }): boolean => one.zone === zone;
  const here = facts.changes.filter(isHere);
  const blocked = facts.blocked.filter(isHere);
  const lost = itemCounts(blocked).join(", ");
  const unchecked = here.filter((change) => change.begins && !isImpactChecked(change, facts));
  const malicious = sumOf(blocked, (one) => one.malicious);
  return {
    grave: [
      ...distinct(facts.migrations.filter(isHere).map(({ stage }) => `migration: ${stage}`)),
      ...othersIn(zone, facts.losses),
      ...(lost === "" ? [] : [`visitors lose scripts and connections (${lost})`]),
      ...distinct(unchecked.map(({ label }) => `${label}: begins to enforce, impact not checked`)),
      ...itemCounts(facts.letIn.filter(isHere), "malicious ").map((items) => `lets in ${items}`),
      ...distinct(here.flatMap(weakerText)).sort(),
    ],
    changes: [objectCounts(here, "done"), ...(malicious > 0 ? [`${malicious} malicious kept out`] : [])]
      .filter((text) => text !== "")
      .join(", "),
  };
}

function weakerText({ label, kind, weaker }: ObjectChange): string[] {
  if (weaker === undefined) return [];
  return [kind === "settings" ? weaker : `${label || kind}: ${weaker}`];
}

function othersIn(zone: string, losses: readonly ReviewLoss[]): string[] {
  const countOf = (kind: ReviewLoss["kind"], fate: ReviewLoss["fate"]): number =>
    losses
      .filter((loss) => loss.kind === kind && loss.fate === fate)
      .flatMap(({ places }) => places)
      .filter((place) => place.zone === zone).length;
  return (["deleted", "overwritten", "maybe deleted"] as const).flatMap((fate) =>
    counted(
      [countOf("policy", fate), `policy of others ${fate}`, `policies of others ${fate}`],
      [countOf("rule", fate), `rule of others ${fate}`, `rules of others ${fate}`],
    ),
  );
}
