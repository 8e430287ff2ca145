import { enumerate, groupBy, isChanging, pluralize, readDeclaredAs } from "pulumi-page-guard/tools";
import type { Review, ReviewCounts, ReviewLoss, ReviewZone } from "../documents/review/review";
import {
  findUnplaced,
  listZones,
  type PreviewRead,
  type PreviewStep,
  secretValue,
} from "../preview/preview-read";
import { resourceText } from "../shared/labels";
import { describeCounts, distinct, mergeAlike, sumUp } from "../shared/values";
import { removedGuards } from "./guards";
import { collectImpacts, collectMigrations, itemCounts } from "./notes";
import type { ZonesRead } from "./read-zones";
import { collectLosses, takesOthers, type ZoneEffect, zoneEffects } from "./zone-effects";

/** Facts about a preview. All parts of the review are made from these facts. */
export type ReviewFacts = ReturnType<typeof gatherFacts>;

/** Collects the facts about a preview. `zones` is undefined if no zone was read. */
export function gatherFacts(
  { steps: all, findings, isSelective }: PreviewRead,
  zones: ZonesRead | undefined,
  nameOf: (zone: string) => string,
  isOffline: boolean,
) {
  const steps = all.filter(isChanging);
  const effects = zoneEffects(all, zones?.values);
  return {
    steps,
    findings,
    ...collectMigrations(steps, effects, findings),
    changes: effects.filter(({ fate, object }) => fate !== "lose" && object.kind !== "migration"),
    /** Guards that the plan removes or weakens, even on resources that do not otherwise change. */
    removed: all.flatMap((step) =>
      removedGuards(step).map((guard) => `${readDeclaredAs(step.urn)}: ${guard}`),
    ),
    zones,
    nameOf,
    isSelective,
    losses: mergeAlike(collectLosses(effects), "places", "by"), // The same object in several zones is one loss.
    blocked: collectImpacts(findings, "csp-blocks-in-use"),
    letIn: collectImpacts(findings, "csp-lets-malicious-in"),
    isOffline: isOffline || findings.some(({ code }) => code === "offline"),
  };
}

interface HasZone {
  readonly zone?: string | undefined;
}

/** Words for the effects on an object, in the order in which a sentence lists them. */
const words: readonly (readonly [fate: ZoneEffect["fate"], todo: string, done: string])[] = [
  ["adopt", "to adopt", "adopted"],
  ["create", "to create", "created"],
  ["update", "to change", "changed"],
  ["leave", "to leave unmanaged in the zone", "left unmanaged"],
  ["delete", "to delete", "deleted"],
  ["restore", "to restore", "restored"],
];

/** Returns the effects on objects in words: `2 policies and 1 WAF rule to create`, `1 policy that may be deleted`. */
function objectCounts(changes: readonly ZoneEffect[], tense: "todo" | "done"): string[] {
  return words.flatMap(([fate, todo, done]) =>
    [false, true].flatMap((isOpen) => {
      const some = changes.filter((change) => change.fate === fate && (change.isOpen ?? false) === isOpen);
      const objects = describeObjects(some);
      const sure = tense === "todo" ? todo : done;
      const effect = isOpen ? `that may be ${done}` : sure;
      return objects.length === 0 ? [] : `${objects.join(" and ")} ${effect}`;
    }),
  );
}

function describeObjects(changes: readonly ZoneEffect[]): string[] {
  // Leaves out rules that a resource gets from a migration in the same update, because the zone may already have these rules.
  const known = changes.filter(({ isPassedOn }) => !isPassedOn);
  const count = (kind: ZoneEffect["object"]["kind"]): number =>
    known.filter(({ object }) => object.kind === kind).length;
  return [
    ...describeCounts([count("policy"), "policy", "policies"], [count("rule"), "WAF rule"]),
    ...describeCounts([count("settings"), "zone"]).map((zones) => `the settings of ${zones}`),
  ];
}

