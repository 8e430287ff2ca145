import { groupBy, pluralize } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { text } from "../documents/review/formats";
import type { Review, ReviewCounts } from "../documents/review/review";
import { packageVersion } from "../package-version";
import { sharedAlert } from "../review/overview";
import { describeCounts, mergeAlike, sumUp } from "../shared/values";
import type { FleetAction, FleetZone } from "./gate";
import { describeLoss, type StackResult } from "./one-stack";

type ZoneResult = StackResult & { readonly zone: FleetZone };

/**
 * Returns the word for the column `result`. A stack gets `look` if it needs attention (code 2), or if its changes block items in
 * use or delete unmanaged objects.
 */
function chooseWord({ code, review }: StackResult): string {
  const isLosing = review !== undefined && (describeLoss(review.impact) !== "" || review.losses.length > 0);
  return code === 1 ? "FAILED" : code === 2 || isLosing ? "look" : "ok";
}

/** Returns a table with one line per stack, followed by the drift, the counts and the changes. */
export function summaryText(results: readonly ZoneResult[], review: Review, withoutZone: readonly string[]) {
  const width = Math.max(...results.map(({ zone }) => zone.name.length), 4);
  const rows = results.map(
    ({ zone, ...result }) =>
      `${zone.name.padEnd(width)}  ${String(zone.wave).padStart(4)}  ${chooseWord(result).padEnd(6)}  ${result.text}`,
  );
  const content = { ...review, parts: review.parts.filter(({ title }) => title !== attention) };
  const hasContent = results.some((one) => one.review?.isUnchanged === false);
  const drift = results.flatMap(({ zone, drift: lines = [] }) =>
    lines.map((line) => `${zone.name}: ${line}`),
  );
  const table = [
    "zone".padEnd(width).concat("  wave  result  what"),
    ...rows,
    ...drift,
    ...(drift.length > 0 ? [waysBack] : []),
    ...withoutZone.map((stack) => `${forTerminal(stack, 80)}: ${withoutZoneEntry(stack).text}`),
    ...(hasContent ? [] : [review.headline]),
  ];
  const overview = `${table.join("\n")}\n`;
  return hasContent ? `${overview}\n${text(content)}` : overview;
}

export function summaryJson(
  command: string,
  results: readonly ZoneResult[],
  stopped: readonly string[],
  review: Review,
): object {
  return {
    command,
    stopped,
    zones: results.map(({ zone, code, text: what, review: own, drift }) => ({
      id: zone.id,
      name: zone.name,
      wave: zone.wave,
      code,
      text: what,
      drift,
      ...(own && { isUnchanged: own.isUnchanged, cannotBeUndone: own.undone.length, alerts: own.alerts }),
    })),
    review,
  };
}

const attention = "Stacks that need attention";

/** Advice about drift. A refresh finds changed and deleted objects, but not objects that were never declared. */
const waysBack =
  "To restore what was changed or deleted, apply with --refresh. In the pipeline, start the `apply` job manually with the input `refresh` enabled. To keep a change or an undeclared object, declare it (page-guard drift --declare).";

function withoutZoneEntry(stack: string) {
  return {
    severity: "warning" as const,
    zones: [],
    subjects: [stack],
    text: "this stack has resources, but its name is not the name of a zone in the --zones file, or in another list of the same folder. So this command left the stack out. Add its zone to a list again, or remove the stack. If a list has the zone under another name, remove it with `pulumi state delete --all`: another stack may have adopted its objects, and `pulumi destroy` would delete them. Otherwise run `pulumi destroy --remove`.",
  };
}

/** Returns the entries about stacks that failed, have drifted, or have no zone in the lists. */
function needyStacks(results: readonly ZoneResult[], withoutZone: readonly string[]) {
  const entries = results
    .filter(({ code }) => code !== 0)
    .map(({ zone, code, text: what, drift = [] }) => ({
      severity: code === 1 ? ("error" as const) : ("warning" as const),
      zones: [],
      subjects: [zone.name],
      text: [what, ...drift.map((line) => `  ${line}`)].join("\n"),
    }));
  const hasDrift = results.some(({ drift = [] }) => drift.length > 0);
  const ways = { severity: "info" as const, zones: [], subjects: [], text: waysBack };
  return [...entries, ...(hasDrift ? [ways] : []), ...withoutZone.map(withoutZoneEntry)];
}

/** Returns the alerts of all reviews, each with its stacks. An alert that several stacks share appears once. */
function mergeAlerts(results: readonly ZoneResult[]): readonly string[] {
  const named = results.flatMap(({ zone: { name }, review }) =>
    (review?.alerts ?? []).map((alert) => ({ name, alert })),
  );
  return [...groupBy(named, ({ alert }) => alert)].map(([alert, group]) => {
    const names = group.map(({ name }) => name);
    return names.length === 1 ? `${names.join()}: ${alert}` : sharedAlert(alert, names);
  });
}

