import { nameCompany } from "page-guard-csp";
import { isEnforced, pluralize } from "pulumi-page-guard/tools";
import { dayMs, distinct } from "../../shared/values";
import {
  type Chapter,
  type Columns,
  type Entry,
  entry,
  type Inline,
  makeLinesCell,
  tableChapter,
} from "../blocks/document";
import { collectAttention, severities, severityWords } from "./attention";
import { dayAndTime } from "./cadence";
import { monitoringChapter } from "./monitoring-chapter";
import type { AuditChange, AuditPolicy, AuditReport, AuditScript, AuditZone } from "./report-data";

export function makeChapters(report: AuditReport): readonly Chapter[] {
  return [
    attentionChapter(report),
    limitsChapter(report),
    changesChapter(report),
    scriptsChapter(report.data.zones),
    monitoringChapter(report),
    policiesChapter(report),
  ];
}

function attentionChapter(report: AuditReport): Chapter {
  const { zones } = report.data;
  const needs = collectAttention(report).map(({ severity, text, chapter, zones: names }) => {
    const where: Inline[] = names.length === 0 || zones.length === 1 ? [] : [" (", { names }, ")"];
    return entry(
      { strong: severityWords[severity], tone: severity },
      " ",
      { link: text, to: chapter },
      ...where,
    );
  });
  const entries = needs.length === 0 ? [entry("Nothing.")] : needs;
  return { id: "glance", title: "What needs a person", what: "what needs a person", entries };
}

function limitsChapter({ head: { notCovered } }: AuditReport): Chapter {
  const entries = notCovered.map(({ title, text }) => entry({ strong: `${title}.` }, ` ${text}`));
  return { id: "not-covered", title: "Not covered by this report", what: "limits", entries };
}

const order: readonly AuditChange["change"][] = ["malicious", "new", "changed", "gone"];

/** Returns the chapter about items that are new, gone, changed or malicious, in this run and all runs of the period. */
function changesChapter({ changes, head: { since } }: AuditReport): Chapter {
  const chapter = { id: "changes", title: "Changes in the period", what: "changes" };
  const none =
    "Neither an earlier report of these zones (--since) nor runs that compared them with an earlier report (--runs) were given, so nothing could be compared.";
  if (changes === null) return { ...chapter, entries: [entry(none)] };
  const sorted = order.flatMap((kind) => changes.filter(({ change }) => change === kind));
  const found =
    changes.length === 0
      ? "Nothing has changed."
      : "A script that is listed as gone may simply not have been seen for some days.";
  const last = since
    ? `The latest changes are those since the report of ${dayAndTime(since.madeAt)} (digest ${since.digest.slice(0, 16)}). `
    : "";
  const entries = [entry(`${last}${found}`)];
  return tableChapter({ ...chapter, entries }, sorted, changeColumns, changeLooks);
}

const changeLooks = { narrow: ["found on", "change", "zone", "what"] };
const changeColumns: Columns<AuditChange> = {
  "found on": ({ on }) => on.slice(0, 10),
  change: ({ change: is }) => (is === "malicious" ? { strong: is } : is),
  zone: ({ zone }) => ({ code: zone }),
  what: ({ kind }) => kind,
  which: ({ subject }) => ({ code: subject, isWhole: true }),
  details: ({ details }) =>
    makeLinesCell(
      details.map(({ field, before, after }) => {
        // The JSON has the full hash.
        const cut = (side: string | null) =>
          (side ?? "(none)").replace(/\b([0-9a-f]{16})[0-9a-f]{48}\b/g, "$1…");
        return `${field}: ${cut(before)} → ${cut(after)}`;
      }),
    ),
};

type OfZone<T> = T & { readonly zone: AuditZone };

/** Adds a column with the zone, unless the report is about a single zone. */
function ofZones<T>(zones: readonly AuditZone[], columns: Columns<OfZone<T>>): Columns<OfZone<T>> {
  return zones.length > 1 ? { zone: (row) => ({ code: row.zone.name }), ...columns } : columns;
}

function remarkOn(zones: readonly AuditZone[], strong: string, rest: string): Entry[] {
  const names = zones.map(({ name }) => name);
  return names.length === 0 ? [] : [entry({ strong }, " for ", { names }, `: ${rest}`)];
}