export function countChanges({ changes }: Pick<ReviewFacts, "changes">): ReviewCounts {
  const changing = changes.filter(({ fate }) => fate !== "leave");
  const count = (wanted: string): number => changing.filter(({ object }) => object.kind === wanted).length;
  return {
    policies: count("policy"),
    rules: count("rule"),
    settings: count("settings"),
    begins: changing.filter(({ begins }) => begins).length,
  };
}

/** Whether the plan only adopts objects in the zones, without changing them. */
export function isAdoptionOnly({ steps, changes, losses, migrations, removed }: ReviewFacts): boolean {
  return (
    steps.length > 0 &&
    removed.length === 0 &&
    changes.every(({ fate }) => fate === "adopt") &&
    losses.length + migrations.length === 0 &&
    steps.every(({ isOurs, isComponent, op }) => isComponent || (isOurs && /^(create|import)$/.test(op)))
  );
}

/** Returns the headline: how the preview ended or, if it succeeded, the counts of changes in the zones. */
export function makeHeadline(result: PreviewRead["result"], isUnchanged: boolean, facts: ReviewFacts) {
  if (result === "failed")
    return "The preview failed: nothing can be applied until its errors are fixed. Steps that the engine had not reached are not in this review.";
  if (result === "unfinished") return "The preview ended early: this review is incomplete.";
  if (isUnchanged) return "Nothing changes.";
  const { steps, changes, migrations, losses } = facts;
  const places = losses.flatMap((loss) => loss.places);
  const zones = distinct([...changes, ...migrations, ...places].map(({ zone }) => zone)).length;
  const where = zones < 2 ? "" : `, in ${zones} zones`;
  if (changes.length > 0 && isAdoptionOnly(facts))
    return `${changes.length} to adopt, 0 to create, 0 to change: ${describeObjects(changes).join(", ")}${where}.`;
  const finishing = migrations.filter(({ stage }) => stage === "finished").length;
  const others = steps.filter(({ isOurs, isComponent }) => !isOurs && !isComponent).length;
  const start = "to start or adjust";
  const lost = "unmanaged object that will or may be lost";
  const counts = [
    ...objectCounts(changes, "todo"),
    ...describeCounts([places.length, lost, lost.replace("object", "objects")]),
    ...describeCounts(
      [migrations.length - finishing, `WAF migration ${start}`, `WAF migrations ${start}`],
      [finishing, "WAF migration to finish", "WAF migrations to finish"],
      [others, "resource from another package to change", "resources from other packages to change"],
    ),
  ];
  const all = counts.join(", ") || "No settings, policies or WAF rules of a zone change";
  return `${all[0]?.toUpperCase() ?? ""}${all.slice(1)}${where}.`;
}

/** Returns the alerts that an approver must see, one sentence each. */
export function listAlerts(facts: ReviewFacts): string[] {
  const { changes, migrations, losses, blocked, letIn } = facts;
  const weaker = changes.filter(({ weaker: how }) => how !== undefined);
  const weakens = weaker.every(({ isOpen }) => isOpen) ? "may get" : "gets";
  const moved = changes.filter((change) => change.moved !== undefined);
  const sure = losses.filter(({ fate }) => fate !== "maybe deleted");
  const count = (kind: ReviewLoss["kind"]): number =>
    sumUp(sure, (loss) => (loss.kind === kind ? loss.places.length : 0));
  const taken = describeCounts(
    [count("policy"), "unmanaged policy", "unmanaged policies"],
    [count("rule"), "unmanaged WAF rule"],
  ).join(" and ");
  const losing = blocked.filter((one) => itemCounts([one]).length > 0);
  const visitors = "Visitors would lose scripts and connections in use";
  const finish = `${pluralize(migrations.length, "WAF migration")} in ${countZones(migrations)} cannot be undone.`;
  const sentences: readonly (readonly [is: unknown, text: string])[] = [
    [migrations.length, finish],
    [taken, `${taken} will be deleted or overwritten.`],
    [losses.length > sure.length, "Unmanaged policies or rules may be deleted."],
    [true, readingAlert(facts)],
    [true, unplacedAlert(facts)],
    [facts.isSelective, selectionAlert],
    ...beginningAlerts(facts).map((text) => [true, text] as const),
    [true, lintAlert(facts)],
    [true, guardAlert(facts)],
    [losing.length, `${visitors} (${itemCounts(blocked).join(", ")}), in ${countZones(losing)}.`],
    [
      letIn.length,
      `Policies let in ${itemCounts(letIn, "malicious ").join(" and ")}, in ${countZones(letIn)}.`,
    ],
    [weaker.length, `Protection ${weakens} weaker in ${countZones(weaker)}.`],
    [
      moved.length,
      `The order of WAF rules changes in ${countZones(moved)}, so a different rule may decide what happens to a request.`,
    ],
  ];
  return sentences.flatMap(([is, text]) => (is && text !== "" ? [text] : []));
}

