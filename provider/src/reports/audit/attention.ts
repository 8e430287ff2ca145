import { listed } from "../../text/listed";
import { plural } from "../../text/plural";
import { isCompleted } from "./cadence";
import type { AuditNeed, AuditPolicy, AuditReport, AuditZone } from "./report-data";

/** What a person has to do or decide, over all zones. */
export interface Attention {
  readonly severity: AuditNeed["severity"];
  readonly text: string;
  readonly zones: readonly string[];
  /** The id of the chapter that has the details. */
  readonly chapter: ChapterId;
}

export type ChapterId = "requirement-643" | "requirement-1161" | "policies" | "waf" | "changes";

/** What each severity asks of a person. */
export const severityWords = { error: "Act", warning: "Check", info: "Know" };

const order = ["error", "warning", "info"] as const;

/** The worst first; the same for several zones is said once. */
export function attentionOf({ head, data, changes }: AuditReport): readonly Attention[] {
  const byText = new Map<string, Omit<Attention, "zones"> & { zones: Set<string> }>();
  for (const zone of data.zones) {
    for (const { code, severity, text, chapter } of zone.needs) {
      if (texts[code]) continue;
      const key = JSON.stringify([severity, text]);
      const known = byText.get(key);
      if (known) known.zones.add(zone.name);
      else byText.set(key, { severity, text, zones: new Set([zone.name]), chapter });
    }
  }
  const all: Attention[] = [
    ...scriptNeeds(data.zones).map(({ need: { severity, text, chapter }, zones }) => ({
      ...{ severity, text, chapter, zones },
    })),
    ...[...byText.values()].map((one) => ({ ...one, zones: [...one.zones] })),
    ...ofRuns(data.runs, head.period.to),
    ...ofChanges(changes),
  ];
  return order.flatMap((severity) => all.filter((one) => one.severity === severity));
}

/** What one zone asks for, as far as the report has read it. */
export function needsOfZone(zone: Omit<AuditZone, "needs">): AuditNeed[] {
  return [
    ...ofReading(zone),
    ...scriptNeeds([zone]).map((one) => one.need),
    ...ofPolicies(zone),
    ...ofWaf(zone),
  ];
}

function ofReading({ unread, settings, inventory, hidden }: Omit<AuditZone, "needs">): AuditNeed[] {
  const reasons = [...new Set(unread.map(({ reason }) => reason))];
  const faults = inventory?.faults.map(({ line, message }) => `${line}: ${message}`) ?? [];
  return [
    ...reasons.map((reason): AuditNeed => {
      const parts = unread.filter((one) => one.reason === reason).map(({ part }) => part);
      const text = `Could not be read: ${parts.join(", ")}. ${reason}`;
      return { code: "report-unread", severity: "error", text, chapter: "requirement-1161" };
    }),
    ...needIf(hidden !== null, {
      ...{ code: "report-hidden", severity: "warning", chapter: "requirement-643" },
      text: `Not all scripts are listed: ${hidden}.`,
    }),
    ...needIf(settings?.enabled === false, {
      ...{ code: "report-monitoring-off", severity: "error", chapter: "requirement-1161" },
      text: "Page Guard is switched off: no script is detected, and nothing alerts anyone.",
    }),
    ...needIf(faults.length > 0, {
      ...{ code: "report-inventory-faults", severity: "error", chapter: "requirement-643" },
      text: `The inventory has ${plural(faults.length, "fault")}, so not all of it counts: line ${listed(faults, { most: 3 })}`,
    }),
  ];
}

const texts: Readonly<Record<string, readonly [one: string, many: string]>> = {
  "inventory-changed": ["script has changed since its approval", "scripts have changed since their approval"],
  "inventory-malicious": ["script counts as malicious", "scripts count as malicious"],
  "inventory-matched-twice": [
    "script has several entries in the inventory",
    "scripts have several entries in the inventory",
  ],
  "inventory-no-integrity": ["script has no integrity method", "scripts have no integrity method"],
  "inventory-no-justification": [
    "script has no written justification",
    "scripts have no written justification",
  ],
  "inventory-not-allowed": [
    "script is allowed by no enforced policy",
    "scripts are allowed by no enforced policy",
  ],
  "inventory-not-listed": ["script is not in the inventory", "scripts are not in the inventory"],
  "inventory-review-overdue": ["script is overdue for review", "scripts are overdue for review"],
  "inventory-unapproved": ["script is not approved", "scripts are not approved"],
  "inventory-gone": [
    "script of the inventory is no longer listed",
    "scripts of the inventory are no longer listed",
  ],
  "inventory-matches-nothing": [
    "entry of the inventory matches nothing",
    "entries of the inventory match nothing",
  ],
  "inventory-returned": ["script that was gone is back", "scripts that were gone are back"],
};

/** Scripts with the same need are counted: the table has each of them. */
function scriptNeeds(
  zones: readonly Pick<AuditZone, "name" | "scripts">[],
): readonly { readonly need: AuditNeed; readonly zones: readonly string[] }[] {
  const found = new Map<string, { severity: AuditNeed["severity"]; count: number; zones: Set<string> }>();
  for (const { name, scripts } of zones) {
    for (const { needs } of scripts ?? []) {
      for (const [code, severity] of new Map(needs.map((one) => [one.code, one.severity]))) {
        if (severity === "info") continue;
        const known = found.get(code) ?? { severity, count: 0, zones: new Set() };
        known.zones.add(name);
        found.set(code, { ...known, count: known.count + 1 });
      }
    }
  }
  return [...found]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, { severity, count, zones: names }]) => {
      const [one, many] = texts[code] ?? [`script: ${code}`, `scripts: ${code}`];
      const text = `${count} ${count === 1 ? one : many}.`;
      return { need: { code, severity, text, chapter: "requirement-643" }, zones: [...names] };
    });
}

