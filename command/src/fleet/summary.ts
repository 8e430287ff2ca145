import { grouped, plural } from "pulumi-page-guard/tools";
import { text } from "../reports/review/formats";
import type { Review } from "../reports/review/review";
import { packageVersion } from "../session";
import { joined, sumOf } from "../values";
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
  const all = <Name extends "alerts" | "losses" | "parts" | "undone" | "zones">(name: Name) =>
    reviews.flatMap((one): readonly Review[Name][number][] => one[name]);
  const entries = results
    .filter(({ code }) => code !== 0)
    .map(({ zone, code, text: what, drift = [] }) => ({
      ...{ severity: code === 1 ? ("error" as const) : ("warning" as const), zones: [] },
      ...{ subjects: [zone.name], text: [what, ...drift.map((line) => `  ${line}`)].join("\n") },
    }));
  const needs = { title: attention, isUrgent: true, entries };
  // A failure before what needs attention: 1, 2, 0.
  const worst = [1, 2].find((wanted) => results.some(({ code }) => code === wanted)) ?? 0;
  return {
    ...{ stack: "fleet", project: undefined, version: packageVersion(), headline: countsOf(results) },
    ...{ result: worst === 1 ? "failed" : "succeeded", exitCode: stopped.length > 0 ? worst || 2 : worst },
    isUnchanged: reviews.length > 0 && reviews.every((one) => one.isUnchanged),
    isAdoptionOnly: reviews.length > 0 && reviews.every((one) => one.isAdoptionOnly),
    alerts: [
      ...stopped,
      ...[...grouped(all("alerts"), String)].map(([alert, { length }]) =>
        length === 1 ? alert : `In each of ${length} zones: ${alert}`,
      ),
    ],
    undone: all("undone"),
    losses: joined(all("losses"), "places", "by"),
    zones: joined(all("zones"), "zones"),
    impact: {
      scripts: sumOf(reviews, ({ impact }) => impact.scripts),
      connections: sumOf(reviews, ({ impact }) => impact.connections),
      isUnknown: reviews.some(({ impact }) => impact.isUnknown),
    },
    names: Object.fromEntries(results.map(({ zone }) => [zone.id, zone.name])),
    parts: [
      ...(entries.length === 0 ? [] : [needs]),
      ...joined(all("parts"), "entries").map((one) => ({ ...one, entries: joined(one.entries, "zones") })),
    ],
  };
}

function countsOf(results: readonly ZoneResult[]): string {
  const count = (wanted: number) => results.filter(({ code }) => code === wanted).length;
  return `${plural(results.length, "zone")}: ${count(0)} ok, ${count(2)} to look at, ${count(1)} failed.`;
}
