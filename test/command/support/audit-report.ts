import { needsOfZone } from "../../../command/src/reports/audit/attention";
import { makeReport } from "../../../command/src/reports/audit/make-report";
import type { AuditReport, AuditScript, AuditZone } from "../../../command/src/reports/audit/report-data";

/** What an attacker may call a script, a page or a policy. */
export const hostile =
  '</td></table><script>document.title="taken"</script><img src="https://evil.example/a.png" onerror="document.title=1"><!-- </style></main> =cmd|\'/c calc\'!A1';

/** A report in which each field that others write is hostile. */
export function auditReport({ scripts }: { readonly scripts: number }): AuditReport {
  const facts: Omit<AuditZone, "needs"> = {
    id: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
    name: "shop",
    unread: [{ part: hostile, reason: hostile }],
    settings: { enabled: false, updatedAt: "2026-01-01T00:00:00Z" },
    inventory: { file: hostile, entries: 2, faults: [{ line: 1, message: hostile }] },
    paymentPages: ["https://shop.example.com/checkout*", hostile],
    cookies: [
      {
        ...{ name: hostile, type: hostile, host: hostile, domain: hostile, path: hostile, sameSite: hostile },
        ...{ isSecure: true, isHttpOnly: null, firstSeen: hostile, lastSeen: hostile, page: hostile },
      },
    ],
    pages: [`https://shop.example.com/${"long-folder/".repeat(12)}`, hostile],
    scripts: Array.from({ length: scripts }, (_, index) => script(index)),
    hidden: hostile,
    connections: { all: 3, malicious: 1 },
    policies: (["log", "allow"] as const).map((action) => ({
      id: `${action}-${hostile}`,
      description: hostile,
      action,
      enabled: true,
      expression: hostile,
      value: hostile,
      allows: [{ directive: hostile, sources: [hostile] }],
      declaredBy: hostile,
      lint: [{ rule: hostile, severity: "high", message: hostile }],
      loggingSince: "2026-11-01T00:00:00Z",
      impact: {
        examined: 9,
        breaks: { scripts: 1, connections: 0 },
        keepsOut: { scripts: 1, connections: 0 },
        letsIn: 1,
        isPartial: true,
        hosts: [
          {
            host: hostile,
            breaks: { scripts: 1, connections: 0 },
            keepsOut: { scripts: 0, connections: 0 },
            url: hostile,
            reason: hostile,
          },
        ],
      },
    })),
  };
  const zone = { ...facts, needs: needsOfZone(facts) };
  const run = {
    when: "2026-11-20T02:00:00Z",
    exit: 2,
    monitoring: true,
    scripts: 3,
    isWhole: true,
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
            reference: "javascript:alert(1)",
            opened: run.when,
            what: hostile,
            closedBy: hostile,
            closedOn: hostile,
            note: hostile,
          },
        ],
      },
    },
    {
      madeAt: "2026-11-23T06:00:00.000Z",
      period: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-23T06:00:00.000Z" },
      version: "0.1.0",
      madeBy: {
        system: "GitHub Actions",
        person: hostile,
        run: hostile,
        repository: hostile,
        commit: hostile,
      },
      threshold: 50,
    },
    { since: undefined, recorded: undefined },
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
  const isHostile = index === 0;
  const url = isHostile ? hostile : `https://cdn.example/script-${index}.js`;
  return {
    key: url,
    url,
    urls: [url],
    versions: 1,
    host: isHostile ? hostile : `cdn${index % 12}.example`,
    status: isHostile ? hostile : "active",
    firstSeen: "2026-03-01",
    lastSeen: isHostile ? hostile : "2026-11-20",
    hashes: isHostile ? [hostile] : [index.toString(16).padStart(64, "0")],
    score: (index * 37) % 99,
    scores: { obfuscation: 12, dataflow: null, magecart: 90, cryptomining: null, malware: null },
    onPaymentPages: index % 40 !== 39,
    served: isHostile ? [{ hash: hostile, on: hostile }] : [],
    malicious: isHostile ? hostile : null,
    pages: [isHostile ? hostile : "https://shop.example.com/checkout"],
    allowedBy: isHostile ? [hostile] : ["checkout"],
    entry:
      index === 2
        ? null
        : {
            file: "inventory/shop.yaml",
            line: 1 + index,
            match: isHostile ? hostile : url,
            purpose: isHostile ? hostile : "Payment",
            justification: isHostile ? hostile : "Customers pay with it.",
            owner: isHostile ? hostile : null,
            scope: isHostile ? hostile : "merchant",
            integrity: isHostile ? hostile : null,
            approved: isHostile
              ? { by: hostile, on: hostile, reference: `javascript:${hostile}` }
              : { by: "alex", on: "2026-01-05", reference: "https://git.example/shop/pull/1" },
            changes: isHostile
              ? [{ hash: hostile, by: hostile, on: hostile, reference: `javascript:${hostile}` }]
              : [],
            reviewBy: isHostile ? hostile : "2027-01-31",
            commit: {
              id: isHostile ? hostile : "ab".repeat(20),
              on: "2026-01-06T08:00:00.000Z",
              isOnDefault: true,
            },
          },
    needs: isHostile ? [{ code: "inventory-changed", severity: "error", text: hostile }] : [],
  };
}
