import { createHash } from "node:crypto";
import { canonical } from "../../text/canonical";
import { changesBetween } from "./changes";
import { notCovered } from "./not-covered";
import type { AuditData, AuditReport } from "./report-data";

/** The report of what was gathered. */
export function makeReport(
  data: AuditData,
  facts: Pick<AuditReport["head"], "madeAt" | "period" | "version" | "madeBy" | "threshold">,
  since: AuditReport | undefined,
): AuditReport {
  return {
    format: "page-guard-report",
    formatVersion: 1,
    head: {
      ...facts,
      counts: countsOf(data),
      digest: digestOf(data),
      since: since ? { madeAt: since.head.madeAt, digest: since.head.digest } : null,
      notCovered: Object.entries(notCovered).map(([title, text]) => ({ title, text })),
    },
    data,
    changes: since ? changesBetween(since.data, data) : null,
  };
}

/** As `jq -cjS .data report.json | sha256sum` gives it. */
export function digestOf(data: AuditData): string {
  return createHash("sha256").update(canonical(data)).digest("hex");
}

function countsOf({ zones, runs }: AuditData): Record<string, number> {
  const scripts = zones.flatMap((zone) => zone.scripts ?? []);
  const policies = zones.flatMap((zone) => zone.policies ?? []);
  const enforced = policies.filter(({ action, enabled }) => enabled && action === "allow").length;
  return {
    zones: zones.length,
    zonesNotWhollyRead: zones.filter(({ unread }) => unread.length > 0).length,
    scripts: scripts.length,
    approved: scripts.filter(({ entry }) => entry?.approved).length,
    withNeeds: scripts.filter(({ needs }) => needs.some(({ severity }) => severity !== "info")).length,
    malicious: scripts.filter(({ malicious }) => malicious !== null).length,
    connections: zones.reduce((sum, { connections }) => sum + (connections?.all ?? 0), 0),
    policies: policies.length,
    enforced,
    ...(runs && { runs: runs.series.reduce((sum, { results }) => sum + results.length, 0) }),
  };
}
