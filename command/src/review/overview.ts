import { counted, grouped, listed, plural } from "pulumi-page-guard/tools";
import {
  isChanging,
  type PreviewRead,
  type PreviewStep,
  type ReadFinding,
  zonesOf,
} from "../preview/preview-read";
import type { Review, ReviewLoss, ReviewMigration, ReviewZone } from "../reports/review/review";
import { distinct, sumOf } from "../values";
import { type Impact, itemCounts } from "./notes";
import type { Fate, ObjectChange } from "./objects";
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
  readonly nameOf: (zone: string) => string;
}

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
  const count = (kind: ObjectChange["kind"]): number => changes.filter((one) => one.kind === kind).length;
  return [
    ...counted([count("policy"), "policy", "policies"], [count("rule"), "WAF rule"]),
    ...counted([count("settings"), "zone"]).map((zones) => `the settings of ${zones}`),
  ];
}

/** As Pulumi counts: resources, of this package and of others. */
export function resourceCounts({ steps }: Pick<PreviewRead, "steps">): string {
  const rows = {
    create: "to create",
    update: "to update",
    replace: "to replace",
    delete: "to delete",
    same: "unchanged",
  };
  const texts = Object.entries(rows).flatMap(([wanted, what]) => {
    const count = steps.filter(({ op }) => (op === "import" ? "create" : op) === wanted).length;
    return count === 0 ? [] : [`${count} ${what}`];
  });
  return texts.length === 0 ? "" : `Resources, as Pulumi counts them: ${texts.join(", ")}.`;
}