function countZones(list: readonly HasZone[]): string {
  return pluralize(new Set(list.map(({ zone }) => zone)).size, "zone");
}

const selectionAlert =
  "Only some of the resources are selected (--target or --exclude). The update does not know which objects belong to the others, so it treats those objects as unmanaged.";

function guardAlert({ removed }: ReviewFacts): string {
  return removed.length === 0
    ? ""
    : `Guards are removed or weakened: ${enumerate(removed, { most: 10, separator: "; " })}.`;
}

/** Returns an alert about zones that were not read. In such a zone, only findings report lost unmanaged objects. */
function readingAlert({ steps, zones, isOffline }: ReviewFacts): string {
  if (!steps.some(({ isOurs }) => isOurs)) return "";
  const taking = steps.filter((step) => takesOthers(step) !== "no");
  const all =
    taking.length > 0
      ? " In each zone with a resource that deletes or overwrites unmanaged objects, everything that is not declared may be deleted."
      : "";
  if (!zones) {
    const cause = isOffline ? "no zone was read (PAGE_GUARD_OFFLINE)" : "no zone was read";
    return `This review may not list every unmanaged object that will be lost, because ${cause}: it lists only objects that the preview's messages name.${all}`;
  }
  const unplaced = taking.filter(({ zone }) => zone === undefined);
  const hidden = ({ urn }: PreviewStep) => `${readDeclaredAs(urn)}: its zone is secret or not known yet`;
  const unread = [...unplaced.map((step) => ({ zone: step.urn, reason: hidden(step) })), ...zones.unread];
  const [first] = unread;
  return first
    ? `In ${countZones(unread)}, this review may not list every unmanaged object that will be lost: it lists only objects that the preview's messages name, because reading failed: ${first.reason}`
    : "";
}

/** Returns an alert about resources whose zones are secret or unknown. An approval does not cover the contents of these zones. */
function unplacedAlert({ steps }: ReviewFacts): string {
  const names = distinct(findUnplaced(steps).map(({ urn }) => resourceText(urn)));
  return names.length === 0
    ? ""
    : `The zone of ${enumerate(names, { most: 5 })} is secret or not known yet, so nobody can check it. In such a zone, page-guard apply always refuses a migration and the update of a resource, and needs --allow unknown-zone for any other change.`;
}

