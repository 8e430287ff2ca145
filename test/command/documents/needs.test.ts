import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { collectAttention, needsOfZone } from "../../../command/src/documents/audit/attention";
import { zoneChanges } from "../../../command/src/documents/audit/changes";
import type { AuditChange, AuditRuns } from "../../../command/src/documents/audit/report-data";
import { each } from "../../support/each";
import { root } from "../../workspace/structure/source-files";
import { auditReport } from "../support/audit-report";

const report = auditReport({ scripts: 2 });
const [zone] = report.data.zones;
const [hostile, script] = [zone?.policies?.[1], zone?.scripts?.[1]];
assert.ok(zone && hostile?.impact && script?.entry?.commit);
const policy = { ...hostile, value: "script-src 'self'" };
const impact = { ...hostile.impact, breaks: { scripts: 0, connections: 0 }, letsIn: 0 };
/** A zone, and runs, that need nothing. */
const fine = {
  ...zone,
  unread: [],
  pages: zone.paymentPages,
  settings: { enabled: true, updatedAt: null },
  inventory: null,
  hidden: null,
  scripts: [script],
  policies: [{ ...policy, lint: [], impact }],
};
const [series] = report.data.runs?.series ?? [];
assert.ok(series);
const runs: AuditRuns = {
  files: [],
  unreadable: [],
  chain: "keyed",
  alerts: [],
  failed: [],
  left: [],
  series: [{ ...series, results: [], findings: [], gaps: [] }],
};

const entry = (more: object) => {
  const commit = { ...script.entry?.commit, ...more };
  return { scripts: [{ ...script, entry: { ...script.entry, commit } }] };
};
const rule = (more: object) => ({ policies: [{ ...policy, lint: [], impact, ...more }] });
const of = (value: string) => rule({ value });
const framing = of("frame-ancestors 'self'");
const logs = rule({ action: "log" });
const effect = (more: object) => rule({ impact: { ...impact, ...more } });
const off = { settings: { enabled: false, updatedAt: null } };
const lint = (severity: string) => rule({ lint: [{ rule: "r", severity, message: "m" }] });
const found = (code: string) => {
  const results = [{ ...series.results[0], found: { [`inventory-${code}`]: 1 } }];
  return { series: runs.series.map((one) => ({ ...one, results })) };
};
const changed = found("changed");
const failed = { failed: [{ when: "2026-11-02", what: "i", reason: "503", link: null }] };
const alerted = (more: object) => {
  const alert = {
    reference: "#1",
    opened: "2026-11-01",
    what: "i",
    closedBy: null,
    closedOn: null,
    note: null,
  };
  return { alerts: [{ ...alert, openedByHand: false, closedByHand: false, ...more }] };
};
const later = { opened: "2026-11-22T00:00:00Z", closedBy: "sam" };
const afterMidnight = { opened: "2026-11-21T00:03:00Z" };
/** Returns the changes between two states of the zone. */
const between = (before: object, after: object) => {
  const changes = zoneChanges({ ...fine, ...before }, { ...fine, ...after });
  return { changes: changes.map((one) => ({ zone: "shop", on: "2026-11-01", ...one })) };
};

