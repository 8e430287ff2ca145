import { needsOfZone } from "../../../command/src/documents/audit/attention";
import { makeReport } from "../../../command/src/documents/audit/make-report";
import type { AuditReport, AuditScript, AuditZone } from "../../../command/src/documents/audit/report-data";

/** A name that an attacker may give a script, a page or a policy. */
export const hostile =
  '</td></table><script>document.title="taken"</script><img src="https://evil.example/a.png" onerror="document.title=1"><!-- </style></main> =cmd|\'/c calc\'!A1';

/** Replaces each text `x` by the hostile text. */
function infect<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (_, part) => (part === "x" ? hostile : part)));
}

const when = "2026-11-20T02:00:00Z";
const one = { scripts: 1, connections: 0 };
const policy: NonNullable<AuditZone["policies"]>[number] = {
  id: "x",
  description: "x",
  action: "log",
  enabled: true,
  expression: "x",
  value: "x",
  declaredBy: "x",
  allows: [{ directive: "x", sources: ["x"] }],
  lint: [{ rule: "x", severity: "high", message: "x" }],
  loggingSince: "2026-11-01T00:00:00Z",
  impact: {
    examined: 9,
    breaks: one,
    keepsOut: one,
    letsIn: 1,
    isPartial: true,
    hosts: [{ host: "x", url: "x", reason: "x", breaks: one, keepsOut: one }],
  },
};
const zone: Omit<AuditZone, "needs"> = {
  id: "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
  name: "shop",
  unread: [{ part: "x", reason: "x" }],
  settings: { enabled: false, updatedAt: "2026-01-01T00:00:00Z" },
  inventory: { file: "x", entries: 2, faults: [{ line: 1, message: "x" }] },
  paymentPages: ["https://shop.example.com/checkout*", "x"],
  cookies: [
    {
      name: "x",
      type: "x",
      host: "x",
      domain: "x",
      path: "x",
      sameSite: "x",
      page: "x",
      firstSeen: "x",
      lastSeen: "x",
      isSecure: true,
      isHttpOnly: null,
    },
  ],
  pages: [`https://shop.example.com/${"long-folder/".repeat(12)}`, "https://shop.example.com/checkout*", "x"],
  scripts: null,
  hidden: "x",
  connections: { all: 3, malicious: 1 },
  policies: [policy, { ...policy, id: `allow-${hostile}`, action: "allow" }],
};
const run = {
  when,
  exit: 2,
  monitoring: true,
  scripts: 3,
  isWhole: true,
  digest: "x",
  found: { "inventory-malicious": 1, [hostile]: 1 },
  link: "https://git.example/shop/runs/1",
};
const weeks = ["2026-11-09", "2026-11-16"].map((monday, completed) => ({
  monday,
  completed,
  incomplete: 0,
  found: run.found,
}));
const gaps = [{ from: "2026-11-09T00:00:00.000Z", to: when, days: 11 }];
const runs: NonNullable<AuditReport["data"]["runs"]> = {
  files: ["x"],
  unreadable: [{ file: "x", line: 1, reason: "x" }],
  chain: "broken",
  series: [
    {
      zone: zone.id,
      name: "shop",
      results: [run],
      weeks,
      gaps,
      findings: [{ code: "x", subject: "x", from: when, to: when, until: null, checks: 1 }],
    },
  ],
  failed: [{ when, what: "x", reason: "x", link: "x" }],
  left: [{ zone: "x", name: "x", last: when }],
  alerts: [
    {
      reference: "javascript:alert(1)",
      opened: when,
      what: "x",
      closedBy: "x",
      closedOn: "x",
      note: "x",
      openedByHand: true,
      closedByHand: false,
    },
  ],
};

/** Returns a report with hostile text in each field that comes from outside. */
export function auditReport({ scripts }: { readonly scripts: number }): AuditReport {
  const facts = infect({ ...zone, scripts: Array.from({ length: scripts }, (_, index) => script(index)) });
  const head = {
    madeAt: "2026-11-23T06:00:00.000Z",
    version: "0.1.0",
    threshold: 50,
    period: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-23T06:00:00.000Z" },
    since: { madeAt: "2026-10-01T00:00:00.000Z", digest: "ab" },
    madeBy: infect({ system: "GitHub Actions", person: "x", run: "x", repository: "x", commit: "x" }),
  };
  const data = { zones: [{ ...facts, needs: [...needsOfZone(facts)] }], runs: infect(runs) };
  const changes = (["new", "gone", "changed", "malicious"] as const).map((change) => ({
    zone: "shop",
    on: when,
    kind: "script" as const,
    change,
    subject: hostile,
    details: [{ field: hostile, before: hostile, after: null }],
  }));
  return makeReport(data, head, changes);
}

function script(index: number): AuditScript {
  const url = `https://cdn.example/script-${index}.js`;
  const approved = { by: "alex", on: "2026-01-05", reference: "https://git.example/shop/pull/1" };
  const commit = { id: "ab".repeat(20), on: "2026-01-06T08:00:00.000Z", isOnDefault: true };
  const usual: AuditScript = {
    key: url,
    url,
    urls: [url],
    versions: 1,
    host: `cdn${index % 12}.example`,
    status: "active",
    firstSeen: "2026-03-01",
    lastSeen: "2026-11-20",
    hashes: [index.toString(16).padStart(64, "0")],
    score: (index * 37) % 99,
    scores: { obfuscation: 12, dataflow: null, magecart: 90, cryptomining: null, malware: null },
    onPaymentPages: index % 40 !== 39,
    served: [],
    malicious: null,
    needs: [],
    pages: ["", "/pay", "/done"].map((page) => `https://shop.example.com/checkout${page}`),
    allowedBy: ["checkout"],
    entry: {
      file: "inventory/shop.yaml",
      line: 1 + index,
      match: url,
      purpose: "Card fields",
      approved,
      justification: "Customers enter their card in fields that the processor serves.",
      owner: "checkout team",
      scope: "merchant",
      integrity: "weak: policy checkout restricts where the script comes from",
      changes: [],
      reviewBy: "2027-01-31",
      commit,
    },
  };
  if (index === 2) return { ...usual, entry: null };
  if (index > 0) return usual;
  const approval = { by: "x", on: "x", reference: `javascript:${hostile}` };
  return {
    ...usual,
    key: "x",
    url: "x",
    urls: ["x"],
    host: "x",
    status: "x",
    lastSeen: "x",
    malicious: "x",
    hashes: ["x"],
    pages: ["x"],
    allowedBy: ["x"],
    served: [{ hash: "x", on: "x" }],
    entry: {
      match: "x",
      purpose: "x",
      justification: "x",
      owner: "x",
      scope: "x",
      integrity: "x",
      reviewBy: "x",
      file: "inventory/shop.yaml",
      line: 1,
      approved: approval,
      changes: [{ ...approval, hash: "x" }],
      commit: { ...commit, id: "x" },
    },
    needs: [{ code: "inventory-changed", severity: "error", text: "x" }],
  };
}