/** Returns alerts about policies that begin to enforce. With several zones, there is one alert for each policy. */
function beginningAlerts(facts: ReviewFacts): string[] {
  const all = facts.changes.filter(({ begins }) => begins);
  const unchecked = new Set(findUnchecked(facts));
  const zonesOfAll = distinct(all.map(({ zone = "not known yet" }) => zone));
  if (zonesOfAll.length > 1) {
    const same = groupBy(all, (one) => JSON.stringify([one.object.label, one.begins, unchecked.has(one)]));
    return [...same.values()].map((group) => {
      const zones = distinct(group.map(({ zone = "not known yet" }) => facts.nameOf(zone)));
      return `${inZones(zones, beginning(group[0].object.label, beginText(group[0])))} ${impactChecked(!unchecked.has(group[0]))}`;
    });
  }
  const names = (list: readonly ZoneEffect[]): string =>
    enumerate(distinct(list.map(({ object }) => object.label)), { most: 5, separator: ", " });
  return [...groupBy(all, ({ begins }) => begins).values()].map((some) => {
    const [one, several] = [`policy ${beginText(some[0])}`, `policies ${beginText(some[0], "begin")}`];
    const begin = `${pluralize(some.length, one, several)} to enforce, in ${countZones(some)}: ${names(some)}.`;
    const its = some.filter((change) => unchecked.has(change));
    const which =
      its.length === some.length || its.length === 0 ? "" : ` for ${its.length} of them: ${names(its)}`;
    return `${begin} ${impactChecked(its.length === 0, which)}`;
  });
}

const beginning = (label: string, begins: string): string => `the policy "${label}" ${begins} to block`;

const beginText = ({ begins }: Pick<ZoneEffect, "begins">, sure = "begins"): string =>
  begins === "maybe" ? "may begin" : sure;

function impactChecked(isChecked: boolean, which = ""): string {
  return isChecked
    ? "The impact on scripts and connections in use was checked."
    : `The impact was not checked${which}.`;
}

