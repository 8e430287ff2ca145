import { grouped, listed, plural } from "pulumi-page-guard/tools";
import { isEnforced } from "../../inventory/seen-script";
import { compareTexts, distinct } from "../../values";
import { meaningOf } from "../finding-meanings";
import type { AuditChange, AuditNeed, AuditPolicy, AuditReport, AuditZone } from "./report-data";

type Severity = AuditNeed["severity"];

/** What a person has to do or decide, over all zones. Its chapter has the details. */
export interface Attention extends AuditNeed {
  readonly zones: readonly string[];
}

/** What each severity asks of a person, the worst first. */
export const severityWords = { error: "Act", warning: "Check", info: "Know" };
export const severities: readonly Severity[] = ["error", "warning", "info"];

/** The worst first; the same for several zones is said once. */
export function attentionOf(report: AuditReport): readonly Attention[] {
  const { zones } = report.data;
  const ofZones = zones.flatMap(({ name, needs }) => needs.map((need) => ({ ...need, name })));
  const same = grouped(ofZones, ({ severity, text }) => JSON.stringify([severity, text]));
  const all = [
    ...needsOfScripts(zones),
    ...[...same.values()].map((some) => ({ ...some[0], zones: distinct(some.map(({ name }) => name)) })),
    ...[...needsOfRuns(report)].map((need) => ({ ...need, zones: [] })),
  ];
  return severities.flatMap((wanted) => all.filter(({ severity }) => severity === wanted));
}

