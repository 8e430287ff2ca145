import { compareTexts, grouped, listed, plural } from "pulumi-page-guard/tools";
import { distinct } from "../../values";
import { meaningOf } from "../finding-meanings";
import type { AuditChange, AuditNeed, AuditPolicy, AuditReport, AuditZone } from "./report-data";

/** What a person has to do or decide, over all zones. Its chapter has the details. */
export interface Attention extends Omit<AuditNeed, "code"> {
  readonly zones: readonly string[];
}

type ReadZone = Omit<AuditZone, "needs">;
type Severity = AuditNeed["severity"];

/** What each severity asks of a person. */
export const severityWords = { error: "Act", warning: "Check", info: "Know" };

/** The worst first. */
export const severities: readonly Severity[] = ["error", "warning", "info"];

/** The worst first; the same for several zones is said once. */
export function attentionOf(report: AuditReport): readonly Attention[] {
  const { data } = report;
  const ofZones = data.zones.flatMap(({ name, needs }) =>
    needs.filter(({ code }) => !code.startsWith(ofScripts)).map((need) => ({ need, name })),
  );
  const same = grouped(ofZones, ({ need: { severity, text } }) => JSON.stringify([severity, text]));
  const all: readonly { readonly need: AuditNeed; readonly zones?: readonly string[] }[] = [
    ...scriptNeeds(data.zones),
    ...[...same.values()].map((some) => ({
      need: some[0].need,
      zones: distinct(some.map(({ name }) => name)),
    })),
    ...ofRuns(report).map((need) => ({ need })),
  ];
  return severities.flatMap((wanted) =>
    all
      .filter(({ need }) => need.severity === wanted)
      .map(({ need: { code: _, ...need }, zones = [] }) => ({ ...need, zones })),
  );
}

/** What one zone asks for, as far as the report has read it. */
export function needsOfZone(zone: ReadZone): AuditNeed[] {
  return [...ofReading(zone), ...scriptNeeds([zone]).map(({ need }) => need), ...ofPolicies(zone)];
}