/** Rewrites an alert that several zones have in common: `In 4 zones the policy "shop" begins to block: shop-09, …`. */
export function sharedAlert(alert: string, zones: readonly string[]): string {
  const [, begins = "", label, impact] =
    /^1 policy (begins|may begin) to enforce, in 1 zone: (.*)\. (The impact .*)$/s.exec(alert) ?? [];
  if (label !== undefined) return `${inZones(zones, beginning(label, begins))} ${impact}`;
  const what = alert
    .replace(/\.$/, "")
    .replace(/^([^":]*?),? in 1 zone\b/, "$1")
    .replace(/^([^":]*): (.*)$/s, "$1 ($2)")
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  return inZones(zones, what);
}

function inZones(zones: readonly string[], what: string): string {
  return `In ${pluralize(zones.length, "zone")} ${what}: ${enumerate(zones, { most: 10, separator: ", " })}.`;
}

function lintAlert({ changes, findings }: ReviewFacts): string {
  const high = findings.filter(({ code, text }) => code.startsWith("csp-lint-") && text.includes("(high)"));
  const found = changes.flatMap(({ begins, by, object: { label } }) => {
    const own = high.filter(({ urn, property }) => urn === by.urn && concernsLabel(property, label));
    return begins && own.length > 0 ? [`${label} (${distinct(own.map(({ code }) => code)).join(", ")})`] : [];
  });
  if (found.length === 0) return "";
  return `${pluralize(found.length, "policy that begins to enforce has", "policies that begin to enforce have")} high-severity lint findings: ${enumerate(found, { most: 5, separator: ", " })}.`;
}

/** Whether a property belongs to the policy with this label. A resource for a single policy has no property `policies`. */
function concernsLabel(property: string, label: string): boolean {
  return !property.startsWith("policies") || property.includes(label);
}

/** Returns the policies that begin to enforce although their impact was not checked. */
function findUnchecked({ changes, findings, isOffline }: ReviewFacts): ZoneEffect[] {
  const unknown = new Set(findings.map(({ code, urn }) => (code === "csp-impact-unknown" ? urn : "")));
  // The provider knows a zone that is secret here. If it reports items that a policy blocks, it has checked the impact.
  const reported = new Set(findings.map(({ code, urn }) => (code === "csp-blocks-in-use" ? urn : "")));
  const isUnchecked = ({ zone, by, isUnchecked: isOfZone }: ZoneEffect): boolean =>
    isOffline ||
    (zone === undefined && !reported.has(by.urn)) ||
    isOfZone === true ||
    // A secret `impact` may be "off". If `impact` is not known yet, the preview checks the impact all the same.
    ["off", secretValue].some((level) => level === by.becomes?.["impact"]) ||
    unknown.has(by.urn) ||
    // The preview of a new resource checks the impact before a policy pack changes the inputs.
    (by.op === "create" && by.step.isRemediated === true);
  return changes.filter((one) => one.begins && isUnchecked(one));
}

/** Returns the impact in numbers, which a pipeline can compare with its limits. */
export function sumImpact(facts: ReviewFacts): Review["impact"] {
  return {
    scripts: sumUp(facts.blocked, ({ scripts }) => scripts),
    connections: sumUp(facts.blocked, ({ connections }) => connections),
    isUnknown:
      facts.blocked.some(({ isUncounted }) => isUncounted) ||
      facts.findings.some(({ code }) => code === "csp-impact-unknown") ||
      findUnchecked(facts).length > 0,
  };
}

/** Returns rows of facts about zones, sorted by the number of `grave` facts and of zones. Zones with equal facts share a row. */
export function zoneRows(facts: ReviewFacts): ReviewZone[] {
  const { steps, changes, migrations, losses } = facts;
  const places: readonly HasZone[] = losses.flatMap((loss) => loss.places);
  const known = [...changes, ...migrations, ...places].map(({ zone }) => zone);
  const zones = distinct([...known, ...steps.flatMap(listZones)]).sort();
  const all = mergeAlike(
    zones.map((zone) => ({ ...describeZone(zone, facts), zones: [zone] })),
    "zones",
  );
  return all.sort(
    (left, right) => right.grave.length - left.grave.length || right.zones.length - left.zones.length,
  );
}

function describeZone(zone: string, facts: ReviewFacts): Omit<ReviewZone, "zones"> {
  const isHere = (one: HasZone): boolean => one.zone === zone;
  const here = facts.changes.filter(isHere);
  const blocked = facts.blocked.filter(isHere);
  const count = (wanted: string): number => here.filter(({ begins }) => begins === wanted).length;
  const lost = itemCounts(blocked).join(", ");
  const malicious = sumUp(blocked, (one) => one.malicious);
  const losses = facts.losses.flatMap(({ kind, fate, places }) =>
    places.filter(isHere).map(() => ({ kind, fate })),
  );
  const weaker = here.flatMap(({ object: { kind, label }, weaker: how, moved, isOpen }) =>
    [how, moved].flatMap((text) => {
      if (text === undefined) return [];
      const what = isOpen ? `perhaps ${text}` : text;
      return kind === "settings" ? what : `${label || kind}: ${what}`;
    }),
  );
  return {
    grave: distinct([
      ...facts.migrations.filter(isHere).map(({ stage }) => `migration: ${stage}`),
      ...[...groupBy(losses, (one) => JSON.stringify(one)).values()].map(({ length, 0: { kind, fate } }) => {
        const many = kind === "policy" ? "policies" : "rules";
        return pluralize(length, `unmanaged ${kind} ${fate}`, `unmanaged ${many} ${fate}`);
      }),
      lost === "" ? undefined : `visitors lose scripts and connections (${lost})`,
      ...findUnchecked({ ...facts, changes: here }).map(
        (one) => `${one.object.label}: ${beginText(one)} to enforce, impact not checked`,
      ),
      ...itemCounts(facts.letIn.filter(isHere), "malicious ").map((items) => `lets in ${items}`),
      ...weaker.sort(),
    ]),
    changes: [
      ...objectCounts(here, "done"),
      ...describeCounts(
        [count("yes"), "begins to enforce", "begin to enforce"],
        [count("maybe"), "may begin to enforce", "may begin to enforce"],
      ),
      ...(malicious > 0 ? [`${pluralize(malicious, "malicious item")} kept out`] : []),
    ].join(", "),
  };
}
