import { needsOfZone } from "../../../command/src/reports/audit/attention";
import { makeReport } from "../../../command/src/reports/audit/make-report";
import type { AuditReport, AuditScript, AuditZone } from "../../../command/src/reports/audit/report-data";

/** What an attacker may call a script, a page or a policy. */
export const hostile =
  '</td></table><script>document.title="taken"</script><img src="https://evil.example/a.png" onerror="document.title=1"><!-- </style></main> =cmd|\'/c calc\'!A1';

/** Fields that say it. */
const saying = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, hostile])) as Record<Name, string>;

/** A report in which each field that others write is hostile. */
export function auditReport({ scripts }: { readonly scripts: number }): AuditReport {
  const one = { scripts: 1, connections: 0 };
  const facts: Omit<AuditZone, "needs"> = {
    id: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
    name: "shop",
    unread: [{ part: hostile, reason: hostile }],
    settings: { enabled: false, updatedAt: "2026-01-01T00:00:00Z" },
    inventory: { file: hostile, entries: 2, faults: [{ line: 1, message: hostile }] },
    paymentPages: ["https://shop.example.com/checkout*", hostile],
    cookies: [
      {
        ...saying("name", "type", "host", "domain", "path", "sameSite", "firstSeen", "lastSeen", "page"),
        ...{ isSecure: true, isHttpOnly: null },
      },
    ],
    pages: [`https://shop.example.com/${"long-folder/".repeat(12)}`, hostile],
    scripts: Array.from({ length: scripts }, (_, index) => script(index)),
    hidden: hostile,
    connections: { all: 3, malicious: 1 },
    policies: (["log", "allow"] as const).map((action) => ({
      ...saying("description", "expression", "value", "declaredBy"),
      ...{ id: `${action}-${hostile}`, action, enabled: true },
      allows: [{ directive: hostile, sources: [hostile] }],
      lint: [{ rule: hostile, severity: "high", message: hostile }],
      loggingSince: "2026-11-01T00:00:00Z",
      impact: {
        ...{ examined: 9, breaks: one, keepsOut: one, letsIn: 1, isPartial: true },
        hosts: [{ ...saying("host", "url", "reason"), breaks: one, keepsOut: one }],
      },
    })),
  };
  const zone = { ...facts, needs: [...needsOfZone(facts)] };
  const run = {
    ...{ when: "2026-11-20T02:00:00Z", exit: 2, monitoring: true, scripts: 3, isWhole: true },
    found: { "inventory-malicious": 1, [hostile]: 1 },
    digest: hostile,
    link: "https://git.example/shop/runs/1",
  };
  const report = makeReport(
    {
      zones: [zone],
      runs: {
        files: [hostile],
        unreadable: [{ file: hostile, line: 1, reason: hostile }],
        chain: "broken",
        series: [
          {
            ...{ zone: facts.id, name: "shop" },
            results: [run],
            weeks: ["2026-11-09", "2026-11-16"].map((monday, index) => ({
              ...{ monday, completed: index, incomplete: 0, found: run.found },
            })),
            gaps: [{ from: "2026-11-09T00:00:00.000Z", to: run.when, days: 11 }],
          },
        ],
        alerts: [
          {
            ...{ reference: "javascript:alert(1)", opened: run.when },
            ...saying("what", "closedBy", "closedOn", "note"),
          },
        ],
      },
    },
    {
      madeAt: "2026-11-23T06:00:00.000Z",
      period: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-23T06:00:00.000Z" },
      version: "0.1.0",
      madeBy: { system: "GitHub Actions", ...saying("person", "run", "repository", "commit") },
      threshold: 50,
    },
    { since: undefined, changes: null },
  );
  return {
    ...report,
    head: { ...report.head, since: { madeAt: "2026-10-01T00:00:00.000Z", digest: "ab" } },
    changes: (["new", "gone", "changed", "malicious"] as const).map((change) => ({
      ...{ zone: "shop", on: run.when },
      kind: "script",
      change,
      subject: hostile,
      details: [{ field: hostile, before: hostile, after: null }],
    })),
  };
}

function script(index: number): AuditScript {
  const url = `https://cdn.example/script-${index}.js`;
  const approved = { by: "alex", on: "2026-01-05", reference: "https://git.example/shop/pull/1" };
  const usual: AuditScript = {
    ...{ key: url, url, urls: [url], versions: 1, host: `cdn${index % 12}.example`, status: "active" },
    ...{ firstSeen: "2026-03-01", lastSeen: "2026-11-20", hashes: [index.toString(16).padStart(64, "0")] },
    score: (index * 37) % 99,
    scores: { obfuscation: 12, dataflow: null, magecart: 90, cryptomining: null, malware: null },
    ...{ onPaymentPages: index % 40 !== 39, served: [], malicious: null, needs: [] },
    pages: ["", "/pay", "/done"].map((page) => `https://shop.example.com/checkout${page}`),
    allowedBy: ["checkout"],
    entry: {
      ...{ file: "inventory/shop.yaml", line: 1 + index, match: url, purpose: "Card fields", approved },
      justification: "Customers enter their card in fields that the processor serves.",
      ...{ owner: "checkout team", scope: "merchant" },
      integrity: "weak: policy checkout restricts where it comes from",
      ...{ changes: [], reviewBy: "2027-01-31" },
      commit: { id: "ab".repeat(20), on: "2026-01-06T08:00:00.000Z", isOnDefault: true },
    },
  };
  if (index === 2) return { ...usual, entry: null };
  if (index > 0) return usual;
  const approval = { ...saying("by", "on"), reference: `javascript:${hostile}` };
  return {
    ...{ ...usual, ...saying("key", "url", "host", "status", "lastSeen", "malicious") },
    ...{ urls: [hostile], hashes: [hostile], pages: [hostile], allowedBy: [hostile] },
    served: [{ hash: hostile, on: hostile }],
    entry: {
      ...saying("match", "purpose", "justification", "owner", "scope", "integrity", "reviewBy"),
      ...{ file: "inventory/shop.yaml", line: 1, approved: approval },
      changes: [{ ...approval, hash: hostile }],
      commit: { id: hostile, on: "2026-01-06T08:00:00.000Z", isOnDefault: true },
    },
    needs: [{ code: "inventory-changed", severity: "error", text: hostile }],
  };
}