function ofPolicies({ policies }: Omit<AuditZone, "needs">): AuditNeed[] {
  if (policies === null) return [];
  const isEnforced = ({ enabled, action }: AuditPolicy): boolean => enabled && action === "allow";
  const name = ({ description, id }: AuditPolicy): string => `"${description || id}"`;
  return [
    ...needIf(!policies.some(isEnforced), {
      ...{ code: "report-nothing-enforced", severity: "warning", chapter: "policies" },
      text: "No policy is enforced: nothing keeps a script out.",
    }),
    ...policies.filter(isEnforced).flatMap((policy) => {
      const { breaks = { scripts: 0, connections: 0 }, letsIn = 0 } = policy.impact ?? {};
      const lost = breaks.scripts + breaks.connections;
      return [
        ...needIf(lost > 0, {
          ...{ code: "report-policy-blocks", severity: "warning", chapter: "policies" },
          text: `The enforced policy ${name(policy)} blocks ${plural(lost, "script or connection", "scripts and connections")} in use.`,
        }),
        ...needIf(letsIn > 0, {
          ...{ code: "report-policy-lets-in", severity: "error", chapter: "policies" },
          text: `The enforced policy ${name(policy)} lets in ${plural(letsIn, "malicious item")}.`,
        }),
      ];
    }),
    ...policies.flatMap((policy) => {
      const grave = policy.lint.filter(({ severity }) => severity === "high").length;
      return [
        ...needIf(grave > 0, {
          ...{ code: "report-policy-lint", severity: "warning", chapter: "policies" },
          text: `The policy ${name(policy)} has ${plural(grave, "lint finding")} of high severity.`,
        }),
        ...needIf(policy.ready?.answer === "yes", {
          ...{ code: "report-policy-ready", severity: "info", chapter: "policies" },
          text: `The policy ${name(policy)} is ready to be enforced.`,
        }),
      ];
    }),
  ];
}

function ofWaf({ waf }: Omit<AuditZone, "needs">): AuditNeed[] {
  return [
    ...needIf(waf?.mayBegin === "yes", {
      ...{ code: "report-waf-may-begin", severity: "info", chapter: "waf" },
      text: "The WAF migration may begin.",
    }),
    ...needIf(waf?.mayBegin === "begun", {
      ...{ code: "report-waf-begun", severity: "warning", chapter: "waf" },
      text: "The WAF migration is in validation mode and not finished.",
    }),
    ...needIf(waf?.mayBegin === "no", {
      ...{ code: "report-waf-not-eligible", severity: "info", chapter: "waf" },
      text: `The WAF migration cannot begin: ${waf?.reasons.join(" ")}`,
    }),
  ];
}

/** A gap that is over can be explained; one that is not has to end. */
function ofRuns(runs: AuditReport["data"]["runs"], end: string): Attention[] {
  if (runs === null) return [];
  const about = (isSo: boolean, severity: Attention["severity"], text: string): Attention[] =>
    isSo ? [{ severity, text, zones: [], chapter: "requirement-1161" }] : [];
  const { series, alerts, unreadable } = runs;
  const open = alerts.filter(({ closedBy, closedOn }) => closedBy === null && closedOn === null).length;
  return [
    ...series.flatMap(({ what, gaps, results }) => {
      const hasEnded = results.some((run) => isCompleted(run) && run.when === end);
      const now = hasEnded ? [] : gaps.filter(({ to }) => to === end);
      const past = gaps.filter((gap) => !now.includes(gap));
      const named = (some: typeof gaps): string =>
        listed(
          some.map(({ from, to }) => `${from.slice(0, 10)} to ${to.slice(0, 10)}`),
          { most: 3, separator: ", " },
        );
      return [
        ...about(
          now.length > 0,
          "error",
          `${what}: no run has completed for more than seven days, ${named(now)}.`,
        ),
        ...about(
          past.length > 0,
          "warning",
          `${what}: more than seven days without a run that completed, ${named(past)}.`,
        ),
      ];
    }),
    ...about(
      unreadable.length > 0,
      "error",
      `${plural(unreadable.length, "line")} of recorded runs cannot be read.`,
    ),
    ...about(open > 0, "warning", `${plural(open, "alert is", "alerts are")} not closed.`),
  ];
}

function ofChanges(changes: AuditReport["changes"]): Attention[] {
  const malicious = (changes ?? []).filter(({ change }) => change === "malicious").length;
  if (malicious === 0) return [];
  const text = `${plural(malicious, "script")} became malicious since the earlier report.`;
  return [{ severity: "error", text, zones: [], chapter: "changes" }];
}

function needIf(isNeeded: boolean, { code, severity, text, chapter }: AuditNeed): AuditNeed[] {
  // In this order in the JSON.
  return isNeeded ? [{ code, severity, text, chapter }] : [];
}
