import { listed } from "../../text/listed";
import type { AuditNeed, AuditReport, AuditZone } from "./report-data";

/** What a person has to do or decide, over all zones. */
export interface Attention {
  readonly severity: AuditNeed["severity"];
  readonly text: string;
  readonly zones: readonly string[];
  /** The id of the chapter that has the details. */
  readonly chapter: ChapterId;
}

export type ChapterId = "requirement-643" | "requirement-1161" | "policies" | "waf" | "changes";

const order = ["error", "warning", "info"] as const;

/** The worst first; the same for several zones is said once. */
export function attentionOf({ data, changes }: Pick<AuditReport, "data" | "changes">): readonly Attention[] {
  const byText = new Map<string, Attention & { zones: string[] }>();
  for (const zone of data.zones) {
    for (const { severity, text, chapter } of zone.needs) {
      const key = JSON.stringify([severity, text]);
      const known = byText.get(key);
      if (known) known.zones.push(zone.name);
      else byText.set(key, { severity, text, zones: [zone.name], chapter });
    }
  }
  const all: Attention[] = [...byText.values(), ...ofRuns(data.runs), ...ofChanges(changes)];
  return order.flatMap((severity) => all.filter((one) => one.severity === severity));
}

/** What one zone asks for, as far as the report has read it. */
export function needsOfZone(zone: Omit<AuditZone, "needs">): AuditNeed[] {
  return [...ofReading(zone), ...ofScripts(zone), ...ofPolicies(zone), ...ofWaf(zone)];
}

function ofReading({ unread, settings, inventory }: Omit<AuditZone, "needs">): AuditNeed[] {
  const reasons = [...new Set(unread.map(({ reason }) => reason))];
  return [
    ...reasons.map((reason): AuditNeed => {
      const parts = unread.filter((one) => one.reason === reason).map(({ part }) => part);
      const text = `Could not be read: ${parts.join(", ")}. ${reason}`;
      return { code: "report-unread", severity: "error", text, chapter: "requirement-1161" };
    }),
    ...(settings?.enabled === false
      ? [
          need(
            "report-monitoring-off",
            "error",
            "Page Guard is switched off: no script is detected, and nothing alerts anyone.",
            "requirement-1161",
          ),
        ]
      : []),
    ...(inventory && inventory.faults.length > 0
      ? [
          need(
            "report-inventory-faults",
            "error",
            `The inventory has ${plural(inventory.faults.length, "fault")}, so not all of it counts: line ${listed(
              inventory.faults.map(({ line, message }) => `${line}: ${message}`),
              { most: 3 },
            )}`,
            "requirement-643",
          ),
        ]
      : []),
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
function ofScripts({ scripts }: Omit<AuditZone, "needs">): AuditNeed[] {
  const counts = new Map<string, { severity: AuditNeed["severity"]; count: number }>();
  for (const { needs } of scripts ?? []) {
    for (const code of new Set(needs.map((one) => one.code))) {
      const severity = needs.find((one) => one.code === code)?.severity ?? "info";
      counts.set(code, { severity, count: (counts.get(code)?.count ?? 0) + 1 });
    }
  }
  return [...counts]
    .filter(([, { severity }]) => severity !== "info")
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, { severity, count }]) => {
      const [one, many] = texts[code] ?? [`script: ${code}`, `scripts: ${code}`];
      return need(code, severity, `${count} ${count === 1 ? one : many}.`, "requirement-643");
    });
}

function ofPolicies({ policies }: Omit<AuditZone, "needs">): AuditNeed[] {
  if (policies === null) return [];
  const name = ({ description, id }: (typeof policies)[number]) => description || id;
  const enforced = policies.filter(({ enabled, action }) => enabled && action === "allow");
  return [
    ...(enforced.length === 0
      ? [
          need(
            "report-nothing-enforced",
            "warning",
            "No policy is enforced: nothing keeps a script out.",
            "policies",
          ),
        ]
      : []),
    ...enforced.flatMap((policy): AuditNeed[] => {
      const lost = policy.impact ? policy.impact.breaks.scripts + policy.impact.breaks.connections : 0;
      const letsIn = policy.impact?.letsIn ?? 0;
      return [
        ...(lost > 0
          ? [
              need(
                "report-policy-blocks",
                "warning",
                `The enforced policy "${name(policy)}" blocks ${plural(lost, "script or connection", "scripts and connections")} in use.`,
                "policies",
              ),
            ]
          : []),
        ...(letsIn > 0
          ? [
              need(
                "report-policy-lets-in",
                "error",
                `The enforced policy "${name(policy)}" lets in ${plural(letsIn, "malicious item")}.`,
                "policies",
              ),
            ]
          : []),
      ];
    }),
    ...policies.flatMap((policy): AuditNeed[] => {
      const grave = policy.lint.filter(({ severity }) => severity === "high").length;
      return [
        ...(grave > 0
          ? [
              need(
                "report-policy-lint",
                "warning",
                `The policy "${name(policy)}" has ${plural(grave, "lint finding")} of high severity.`,
                "policies",
              ),
            ]
          : []),
        ...(policy.ready?.answer === "yes"
          ? [
              need(
                "report-policy-ready",
                "info",
                `The policy "${name(policy)}" is ready to be enforced.`,
                "policies",
              ),
            ]
          : []),
      ];
    }),
  ];
}

function ofWaf({ waf }: Omit<AuditZone, "needs">): AuditNeed[] {
  if (waf?.mayBegin === "yes")
    return [need("report-waf-may-begin", "info", "The WAF migration may begin.", "waf")];
  if (waf?.mayBegin === "begun")
    return [
      need("report-waf-begun", "warning", "The WAF migration is in validation mode and not finished.", "waf"),
    ];
  if (waf?.mayBegin === "no")
    return [
      need(
        "report-waf-not-eligible",
        "info",
        `The WAF migration cannot begin: ${waf.reasons.join(" ")}`,
        "waf",
      ),
    ];
  return [];
}

function ofRuns(runs: AuditReport["data"]["runs"]): Attention[] {
  if (runs === null) return [];
  const about = (severity: Attention["severity"], text: string): Attention => ({
    ...{ severity, text },
    zones: [],
    chapter: "requirement-1161",
  });
  const open = runs.alerts.filter(({ closedBy, closedOn }) => closedBy === null && closedOn === null);
  return [
    ...runs.series
      .filter(({ gaps }) => gaps.length > 0)
      .map(({ what, gaps }) => {
        const days = gaps.map(({ from, to }) => `${from.slice(0, 10)} to ${to.slice(0, 10)}`);
        return about(
          "error",
          `${what}: more than seven days without a run that completed, ${listed(days, { most: 3, separator: ", " })}.`,
        );
      }),
    ...(runs.unreadable.length > 0
      ? [about("error", `${plural(runs.unreadable.length, "line")} of recorded runs cannot be read.`)]
      : []),
    ...(open.length > 0
      ? [about("warning", `${plural(open.length, "alert")} ${open.length === 1 ? "is" : "are"} not closed.`)]
      : []),
  ];
}

function ofChanges(changes: AuditReport["changes"]): Attention[] {
  const malicious = (changes ?? []).filter(({ change }) => change === "malicious").length;
  if (malicious === 0) return [];
  const text = `${plural(malicious, "script")} became malicious since the earlier report.`;
  return [{ severity: "error", text, zones: [], chapter: "changes" }];
}

function need(
  code: string,
  severity: AuditNeed["severity"],
  text: string,
  chapter: AuditNeed["chapter"],
): AuditNeed {
  return { code, severity, text, chapter };
}

function plural(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