/** Returns the chapter on requirement 6.4.3: each script, who approved it and why, and what assures its integrity. */
function scriptsChapter(zones: readonly AuditZone[]): Chapter {
  const all = zones.flatMap((zone) => (zone.scripts ?? []).map((script) => ({ ...script, zone })));
  const urgency = ({ needs }: AuditScript) =>
    Math.min(severities.indexOf("info"), ...needs.map(({ severity }) => severities.indexOf(severity)));
  // Scripts that a person has to act on come first.
  const rows = all.sort((left, right) => urgency(left) - urgency(right));
  const elsewhere = rows.filter(({ onPaymentPages }) => onPaymentPages === false);
  const below = elsewhere.length > 0 ? " Other scripts are below." : "";
  const patterns = distinct(zones.flatMap(({ paymentPages }) => paymentPages));
  const intro =
    "Each script (those that need attention come first), with its written justification, its approval, and the method that assures its integrity. People approve a script by merging a change to its inventory entry in Git. The reference links to the decision.";
  const columns = ofZones(zones, { ...scriptColumns, ...scriptDetails });
  const looks = { wide: ["script", "why", "needs"], below: Object.keys(scriptDetails) };
  const entries = [
    entry(intro),
    ...(patterns.length > 0
      ? [entry("Payment pages: ", { names: patterns, isCode: true }, `.${below}`)]
      : []),
    ...remarkOn(
      zones.filter(({ paymentPages }) => paymentPages.length === 0),
      "No payment pages are named",
      "so all scripts of these zones are listed here. Name payment pages in the inventory (`- pages: […]`) or with --page.",
    ),
    ...remarkOn(
      zones.filter(({ inventory }) => inventory === null),
      "No inventory was given",
      "the purpose, justification and approval of scripts in these zones are not known.",
    ),
  ];
  const others = { title: "Scripts elsewhere", what: "scripts elsewhere" };
  const chapter = {
    id: "requirement-643",
    title: "Requirement 6.4.3: scripts of payment pages",
    what: "scripts",
    entries,
    details: elsewhere.length === 0 ? [] : [tableChapter(others, elsewhere, columns, looks)],
  };
  const here = rows.filter(({ onPaymentPages }) => onPaymentPages !== false);
  return tableChapter(chapter, here, columns, looks);
}

const scriptColumns: Columns<OfZone<AuditScript>> = {
  script: ({ url, urls, host, entry, malicious }) => [
    ...(malicious === null ? [] : [{ strong: "MALICIOUS" }, " "]),
    { code: url, isWhole: true },
    nameCompanies(host),
    ...(entry === null || entry.match === url ? [] : [" matched by ", { code: entry.match, isWhole: true }]),
    ...(urls.length > 1 ? [`, ${urls.length} versions`] : []),
  ],
  why: ({ entry }) =>
    entry && [
      ...(entry.purpose === null ? [] : [{ strong: entry.purpose }, ": "]),
      entry.justification ?? "no justification",
    ],
  who: ({ entry }) =>
    entry && [
      entry.approved ? `${entry.approved.by}, ${entry.approved.on}` : { strong: "not approved" },
      ...(entry.owner === null ? [] : [`; owner ${entry.owner}`]),
      ...(entry.scope === "merchant" || entry.scope === null ? [] : [`; ${entry.scope}`]),
    ],
  integrity: ({ entry }) => entry?.integrity ?? null,
  // Notes need no action. Other columns show their facts, such as an unknown hash.
  needs: ({ needs }) =>
    makeLinesCell(needs.filter(({ severity }) => severity !== "info").map(({ text }) => text)),
};

