import { enumerate, groupBy, isEnforced, pluralize } from "pulumi-page-guard/tools";
import { findPolicyGaps, opensScripts } from "../../inventory/policy-gaps";
import { compareTexts, dayMs, distinct, mergeAlike } from "../../shared/values";
import { findMeaning } from "../finding-meanings";
import { mergeRows } from "./merge-rows";
import type { AuditChange, AuditNeed, AuditPolicy, AuditReport, AuditZone } from "./report-data";

type Severity = AuditNeed["severity"];

/** Something that a person has to act on, merged across zones. `chapter` names the chapter with the details. */
export interface Attention extends AuditNeed {
  readonly zones: readonly string[];
}

/** Words for severities, the worst first. */
export const severityWords = { error: "Act", warning: "Check", info: "Know" };
export const severities: readonly Severity[] = ["error", "warning", "info"];

/** Returns the needs, the worst first. Equal needs of several zones are merged. */
export function collectAttention(report: AuditReport): readonly Attention[] {
  const { zones } = report.data;
  const ofZones = zones.flatMap(({ name, needs }) => needs.map((one) => ({ ...one, zones: [name] })));
  const all = [
    ...needsOfScripts(zones),
    ...mergeAlike([...ofZones, ...listGaps(report)], "zones"),
    ...[...needsOfRuns(report)].map((one) => ({ ...one, zones: [] })),
  ];
  return severities.flatMap((wanted) => all.filter(({ severity }) => severity === wanted));
}

/** Returns one need per code, with the number of scripts concerned. The table of scripts names each script. */
function needsOfScripts(zones: readonly AuditZone[]): readonly Attention[] {
  const found = zones.flatMap(({ name, scripts }) =>
    mergeRows(scripts ?? []).flatMap((script) => {
      const needs = script.needs.filter(({ severity }) => severity !== "info");
      return [...new Map(needs.map(({ code, severity }) => [code, { code, severity, name }])).values()];
    }),
  );
  return [...groupBy(found, ({ code }) => code)]
    .sort(([left], [right]) => compareTexts(left, right))
    .map(([code, same]) => ({
      code,
      severity: same[0].severity,
      chapter: "requirement-643",
      text: `${pluralize(same.length, "script")}: ${findMeaning(code).means}`,
      zones: distinct(same.map(({ name }) => name)),
    }));
}

/** Severity and chapter of each need that is not about single scripts. */
const chapters = {
  "report-unread": ["error", "requirement-1161"],
  "report-hidden": ["warning", "requirement-643"],
  "report-monitoring-off": ["error", "requirement-1161"],
  "report-inventory-faults": ["error", "requirement-643"],
  "report-inventory-open": ["warning", "requirement-643"],
  "report-nothing-seen": ["error", "requirement-1161"],
  "report-nothing-enforced": ["warning", "policies"],
  "report-policy-open": ["warning", "policies"],
  "report-policy-blocks": ["warning", "policies"],
  "report-policy-lets-in": ["error", "policies"],
  "report-policy-lint": ["warning", "policies"],
  "report-runs-missed": ["error", "requirement-1161"],
  "report-runs-failed": ["warning", "requirement-1161"],
  "report-zones-left": ["error", "requirement-1161"],
  "report-runs-broken": ["error", "requirement-1161"],
  "report-runs-unreadable": ["error", "requirement-1161"],
  "report-alerts-open": ["warning", "requirement-1161"],
  "report-alerts-missing": ["warning", "requirement-1161"],
  "report-became-malicious": ["warning", "changes"],
  "report-loosened": ["warning", "changes"],
} as const satisfies Readonly<Record<string, readonly [Severity, AuditNeed["chapter"]]>>;

/** Makes a need. With `isGrave`, the need is an error, whatever the usual severity of its code is. */
function need(code: keyof typeof chapters, text: string, isGrave = false): AuditNeed {
  const [severity, chapter] = chapters[code];
  return { code, severity: isGrave ? "error" : severity, text, chapter };
}