describe("What a report asks a person to do", () => {
  const docs = readFileSync(join(root, "docs/commands/report.md"), "utf8");
  const cases: readonly (readonly [what: string, code: string | undefined, given: object])[] = [
    ["nothing special", undefined, {}],
    ["a part that could not be read", "unread", { unread: [{ part: "settings", reason: "403" }] }],
    ["a service that hides scripts", "hidden", { hidden: "why" }],
    ["Page Guard off", "monitoring-off", off],
    ["faults of the inventory", "inventory-faults", { inventory: { faults: [{ line: 3, message: "bad" }] } }],
    ["an entry that is not committed", "inventory-open", entry({ id: null })],
    ["an entry of another branch", "inventory-open", entry({ isOnDefault: false })],
    ["an entry whose branch Git does not know", undefined, entry({ isOnDefault: null })],
    ["a policy that only logs", "nothing-enforced", { ...logs, paymentPages: [] }],
    ["a policy that only logs, and payment pages", "nothing-enforced", logs],
    ["no policy for a payment page", "nothing-enforced", rule({ expression: 'http.host eq "a.example"' })],
    ["scripts from anywhere", "policy-open", of("script-src https: 'self'")],
    ...["https://*", "*:443", "http: 'self'", "data:"].map(
      (source) => [`scripts of ${source}`, "policy-open", of(`script-src ${source}`)] as const,
    ),
    ["a policy that restricts no script", "nothing-enforced", framing],
    ["two policies, one strict", undefined, { policies: [...fine.policies, ...framing.policies] }],
    ["a policy that the stack keeps secret", undefined, of("[secret]")],
    ["open, and no payment page", "policy-open", { ...of("default-src *"), paymentPages: [] }],
    ["a nonce with 'strict-dynamic'", undefined, of("script-src https: 'nonce-a' 'strict-dynamic'")],
    ["a zone in which nothing was seen", "nothing-seen", { scripts: [] }],
    ["a payment page without a script", "nothing-seen", { pages: ["x"] }],
    ["a check that failed", "runs-failed", failed],
    ["an unlisted zone", "zones-left", { left: [{ zone: "z", name: "pay", last: "2026-11-02" }] }],
    ["a policy that is off", "nothing-enforced", rule({ enabled: false })],
    ["a policy that blocks", "policy-blocks", effect({ breaks: { scripts: 1, connections: 2 } })],
    ["a policy that allows a malicious script", "policy-lets-in", effect({ letsIn: 1 })],
    ["a lint finding of high severity", "policy-lint", lint("high")],
    ["a lint finding of low severity", undefined, lint("low")],
    ["a gap between checks", "runs-missed", { series: [{ ...series, results: [] }] }],
    ["an unreadable line", "runs-unreadable", { unreadable: [{ file: "f", line: 2, reason: "why" }] }],
    ["a broken chain", "runs-broken", { chain: "broken" }],
    ["an alert that nobody closed", "alerts-open", alerted({})],
    ["an alert that a person closed", undefined, alerted({ closedBy: "sam" })],
    ["an alert that a job closed", undefined, alerted({ closedOn: "2026-11-02" })],
    ["a malicious script, and no alert", "alerts-missing", found("malicious")],
    ["a changed script, and no alert", "alerts-missing", changed],
    ["a new script, and no alert", undefined, found("not-listed")],
    ["a changed script today, and no alert yet", undefined, { ...changed, to: "2026-11-20T03:00:00Z" }],
    ["a changed script and an alert", undefined, { ...changed, ...alerted({ closedBy: "sam" }) }],
    [
      "a change and an alert by hand",
      "alerts-missing",
      { ...changed, ...alerted({ closedBy: "s", openedByHand: true }) },
    ],
    ["a change after an alert", "alerts-missing", { ...changed, ...alerted({ closedOn: "2026-11-19" }) }],
    ["a changed script hours before an alert", "alerts-open", { ...changed, ...alerted(afterMidnight) }],
    ["a change days before an alert", "alerts-missing", { ...changed, ...alerted(later) }],
    [
      "a malicious script by now",
      "became-malicious",
      between({}, { scripts: [{ ...script, malicious: "x" }] }),
    ],
    ["a policy from allow to log", "loosened", between({}, logs)],
    ["an enforced policy deleted", "loosened", between({}, { policies: [] })],
    ["a policy switched off", "loosened", between({}, rule({ enabled: false }))],
    ["Page Guard switched off in between", "loosened", between({}, off)],
    ["a policy that then allows scripts from anywhere", "loosened", between({}, of("script-src *"))],
    ["a policy that then restricts no script", "loosened", between({}, framing)],
    ["a loosening since the last report", "loosened", { ...between({}, logs), since: "2026-10-31" }],
    ["a loosening before it", "loosened", { ...between({}, logs), since: "2026-11-02" }],
    ["a new policy that logs", undefined, between({ policies: [] }, logs)],
    ["a policy from log to allow", undefined, between(logs, {})],
    ["a policy deleted that was off", undefined, between(rule({ enabled: false }), { policies: [] })],
  ];
  for (const [what, code, given] of cases)
    it(`given ${what}, then ${code ? `report-${code}` : "nothing"}`, () => {
      const data = { zones: [], runs: { ...runs, ...given } };
      const to = "to" in given ? String(given.to) : report.head.period.to;
      const since = "since" in given ? { madeAt: String(given.since), digest: "" } : null;
      const head = { ...report.head, period: { from: null, to }, since };
      const changes = "changes" in given ? (given.changes as AuditChange[]) : [];
      const ofRuns = collectAttention({ ...report, head, data, changes });
      const needs = [...needsOfZone({ ...fine, ...given }), ...ofRuns];
      assert.deepEqual(each(needs, "code"), code === undefined ? [] : [`report-${code}`]);
      for (const { severity } of needs) {
        const row = `^\\| \`report-${code}\` \\| (?:\\w+ or )?${severity}(?: or \\w+)? \\|`;
        assert.match(docs, new RegExp(row, "m"), "the page should say the same");
      }
    });

  it("counts an inventory entry once, however many rows of scripts it has", () => {
    const commit = { id: null, on: "2026-01-06T08:00:00.000Z", isOnDefault: null };
    const scripts = [script, script].map((row) => ({ ...row, entry: row.entry && { ...row.entry, commit } }));
    const [need] = needsOfZone({ ...fine, scripts });
    assert.match(need?.text ?? "", /^1 inventory entry is not committed to the default branch/);
  });

  it("includes the day, zone and policy of events, and is said once for zones with the same gap", () => {
    const to = "2026-11-09T03:10:00.000Z";
    const [gap, other] = ["2026-10-19", "2026-09-01"].map((day) => ({
      from: `${day}T02:47:00.000Z`,
      to,
      days: 21,
    }));
    assert.ok(gap && other);
    const withGaps = { ...series, results: [], findings: [] };
    const gaps = [
      { ...withGaps, name: "pay", gaps: [{ ...other, days: 69 }, gap] },
      { ...withGaps, name: "shop", gaps: [gap] },
    ];
    const data = { zones: [], runs: { ...runs, series: gaps } };
    const named = { ...policy, description: "Checkout", lint: [], impact };
    const changes = zoneChanges(
      { ...fine, policies: [{ ...named, action: "allow" }] },
      { ...fine, policies: [{ ...named, action: "log" }] },
    ).map((one) => ({ zone: "pay", on: "2026-11-16T03:00:00Z", ...one }));
    const needs = collectAttention({ ...report, head: { ...report.head, since: null }, data, changes });
    assert.deepEqual(
      needs.map(({ text, zones }) => [text, ...zones]),
      [
        ["No check for 69 days: 2026-09-01 to 2026-11-09.", "pay"],
        ["No check for 21 days: 2026-10-19 to 2026-11-09.", "pay", "shop"],
        ['2026-11-16, pay: policy "Checkout" went from enforced to log.'],
      ],
    );
    const [none] = [...needsOfZone({ ...fine, policies: [{ ...named, action: "log" }] })];
    const why = 'No policy is enforced, so nothing keeps scripts out. Policy "Checkout" is not enforced.';
    assert.equal(none?.text, why);
  });
});