const scriptDetails: Columns<OfZone<AuditScript>> = {
  seen: ({ firstSeen, lastSeen, status }) =>
    firstSeen === null && lastSeen === null
      ? `(${status})`
      : `${(firstSeen ?? "?").slice(0, 10)} to ${(lastSeen ?? "?").slice(0, 10)} (${status})`,
  pages: ({ pages }) => ({ names: pages, isCode: true }),
  // JSON and CSV have the full hashes.
  "SHA-256": ({ hashes }) =>
    hashes.length === 0 ? "unknown" : { names: hashes.map(shortHash), isCode: true },
  "served in between": ({ served }) => ({
    names: served.map(({ hash, on }) => `${shortHash(hash)} ${on ?? ""}`.trim()),
  }),
  "allowed by": ({ allowedBy }) => (allowedBy.length === 0 ? "no enforced policy" : { names: allowedBy }),
  score: ({ score }) => score,
  "review by": ({ entry }) => entry?.reviewBy ?? null,
  approval: ({ entry }) => (entry?.approved ? { link: entry.approved.reference } : null),
  "approved changes": ({ entry }) =>
    (entry?.changes ?? []).flatMap(({ hash, by, on, reference }, index) => {
      const separator = index > 0 ? "; " : "";
      return [`${separator}${shortHash(hash)} ${on} by ${by}, `, { link: reference }];
    }),
  commit: ({ entry }) => {
    if (!entry?.commit) return entry && "git cannot tell";
    const { id, on, isOnDefault } = entry.commit;
    if (id === null) return { strong: "not committed" };
    const where = isOnDefault === null ? "default branch not known" : "on the default branch";
    return [
      { code: id.slice(0, 12) },
      ` ${on.slice(0, 10)}, `,
      isOnDefault === false ? { strong: `not ${where}` } : where,
    ];
  },
};

/** Returns the companies behind hosts, in brackets, to show after the hosts; empty if no company is known. */
function nameCompanies(hosts: string): string {
  const names = distinct(hosts.split(", ").map(nameCompany));
  return names.length === 0 ? "" : ` (${names.join("; ")})`;
}

const shortHash = (hash: string): string => hash.replace(/^(.{12}).+$/s, "$1…");

/** Returns the chapter on policies: what each policy allows and blocks, and its lint findings. */
function policiesChapter({ data: { zones }, head: { madeAt } }: AuditReport): Chapter {
  const rows = zones.flatMap((zone) =>
    (zone.policies ?? []).map((policy) => ({
      ...policy,
      zone,
      state: describeState(policy, Date.parse(madeAt)),
    })),
  );
  const chapter = { id: "policies", title: "Policies", what: "policies" };
  const looks = { wide: ["policy", "allows"], narrow: ["state"] };
  return tableChapter(chapter, rows, ofZones(zones, policyColumns), looks);
}

const policyColumns: Columns<OfZone<AuditPolicy & { readonly state: string }>> = {
  policy: ({ description, id, expression, declaredBy }) => [
    { strong: description || "(no description)" },
    " ",
    { tag: id },
    ", if ",
    { code: expression, isWhole: true },
    declaredBy === null ? "" : `, declared by ${declaredBy}`,
  ],
  state: ({ state }) => state,
  allows: ({ allows }) =>
    makeLinesCell(allows.map(({ directive, sources }) => [directive, ...sources].join(" "))),
  lint: ({ lint }) =>
    lint.length === 0
      ? "no findings"
      : makeLinesCell(lint.map(({ rule, severity, message }) => `${severity}: ${message} [${rule}]`)),
  "effect on items in use": ({ impact, ...policy }) => {
    if (impact === null) return "not checked";
    const { examined, breaks, keepsOut, letsIn, hosts } = impact;
    const verb = isEnforced(policy) ? "blocked" : "would be blocked";
    const lost = breaks.scripts + breaks.connections;
    const kept = keepsOut.scripts + keepsOut.connections;
    const lostCount = lost > 0 ? lost : "none";
    const counts = [
      `${lostCount} of ${examined} ${verb}`,
      ...(kept > 0 ? [`${pluralize(kept, "malicious item")} kept out`] : []),
      ...(letsIn > 0 ? [`${pluralize(letsIn, "malicious item")} let in`] : []),
    ];
    const named = hosts
      .filter((host) => host.breaks.scripts + host.breaks.connections > 0)
      .map(({ host, reason }) => `${host || "(no host)"}${nameCompanies(host)}: ${reason}`);
    return [counts.join(", "), ...(named.length === 0 ? [] : ["; ", makeLinesCell(named)])];
  },
};

function describeState(policy: AuditPolicy, now: number): string {
  const { action, enabled, loggingSince } = policy;
  if (isEnforced(policy)) return "enforced";
  if (!enabled) return "switched off";
  if (loggingSince === null) return `logs (${action}), for an unknown time`;
  const days = Math.max(0, Math.floor((now - Date.parse(loggingSince)) / dayMs));
  return `logs (${action}) for ${pluralize(days, "day")}, since ${loggingSince.slice(0, 10)}`;
}