/** Whether all that happens is that objects of zones are adopted as they are. */
export function isAdoptionOnly({ steps, changes, losses, migrations }: ReviewFacts): boolean {
  return (
    changes.every(({ fate }) => fate === "adopt") &&
    losses.length + migrations.length + otherSteps(steps).length === 0 &&
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
    return `${changes.length} to adopt, 0 to create, 0 to change: ${objectsOf(changes).join(", ")}${where}.`;
  const finishing = migrations.filter(({ stage }) => stage === "finished").length;
  const others = otherSteps(steps).length;
  const counts = [
    objectCounts(changes, "todo"),
    ...counted(
      [
        migrations.length - finishing,
        "WAF migration to start or adjust",
        "WAF migrations to start or adjust",
      ],
      [finishing, "WAF migration to finish", "WAF migrations to finish"],
      [others, "resource of other packages to change", "resources of other packages to change"],
    ),
  ].filter((text) => text !== "");
  const all = counts.join(", ") || "Nothing of this stack changes in its zones";
  return `${all[0]?.toUpperCase() ?? ""}${all.slice(1)}${where}.`;
}

/** What nobody may miss, a sentence each. */
export function alertsOf(facts: ReviewFacts): string[] {
  const { changes, migrations, losses, blocked, letIn } = facts;
  const weaker = changes.filter(({ weaker: how }) => how !== undefined);
  const malicious = itemCounts(letIn, "malicious ").join(" and ");
  const lost = itemCounts(blocked).join(", ");
  const losing = blocked.filter((one) => itemCounts([one]).length > 0);
  const taken = counted(
    [lossesOf(losses, "policy"), "policy", "policies"],
    [lossesOf(losses, "rule"), "WAF rule"],
  );
  const when = (is: unknown, text: string): string[] => (is ? [text] : []);
  return [
    ...when(
      migrations.length,
      `${plural(migrations.length, "WAF migration")} in ${zonesIn(migrations)} cannot be undone.`,
    ),
    ...when(taken.length, `${taken.join(" and ")} of others will be deleted or overwritten.`),
    ...when(
      losses.some(({ fate }) => fate === "maybe deleted"),
      "Policies or rules of others may be deleted.",
    ),
    ...readingAlerts(facts),
    ...beginningAlerts(facts),
    ...when(lost, `Visitors would lose scripts and connections in use (${lost}), in ${zonesIn(losing)}.`),
    ...when(malicious, `Policies let in ${malicious}, in ${zonesIn(letIn)}.`),
    ...when(weaker.length, `Protection gets weaker in ${zonesIn(weaker)}.`),
  ];
}

function zonesIn(list: readonly { readonly zone?: string | undefined }[]): string {
  return plural(new Set(list.map(({ zone }) => zone)).size, "zone");
}

function lossesOf(losses: readonly ReviewLoss[], kind: ReviewLoss["kind"]): number {
  const sure = losses.filter((loss) => loss.kind === kind && loss.fate !== "maybe deleted");
  return sumOf(sure, ({ places }) => places.length);
}

/** What was not read: then only findings say what others lose. */
function readingAlerts({ steps, zones, isOffline, nameOf }: ReviewFacts): string[] {
  if (!steps.some((step) => step.isOurs && isChanging(step))) return [];
  if (!zones)
    return [`Losses by findings alone: no zone was read${isOffline ? " (PAGE_GUARD_OFFLINE)" : ""}.`];
  const [first] = zones.unread;
  if (!first) return [];
  const count = zonesIn(zones.unread);
  return [
    `Losses by findings alone in ${count}, which could not be read: ${nameOf(first.zone)}: ${first.reason}`,
  ];
}

/** Policies that begin to enforce, and whether anything says what they block. */
function beginningAlerts(facts: ReviewFacts): string[] {
  const all = facts.changes.filter(({ begins }) => begins);
  if (all.length === 0) return [];
  const unchecked = uncheckedIn(facts);
  const names = (list: readonly ObjectChange[]): string =>
    listed(distinct(list.map(({ label }) => label)), { most: 5, separator: ", " });
  const begin = `${plural(all.length, "policy begins", "policies begin")} to enforce, in ${zonesIn(all)}: ${names(all)}.`;
  if (unchecked.length === 0) return [`${begin} Its impact on scripts and connections in use was checked.`];
  if (unchecked.length === all.length) return [`${begin} Its impact was not checked.`];
  return [`${begin} Its impact was not checked for ${unchecked.length} of them: ${names(unchecked)}.`];
}

/** Policies that begin to enforce without anything that says what they block. */
function uncheckedIn({ changes, findings, isOffline }: ReviewFacts): ObjectChange[] {
  const unknown = new Set(findings.filter(({ code }) => code === "csp-impact-unknown").map(({ urn }) => urn));
  return changes.filter(
    ({ begins, zone, step }) =>
      begins &&
      (isOffline || zone === undefined || step.after?.["impact"] === "off" || unknown.has(step.urn)),
  );
}

/** In numbers, for a limit that someone sets. */
export function impactOf(facts: ReviewFacts): Review["impact"] {
  const { blocked } = facts;
  return {
    scripts: sumOf(blocked, ({ scripts }) => scripts),
    connections: sumOf(blocked, ({ connections }) => connections),
    isUnknown: blocked.some(({ isUncounted }) => isUncounted) || uncheckedIn(facts).length > 0,
  };
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
  const malicious = sumOf(blocked, (one) => one.malicious);
  const weaker = here.filter((one) => one.weaker !== undefined);
  return {
    grave: [
      ...distinct(facts.migrations.filter(isHere).map(({ stage }) => `migration: ${stage}`)),
      ...othersIn(zone, facts.losses),
      ...(lost === "" ? [] : [`visitors lose scripts and connections (${lost})`]),
      ...distinct(
        uncheckedIn(facts)
          .filter(isHere)
          .map(({ label }) => `${label}: begins to enforce, impact not checked`),
      ),
      ...itemCounts(facts.letIn.filter(isHere), "malicious ").map((items) => `lets in ${items}`),
      ...distinct(
        weaker.map((one) =>
          one.kind === "settings" ? one.weaker : `${one.label || one.kind}: ${one.weaker}`,
        ),
      ).sort(),
    ],
    changes: [objectCounts(here, "done"), ...(malicious > 0 ? [`${malicious} malicious kept out`] : [])]
      .filter((text) => text !== "")
      .join(", "),
  };
}

function othersIn(zone: string, losses: readonly ReviewLoss[]): string[] {
  const nouns = { policy: ["policy", "policies"], rule: ["rule", "rules"] } as const;
  const here = losses.filter(({ places }) => places.some((place) => place.zone === zone));
  const groups = grouped(here, ({ kind, fate }) => `${kind} ${fate}`);
  return [...groups.values()].map((group) => {
    const [{ kind, fate }] = group;
    const count = sumOf(group, ({ places }) => places.filter((place) => place.zone === zone).length);
    const [one, many] = nouns[kind];
    return plural(count, `${one} of others ${fate}`, `${many} of others ${fate}`);
  });
}