/** Yields the needs of a zone except those about single scripts. For an unread part, yields only a need that says so. */
export function* needsOfZone(zone: Omit<AuditZone, "needs">): Iterable<AuditNeed> {
  const { unread, settings, inventory, hidden, scripts, policies } = zone;
  for (const [reason, parts] of groupBy(unread, (one) => one.reason))
    yield need("report-unread", `Could not be read: ${parts.map(({ part }) => part).join(", ")}. ${reason}`);
  if (hidden !== null) yield need("report-hidden", `Not all scripts are listed: ${hidden}.`);
  const off = "Page Guard is switched off: no script is detected, and nobody is alerted.";
  if (settings?.enabled === false) yield need("report-monitoring-off", off);
  const faults = inventory?.faults.map(({ line, message }) => `${line}: ${message}`) ?? [];
  const faulty = `The inventory has ${pluralize(faults.length, "fault")}, so entries or approvals may be missing from this report: line ${enumerate(faults, { most: 3 })}`;
  if (faults.length > 0) yield need("report-inventory-faults", faulty);
  // An entry that matches several scripts has a row for each.
  const commits = new Map(scripts?.map(({ entry }) => [entry?.line, entry?.commit]));
  const loose = [...commits.values()].filter((one) => one?.id === null || one?.isOnDefault === false).length;
  const elsewhere =
    loose === 1
      ? "1 inventory entry is not committed to the default branch in its present form."
      : `${loose} inventory entries are not committed to the default branch in their present form.`;
  if (loose > 0) yield need("report-inventory-open", elsewhere);
  const isEmpty =
    settings?.enabled === true && hidden === null && scripts?.every(({ versions }) => versions === 0);
  if (isEmpty) yield need("report-nothing-seen", "Page Guard is on, and the service lists no script at all.");
  // `onPaymentPages` is null if the scripts of the payment pages could not be read.
  const hasRead = scripts?.some(({ onPaymentPages }) => onPaymentPages !== null);
  const empty = hasRead ? zone.paymentPages.filter((page) => !zone.pages.includes(page)) : [];
  const unseen = `The service lists no script on ${enumerate(empty, { most: 3, separator: ", " })}. Check that these are the URLs of the payment pages, as a browser shows them.`;
  if (empty.length > 0) yield need("report-nothing-seen", unseen);
  const named = policies?.map((one) => ({ ...one, name: one.description || one.id }));
  for (const { gap, text } of named ? findPolicyGaps(named, zone.paymentPages) : [])
    yield need(`report-${gap}`, text, zone.paymentPages.length > 0);
  for (const policy of policies ?? []) yield* needsOfPolicy(policy);
}

function* needsOfPolicy(policy: AuditPolicy): Iterable<AuditNeed> {
  const name = `policy "${policy.description || policy.id}"`;
  const { breaks = { scripts: 0, connections: 0 }, letsIn = 0 } = policy.impact ?? {};
  const lost = breaks.scripts + breaks.connections;
  const items = pluralize(lost, "script or connection", "scripts and connections");
  const bad = `The enforced ${name} lets in ${pluralize(letsIn, "malicious item")}.`;
  if (isEnforced(policy)) {
    if (lost > 0) yield need("report-policy-blocks", `The enforced ${name} blocks ${items} in use.`);
    if (letsIn > 0) yield need("report-policy-lets-in", bad);
  }
  const grave = policy.lint.filter(({ severity }) => severity === "high").length;
  const lint = `The ${name} has ${pluralize(grave, "lint finding")} of high severity.`;
  if (grave > 0) yield need("report-policy-lint", lint);
}

/** Returns a need for each gap between the checks of a zone. */
function listGaps({ data: { runs } }: AuditReport): readonly Attention[] {
  return (runs?.series ?? []).flatMap(({ name, gaps }) =>
    gaps.map(({ from, to, days }) => {
      const text = `No check for ${days} days: ${from.slice(0, 10)} to ${to.slice(0, 10)}.`;
      return { ...need("report-runs-missed", text), zones: [name] };
    }),
  );
}