/** Combines the reviews of all stacks, and lists stacks that need attention. Equal changes to several zones become one entry. */
export function makeFleetReview(
  action: FleetAction,
  results: readonly ZoneResult[],
  stopped: readonly string[],
  withoutZone: readonly string[],
): Review {
  const reviews = results.flatMap(({ review }) => review ?? []);
  const all = <Name extends "alerts" | "losses" | "parts" | "undone" | "zones">(name: Name) =>
    reviews.flatMap((one): readonly Review[Name][number][] => one[name]);
  const needs = { title: attention, isUrgent: true, entries: needyStacks(results, withoutZone) };
  // The drift job closes its issue if the exit code is 0. So a drift run that leaves out a stack does not exit with 0.
  const isPart = stopped.length > 0 || (action === "drift" && withoutZone.length > 0);
  // 1 if any stack failed, else 2 if any needs attention, else 0.
  const worst = [1, 2].find((wanted) => results.some(({ code }) => code === wanted)) ?? 0;
  return {
    stack: "fleet",
    isFleet: true,
    project: undefined,
    version: packageVersion(),
    headline: makeHeadline(action, results),
    counts: addCounts(reviews),
    result: worst === 1 ? "failed" : "succeeded",
    exitCode: isPart ? worst || 2 : worst,
    isUnchanged: reviews.length > 0 && reviews.every((one) => one.isUnchanged),
    isAdoptionOnly: reviews.length > 0 && reviews.every((one) => one.isAdoptionOnly),
    alerts: [...stopped, ...mergeAlerts(results)],
    undone: all("undone"),
    losses: mergeAlike(all("losses"), "places", "by"),
    zones: mergeAlike(all("zones"), "zones"),
    impact: {
      scripts: sumUp(reviews, ({ impact }) => impact.scripts),
      connections: sumUp(reviews, ({ impact }) => impact.connections),
      isUnknown: reviews.some(({ impact }) => impact.isUnknown),
    },
    names: Object.fromEntries(results.map(({ zone }) => [zone.id, zone.name])),
    parts: [
      ...(needs.entries.length === 0 ? [] : [needs]),
      ...mergeAlike(all("parts"), "entries").map((one) => ({
        ...one,
        entries: mergeAlike(one.entries, "zones"),
      })),
    ],
  };
}

function addCounts(reviews: readonly Review[]): ReviewCounts {
  const sum = (name: keyof ReviewCounts): number => sumUp(reviews, ({ counts }) => counts[name]);
  return { policies: sum("policies"), rules: sum("rules"), settings: sum("settings"), begins: sum("begins") };
}

/** Returns a headline: `14 zones: 13 to change (13 policies, 4 begin to block), 2 WAF migrations, 1 failed.` */
function makeHeadline(action: FleetAction, results: readonly ZoneResult[]): string {
  const begun = results.filter(({ isNotBegun }) => !isNotBegun);
  const fine = begun.filter(({ code }) => code === 0);
  const changing = fine.flatMap(({ review }) => (review?.isUnchanged === false ? [review] : []));
  const adopting = changing.filter(({ isAdoptionOnly }) => isAdoptionOnly).length;
  const { policies, rules, settings, begins } = addCounts(changing);
  const lost = sumUp(changing, ({ losses }) => sumUp(losses, ({ places }) => places.length));
  const objects = describeCounts(
    [policies, "policy", "policies"],
    [rules, "WAF rule"],
    [settings, "zone's settings", "zones' settings"],
    [begins, "begins to block", "begin to block"],
    [lost, "unmanaged object lost", "unmanaged objects lost"],
  ).join(", ");
  const migrations = sumUp(changing, ({ undone }) => undone.length);
  const inside = objects === "" ? "" : ` (${objects})`;
  const idle = fine.filter(({ hasNoStep }) => hasNoStep).length;
  const done = { preview: "unchanged", apply: "applied", drift: "without drift", status: "applied" }[action];
  const toAdopt = changing.length === adopting ? `to adopt${inside}` : "to adopt";
  const parts: readonly (readonly [count: number, text: string])[] = [
    [adopting, toAdopt],
    [changing.length - adopting, `to change${inside}`],
    [migrations, migrations === 1 ? "WAF migration" : "WAF migrations"],
    [fine.length - changing.length - idle, done],
    [idle, "unchanged"],
    [begun.filter(({ code }) => code === 2).length, "to look at"],
    [begun.filter(({ code }) => code === 1).length, "failed"],
    [results.length - begun.length, "not started"],
  ];
  const texts = parts.flatMap(([count, text]) => (count === 0 ? [] : [`${count} ${text}`]));
  return `${pluralize(results.length, "zone")}: ${texts.join(", ")}.`;
}