/** Severity and chapter of each need that is not about single scripts. */
const needs = {
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

function needIf(isNeeded: boolean, code: keyof typeof needs, text: string): AuditNeed[] {
  const [severity, chapter] = needs[code];
  return isNeeded ? [{ code, severity, text, chapter }] : [];
}

function ofReading({ unread, settings, inventory, hidden, scripts }: ReadZone): AuditNeed[] {
  const open = (scripts ?? []).filter(
    ({ entry }) => entry?.commit && (entry.commit.id === null || entry.commit.isOnDefault === false),
  ).length;
  const loose = `${plural(open, "entry", "entries")} of the inventory ${open === 1 ? "is" : "are"} not on the default branch as written here.`;
  const faults = inventory?.faults.map(({ line, message }) => `${line}: ${message}`) ?? [];
  const faulty = `The inventory has ${plural(faults.length, "fault")}, so not all of it counts: line ${listed(faults, { most: 3 })}`;
  const off = "Page Guard is switched off: no script is detected, and nothing alerts anyone.";
  return [
    ...[...grouped(unread, ({ reason }) => reason)].flatMap(([reason, parts]) => {
      const names = parts.map(({ part }) => part).join(", ");
      return needIf(true, "report-unread", `Could not be read: ${names}. ${reason}`);
    }),
    ...needIf(hidden !== null, "report-hidden", `Not all scripts are listed: ${hidden}.`),
    ...needIf(settings?.enabled === false, "report-monitoring-off", off),
    ...needIf(faults.length > 0, "report-inventory-faults", faulty),
    ...needIf(open > 0, "report-inventory-open", loose),
  ];
}

/** Begins the codes of needs of single scripts. */
const ofScripts = "inventory-";

/** `2 scripts: malicious`; what is not about scripts without a number. */
export function countText(code: string, count: number): string {
  const words = code.replace(/^(?:inventory|report)-/, "").replaceAll("-", " ");
  return code.startsWith(ofScripts) ? `${plural(count, "script")}: ${words}` : words;
}

/** Scripts with the same need are counted: the table has each of them. */
function scriptNeeds(
  zones: readonly Pick<AuditZone, "name" | "scripts">[],
): readonly { readonly need: AuditNeed; readonly zones: readonly string[] }[] {
  const found = zones.flatMap(({ name, scripts }) =>
    (scripts ?? []).flatMap((script) =>
      [...new Map(script.needs.map(({ code, severity }) => [code, severity]))]
        .filter(([, severity]) => severity !== "info")
        .map(([code, severity]) => ({ code, severity, name })),
    ),
  );
  return [...grouped(found, ({ code }) => code)]
    .sort(([left], [right]) => compareTexts(left, right))
    .map(([code, same]) => {
      const text = `${plural(same.length, "script")}: ${meaningOf(code).means}`;
      const need = { code, severity: same[0].severity, text, chapter: "requirement-643" } as const;
      return { need, zones: distinct(same.map(({ name }) => name)) };
    });
}

function ofPolicies({ policies }: ReadZone): AuditNeed[] {
  if (policies === null) return [];
  const isEnforced = ({ enabled, action }: AuditPolicy): boolean => enabled && action === "allow";
  const name = ({ description, id }: AuditPolicy): string => `policy "${description || id}"`;
  const nothing = "No policy is enforced: nothing keeps a script out.";
  return [
    ...needIf(!policies.some(isEnforced), "report-nothing-enforced", nothing),
    ...policies.filter(isEnforced).flatMap((policy) => {
      const { breaks = { scripts: 0, connections: 0 }, letsIn = 0 } = policy.impact ?? {};
      const lost = breaks.scripts + breaks.connections;
      const enforced = `The enforced ${name(policy)}`;
      const items = plural(lost, "script or connection", "scripts and connections");
      return [
        ...needIf(lost > 0, "report-policy-blocks", `${enforced} blocks ${items} in use.`),
        ...needIf(
          letsIn > 0,
          "report-policy-lets-in",
          `${enforced} lets in ${plural(letsIn, "malicious item")}.`,
        ),
      ];
    }),
    ...policies.flatMap((policy) => {
      const grave = policy.lint.filter(({ severity }) => severity === "high").length;
      const lint = `The ${name(policy)} has ${plural(grave, "lint finding")} of high severity.`;
      return needIf(grave > 0, "report-policy-lint", lint);
    }),
  ];
}

function ofRuns({ data: { runs }, changes }: AuditReport): AuditNeed[] {
  if (runs === null) return [];
  const { series, alerts, unreadable, chain } = runs;
  const open = alerts.filter(({ closedBy, closedOn }) => closedBy === null && closedOn === null).length;
  const found = series
    .flatMap(({ results }) => results)
    .filter((run) => alarming.some((code) => run.found[code]));
  const lines = `${plural(unreadable.length, "line")} of recorded runs cannot be read.`;
  const broken = "The recorded runs are not those that were recorded: a line was changed, added or removed.";
  const silent = `${plural(found.length, "run")} found a malicious or changed script, and no alert is recorded.`;
  return [
    ...series.flatMap(({ name, gaps }) => {
      const texts = gaps.map(({ from, to }) => `${from.slice(0, 10)} to ${to.slice(0, 10)}`);
      const days = listed(texts, { most: 3, separator: ", " });
      const text = `${name}: more than seven days in which no run has checked it with Page Guard on, and seen scripts: ${days}.`;
      return needIf(gaps.length > 0, "report-runs-missed", text);
    }),
    ...needIf(unreadable.length > 0, "report-runs-unreadable", lines),
    ...needIf(chain === "broken", "report-runs-broken", broken),
    ...needIf(open > 0, "report-alerts-open", `${plural(open, "alert is", "alerts are")} not closed.`),
    ...needIf(found.length > 0 && alerts.length === 0, "report-alerts-missing", silent),
    ...ofChanges(changes ?? []),
  ];
}

const alarming = ["inventory-malicious", "inventory-changed"];

/** What has happened in the period, whether it lasts or not. */
function ofChanges(changes: readonly AuditChange[]): AuditNeed[] {
  const bad = changes.filter(({ change }) => change === "malicious").length;
  const loosened = changes.filter(
    ({ kind, details }) =>
      kind !== "script" &&
      details.some(({ field, after }) =>
        field === "action" ? after === "log" : field === "enabled" && after === "false",
      ),
  ).length;
  return [
    ...needIf(bad > 0, "report-became-malicious", `${plural(bad, "script")} became malicious in the period.`),
    ...needIf(
      loosened > 0,
      "report-loosened",
      `${plural(loosened, "time")} a policy stopped being enforced, or Page Guard was switched off, in the period.`,
    ),
  ];
}