/** Scripts with the same need are counted: the table has each of them. */
function needsOfScripts(zones: readonly AuditZone[]): readonly Attention[] {
  const found = zones.flatMap(({ name, scripts }) =>
    (scripts ?? []).flatMap(({ needs }) =>
      [...new Map(needs.map(({ code, severity }) => [code, { code, severity, name }])).values()].filter(
        ({ severity }) => severity !== "info",
      ),
    ),
  );
  return [...grouped(found, ({ code }) => code)]
    .sort(([left], [right]) => compareTexts(left, right))
    .map(([code, same]) => ({
      ...{ code, severity: same[0].severity, chapter: "requirement-643" },
      text: `${plural(same.length, "script")}: ${meaningOf(code).means}`,
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
  "report-nothing-enforced": ["warning", "policies"],
  "report-policy-blocks": ["warning", "policies"],
  "report-policy-lets-in": ["error", "policies"],
  "report-policy-lint": ["warning", "policies"],
  "report-runs-missed": ["error", "requirement-1161"],
  "report-runs-broken": ["error", "requirement-1161"],
  "report-runs-unreadable": ["error", "requirement-1161"],
  "report-alerts-open": ["warning", "requirement-1161"],
  "report-alerts-missing": ["warning", "requirement-1161"],
  "report-became-malicious": ["warning", "changes"],
  "report-loosened": ["warning", "changes"],
} as const satisfies Readonly<Record<string, readonly [Severity, AuditNeed["chapter"]]>>;

function need(code: keyof typeof chapters, text: string): AuditNeed {
  const [severity, chapter] = chapters[code];
  return { code, severity, text, chapter };
}

/** What one zone asks for beside its scripts, as far as the report has read it. */
export function* needsOfZone(zone: Omit<AuditZone, "needs">): Iterable<AuditNeed> {
  const { unread, settings, inventory, hidden, scripts, policies } = zone;
  for (const [reason, parts] of grouped(unread, (one) => one.reason))
    yield need("report-unread", `Could not be read: ${parts.map(({ part }) => part).join(", ")}. ${reason}`);
  if (hidden !== null) yield need("report-hidden", `Not all scripts are listed: ${hidden}.`);
  const off = "Page Guard is switched off: no script is detected, and nothing alerts anyone.";
  if (settings?.enabled === false) yield need("report-monitoring-off", off);
  const faults = inventory?.faults.map(({ line, message }) => `${line}: ${message}`) ?? [];
  const faulty = `The inventory has ${plural(faults.length, "fault")}, so not all of it counts: line ${listed(faults, { most: 3 })}`;
  if (faults.length > 0) yield need("report-inventory-faults", faulty);
  const commits = scripts?.flatMap(({ entry }) => entry?.commit ?? []) ?? [];
  const open = commits.filter(({ id, isOnDefault }) => id === null || isOnDefault === false).length;
  const loose = `Not on the default branch as written here: ${plural(open, "entry", "entries")} of the inventory.`;
  if (open > 0) yield need("report-inventory-open", loose);
  if (policies && !policies.some(isEnforced))
    yield need("report-nothing-enforced", "No policy is enforced: nothing keeps a script out.");
  for (const policy of policies ?? []) yield* needsOfPolicy(policy);
}

function* needsOfPolicy(policy: AuditPolicy): Iterable<AuditNeed> {
  const name = `policy "${policy.description || policy.id}"`;
  const { breaks = { scripts: 0, connections: 0 }, letsIn = 0 } = policy.impact ?? {};
  const lost = breaks.scripts + breaks.connections;
  const items = plural(lost, "script or connection", "scripts and connections");
  const bad = `The enforced ${name} lets in ${plural(letsIn, "malicious item")}.`;
  if (isEnforced(policy)) {
    if (lost > 0) yield need("report-policy-blocks", `The enforced ${name} blocks ${items} in use.`);
    if (letsIn > 0) yield need("report-policy-lets-in", bad);
  }
  const grave = policy.lint.filter(({ severity }) => severity === "high").length;
  const lint = `The ${name} has ${plural(grave, "lint finding")} of high severity.`;
  if (grave > 0) yield need("report-policy-lint", lint);
}

/** What the recorded runs ask for, and what has happened in the period, whether it lasts or not. */
function* needsOfRuns(report: Pick<AuditReport, "head" | "data" | "changes">): Iterable<AuditNeed> {
  const { head, data, changes } = report;
  const { runs } = data;
  if (runs === null) return;
  const { series, alerts, unreadable, chain } = runs;
  for (const { name, gaps } of series) {
    const texts = gaps.map(({ from, to }) => `${from.slice(0, 10)} to ${to.slice(0, 10)}`);
    const days = listed(texts, { most: 3, separator: ", " });
    const text = `${name}: more than seven days in which no run has checked it with Page Guard on, and seen scripts: ${days}.`;
    if (gaps.length > 0) yield need("report-runs-missed", text);
  }
  const places = unreadable.map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
  const lines = `${plural(unreadable.length, "line")} of recorded runs cannot be read: ${listed(places, { most: 3 })}`;
  if (unreadable.length > 0) yield need("report-runs-unreadable", lines);
  const broken = "The recorded runs are not those that were recorded: a line was changed, added or removed.";
  if (chain === "broken") yield need("report-runs-broken", broken);
  const open = alerts.filter(({ closedBy, closedOn }) => closedBy === null && closedOn === null).length;
  if (open > 0) yield need("report-alerts-open", `${plural(open, "alert is", "alerts are")} not closed.`);
  const alarming = series
    .flatMap(({ results }) => results)
    .filter(({ found }) => found["inventory-malicious"] || found["inventory-changed"])
    .map(({ when }) => when.slice(0, 10));
  const isAlerted = (day: string): boolean =>
    alerts.some(({ opened, closedOn }) => opened.slice(0, 10) <= day && (closedOn ?? day) >= day);
  // A job alerts people after its report: there is no alert yet of what was found on the last day.
  const unheard = alarming.filter((day) => day < head.period.to.slice(0, 10) && !isAlerted(day)).length;
  const silent = `${plural(unheard, "run")} found a malicious or changed script, and no alert of that day is recorded.`;
  if (unheard > 0) yield need("report-alerts-missing", silent);
  const bad = (changes ?? []).filter(({ change }) => change === "malicious").length;
  if (bad > 0)
    yield need("report-became-malicious", `${plural(bad, "script")} became malicious in the period.`);
  const loosened = (changes ?? []).filter(isLoosening).length;
  const times = `${plural(loosened, "time")} a policy stopped being enforced, or Page Guard was switched off, in the period.`;
  if (loosened > 0) yield need("report-loosened", times);
}

/** Whether a policy is enforced no longer, or nothing is detected. */
function isLoosening({ kind, details }: AuditChange): boolean {
  const { action, enabled } = Object.fromEntries(details.map((one) => [one.field, one]));
  const wasOn = enabled === undefined || enabled.before === "true";
  if (kind === "script" || !wasOn) return false;
  return enabled?.after === "false" || (action?.before === "allow" && action.after !== "allow");
}
