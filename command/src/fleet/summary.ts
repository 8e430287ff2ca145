import { grouped, plural } from "pulumi-page-guard/tools";
import { text } from "../reports/review/formats";
import type { Review } from "../reports/review/review";
import { packageVersion } from "../session";
import { distinct, sumOf } from "../values";
import type { FleetZone } from "./gate";
import type { StackResult } from "./one-stack";

/** What became of a zone's stack. */
type ZoneResult = StackResult & { readonly zone: FleetZone };

const words = { 0: "ok", 1: "FAILED", 2: "look" } as const;

/** A line a stack, the counts, and what changes or has drifted. */
export function summaryText(results: readonly ZoneResult[], review: Review): string {
  const width = Math.max(...results.map(({ zone }) => zone.name.length), 4);
  const rows = results.map(
    ({ zone, code, text: what }) =>
      `${zone.name.padEnd(width)}  ${String(zone.wave).padStart(4)}  ${words[code].padEnd(6)}  ${what}`,
  );
  const content = { ...review, parts: review.parts.filter(({ title }) => title !== attention) };
  const hasContent = results.some((one) => one.review?.isUnchanged === false);
  const drift = results.flatMap(({ zone, drift: lines = [] }) =>
    lines.map((line) => `${zone.name}: ${line}`),
  );
  const table = ["zone".padEnd(width).concat("  wave  result  what"), ...rows, ...drift, countsOf(results)];
  return `${table.join("\n")}\n${hasContent ? `\n${text(content)}` : ""}`;
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
      ...{ id: zone.id, name: zone.name, wave: zone.wave, code, text: what, drift },
      ...(own && { isUnchanged: own.isUnchanged, cannotBeUndone: own.undone.length, alerts: own.alerts }),
    })),
    review,
  };
}

const attention = "Stacks that need attention";

/** The reviews of all stacks as one, in which equal changes of many zones are one entry, and what became of the others. */
export function reviewOfFleet(results: readonly ZoneResult[], stopped: readonly string[]): Review {
  const reviews = results.flatMap(({ review }) => review ?? []);
  const all = <T>(partOf: (one: Review) => readonly T[]): T[] => reviews.flatMap((one) => [...partOf(one)]);
  const groups = <T>(partOf: (one: Review) => readonly T[], keyOf: (one: T) => string) => [
    ...grouped(all(partOf), keyOf).values(),
  ];
  const alerts = groups(
    (one) => one.alerts,
    (alert) => alert,
  );
  const parts = groups(
    (one) => one.parts,
    ({ title }) => title,
  );
  const losses = groups(
    (one) => one.losses,
    ({ places: _, ...loss }) => JSON.stringify(loss),
  );
  const entries = results.flatMap(({ zone, code, text: what, drift = [] }) =>
    code === 0
      ? []
      : {
          ...{ severity: code === 1 ? ("error" as const) : ("warning" as const), zones: [] },
          subjects: [zone.name],
          text: [what, ...drift.map((line) => `  ${line}`)].join("\n"),
        },
  );
  return {
    ...{ stack: "fleet", project: undefined, version: packageVersion() },
    result: results.some(({ code }) => code === 1) ? "failed" : "succeeded",
    // A failure before what needs attention: 1, 2, 0.
    exitCode: [1, 2].find((wanted) => results.some(({ code }) => code === wanted)) ?? 0,
    isUnchanged: reviews.length > 0 && reviews.every((one) => one.isUnchanged),
    headline: countsOf(results),
    alerts: [
      ...stopped,
      ...alerts.map((same) => (same.length === 1 ? same[0] : `In ${same.length} zones: ${same[0]}`)),
    ],
    undone: all((one) => one.undone),
    losses: losses.map((same) => ({ ...same[0], places: same.flatMap(({ places }) => places) })),
    zones: merged(all((one) => one.zones)),
    impact: {
      scripts: sumOf(reviews, ({ impact }) => impact.scripts),
      connections: sumOf(reviews, ({ impact }) => impact.connections),
      isUnknown: reviews.some(({ impact }) => impact.isUnknown),
    },
    names: Object.fromEntries(results.map(({ zone }) => [zone.id, zone.name])),
    isAdoptionOnly: reviews.length > 0 && reviews.every((one) => one.isAdoptionOnly),
    parts: [
      ...(entries.length === 0 ? [] : [{ title: attention, isUrgent: true, entries }]),
      ...parts.map((same) => ({ ...same[0], entries: merged(same.flatMap((part) => part.entries)) })),
    ],
  };
}

/** What is the same but for its zones is one entry. */
function merged<T extends { readonly zones: readonly string[] }>(items: readonly T[]): T[] {
  const groups = grouped(items, ({ zones: _, ...rest }) => JSON.stringify(rest));
  return [...groups.values()].map((group) => ({
    ...group[0],
    zones: distinct(group.flatMap(({ zones }) => zones)),
  }));
}

function countsOf(results: readonly ZoneResult[]): string {
  const count = (wanted: number) => results.filter(({ code }) => code === wanted).length;
  return `${plural(results.length, "zone")}: ${count(0)} ok, ${count(2)} to look at, ${count(1)} failed.`;
}