/** Yields needs about the recorded runs and about changes in the period, even if a change has been reversed since. */
function* needsOfRuns(report: Pick<AuditReport, "head" | "data" | "changes">): Iterable<AuditNeed> {
  const { head, data, changes } = report;
  const { runs } = data;
  for (const change of changes ?? []) {
    const { zone, on, subject } = change;
    // A change that is in an earlier report must not fail the job again.
    const isNew = head.since !== null && Date.parse(on) > Date.parse(head.since.madeAt);
    const where = `${on.slice(0, 10)}, ${zone}:`;
    const loosened = describeLoosening(change);
    if (change.change === "malicious")
      yield need("report-became-malicious", `${where} ${subject} became malicious.`, isNew);
    if (loosened) yield need("report-loosened", `${where} ${loosened}.`, isNew);
  }
  if (runs === null) return;
  const { series, alerts, unreadable, chain, failed, left } = runs;
  const failures = failed.map(({ when, reason }) => {
    const day = when.slice(0, 10);
    return reason ? `${day}: ${reason}` : day;
  });
  const lost = `${pluralize(failed.length, "check")} failed before reading a zone: ${enumerate(failures, { most: 5, separator: "; " })}`;
  if (failed.length > 0) yield need("report-runs-failed", lost);
  const gone = left.map(({ name, last }) => `${name}, last read on ${last.slice(0, 10)}`);
  const missing = `This report does not cover ${pluralize(left.length, "zone that was", "zones that were")} checked in its period: ${enumerate(gone, { most: 5, separator: "; " })}.`;
  if (left.length > 0) yield need("report-zones-left", missing);
  const places = unreadable.map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
  const lines = `${pluralize(unreadable.length, "line")} of recorded runs cannot be read: ${enumerate(places, { most: 3 })}`;
  if (unreadable.length > 0) yield need("report-runs-unreadable", lines);
  const broken = "The record of the runs was altered: a line was changed, added or removed.";
  if (chain === "broken") yield need("report-runs-broken", broken);
  const active = alerts.filter(({ closedBy, closedOn }) => closedBy === null && closedOn === null).length;
  if (active > 0)
    yield need("report-alerts-open", `${pluralize(active, "alert is", "alerts are")} not closed.`);
  const alarming = series
    .flatMap(({ results }) => results)
    .filter(({ found }) => found["inventory-malicious"] || found["inventory-changed"])
    .map(({ when }) => when);
  // A job alerts people after its check, so the alert can have the date of the next day.
  const isBefore = (when: string, end: string): boolean => Date.parse(when) + dayMs < Date.parse(end);
  const isAlerted = (when: string): boolean =>
    alerts.some(
      ({ opened, closedOn, openedByHand }) =>
        !openedByHand && !isBefore(when, opened) && (closedOn === null || closedOn >= when.slice(0, 10)),
    );
  const unheard = alarming.filter((when) => isBefore(when, head.period.to) && !isAlerted(when)).length;
  const silent = `${pluralize(unheard, "run")} found a malicious or changed script, but no alert was open then or within 24 hours.`;
  if (unheard > 0) yield need("report-alerts-missing", silent);
}

/** Describes how a policy was loosened, or that Page Guard was switched off; undefined if neither happened. */
function describeLoosening({ kind, details, subject, change }: AuditChange): string | undefined {
  const { action, enabled, value } = Object.fromEntries(details.map((one) => [one.field, one]));
  const wasOn = enabled === undefined || enabled.before === "true";
  if (kind === "script" || !wasOn) return undefined;
  const name = kind === "settings" ? "Page Guard" : `policy "${subject}"`;
  if (enabled?.after === "false") return `${name} was switched off`;
  if (action?.before === "allow" && action.after !== "allow")
    return change === "gone" ? `${name} was deleted` : `${name} went from enforced to ${action.after}`;
  if (change !== "changed" || !value?.after || opensScripts(value.before ?? "")) return undefined;
  return opensScripts(value.after) ? `${name} now allows scripts from anywhere` : undefined;
}
