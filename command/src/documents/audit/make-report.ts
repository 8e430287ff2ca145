import { createHash } from "node:crypto";
import { canonicalize, isEnforced } from "pulumi-page-guard/tools";
import { distinct, sumUp } from "../../shared/values";
import { zoneChanges } from "./changes";
import { mergeRows } from "./merge-rows";
import type { AuditData, AuditReport, AuditRuns, AuditScript, AuditZone, ZoneRun } from "./report-data";

/** Makes the report from gathered data. `changes`: changes that this run and the recorded runs in the period found. */
export function makeReport(
  data: AuditData,
  { since, ...facts }: Omit<AuditReport["head"], "counts" | "digest" | "notCovered">,
  changes: AuditReport["changes"],
): AuditReport {
  const report: AuditReport = {
    format: "page-guard-report",
    formatVersion: 1,
    head: {
      ...facts,
      counts: countAll(data),
      digest: "",
      since,
      notCovered: Object.entries(notCovered).map(([title, text]) => ({ title, text })),
    },
    data,
    changes,
  };
  return { ...report, head: { ...report.head, digest: computeDigest(report) } };
}

/** Returns, for each zone, the facts that go into the run's line in the record of runs. */
export function zoneRuns(zones: readonly AuditZone[], earlier: readonly AuditZone[] = []): ZoneRun[] {
  return zones.map((zone) => {
    const { id, name, settings, scripts, hidden, unread, needs } = zone;
    const before = earlier.find((one) => one.id === id);
    const found: Record<string, number> = {};
    const merged = mergeRows(scripts ?? []);
    for (const some of [needs, ...merged.map((script) => script.needs)])
      for (const code of distinct(some.map((one) => one.code))) found[code] = (found[code] ?? 0) + 1;
    return {
      id,
      name,
      monitoring: settings?.enabled ?? null,
      scripts: scripts && merged.filter(({ urls }) => urls.length > 0).length,
      isWhole: unread.length === 0 && hidden === null,
      found,
      findings: selectFindings(zone),
      changes: before ? zoneChanges(before, zone) : null,
    };
  });
}

/** Maximum number of findings for each zone in the line of a run. This limit keeps nightly lines small. */
export const mostFindings = 200;

function selectFindings({ needs, scripts }: AuditZone): NonNullable<ZoneRun["findings"]> {
  const ofZone = needs.map(({ code, severity, text: subject }) => ({ code, severity, subject }));
  const ofScripts = (scripts ?? []).flatMap(({ url: subject, needs: own }) =>
    own.map(({ code, severity }) => ({ code, severity, subject })),
  );
  return [...ofZone, ...ofScripts]
    .filter(({ severity }) => severity !== "info")
    .sort((left, right) => rankFinding(left) - rankFinding(right))
    .slice(0, mostFindings)
    .map(({ code, subject }) => ({ code, subject: subject.slice(0, 500) }));
}

/** Returns the rank of a finding for sorting: malicious scripts first, then errors. */
export function rankFinding({ code, severity }: Readonly<Record<"code" | "severity", string>>): number {
  return code === "inventory-malicious" ? 0 : severity === "error" ? 1 : 2;
}

/** Returns the SHA-256 of a report without its digest, as `jq -cjS 'del(.head.digest)' report.json | sha256sum` prints it. */
export function computeDigest({ head: { digest: _, ...head }, ...rest }: AuditReport): string {
  return sha256(canonicalize({ ...rest, head }));
}

export function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Counts the scripts that checks in the period found to be malicious. */
function countMalicious({ series }: AuditRuns): number {
  return sumUp(series, ({ findings }) => {
    const found = findings.filter(({ code }) => code === "inventory-malicious");
    return new Set(found.map(({ subject }) => subject)).size;
  });
}

function countAll({ zones, runs }: AuditData): Record<string, number> {
  const listed = zones.flatMap(({ scripts }) =>
    mergeRows(scripts ?? []).filter(({ urls }) => urls.length > 0),
  );
  const policies = zones.flatMap((zone) => zone.policies ?? []);
  return {
    zones: zones.length,
    zonesNotWhollyRead: zones.filter(({ unread }) => unread.length > 0).length,
    scripts: listed.length,
    // Each URL of the script needs an approval that is still valid: the finding `inventory-changed` voids an approval.
    approved: listed.filter(({ urls, rows }) => {
      const isApproved = ({ entry, needs }: AuditScript) =>
        entry?.approved && !needs.some(({ code }) => code === "inventory-changed");
      const approved = rows.filter(isApproved).flatMap((row) => row.urls);
      return urls.every((url) => approved.includes(url));
    }).length,
    withNeeds: listed.filter(({ needs }) => needs.some(({ severity }) => severity !== "info")).length,
    malicious: listed.filter(({ malicious }) => malicious !== null).length,
    connections: sumUp(zones, ({ connections }) => connections?.all ?? 0),
    policies: policies.length,
    enforced: policies.filter(isEnforced).length,
    ...(runs && {
      maliciousInPeriod: countMalicious(runs),
      runs: sumUp(runs.series, ({ results }) => results.length),
    }),
  };
}

/** Limits of every report. Each report shows them, so that nobody reads "not mentioned" as "checked". */
const notCovered: Readonly<Record<string, string>> = {
  "Headers as received":
    "11.6.1 requires that changes to the security-impacting HTTP headers are detected as the browser receives them. This report shows changes to the policies that the service adds, not headers that the origin or another proxy sends.",
  "Every visit":
    "The service samples visits. A script that only a few visitors receive may be missing, or be seen late.",
  "Inline scripts":
    "Scripts without a URL (in the page itself, in event handlers, from blob: and data:) are not listed by the service.",
  "Pages beyond the list":
    "A script is listed with the page on which the service first saw it and with the payment pages on which it was seen. It may run on other pages, too.",
  "Older items":
    "The service forgets an infrequent item after 5 days and an inactive one after 30. Items that it had forgotten before this report are only in earlier reports.",
  "Contents of scripts":
    "A hash is of the copy that the service fetched, not of the copy that each visitor received. If the plan of the zone shows no hashes, they are unknown.",
  "Who is alerted":
    "Whether an alert reached a person depends on the routing of your CI, e-mail and chat. This report shows only the alerts that the folder of --runs records.",
  "Response to incidents (12.10.5)":
    "How people responded to an alert is not shown here: see your incident records.",
  "Risk analysis (12.3.1)":
    "A frequency other than weekly needs a targeted risk analysis, which the merchant has to write.",
  "Scripts of the processor":
    "Scripts inside the payment processor's iframe are the processor's responsibility and are not visible from the merchant's pages.",
};

/** Returns the maker of the report, from the variables of GitHub or GitLab; null outside of both. */
export function findMaker(env: NodeJS.ProcessEnv): AuditReport["head"]["madeBy"] {
  const variable = (name: string): string | null => env[name]?.trim() || null;
  const [server, repository, run] = ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID"].map(variable);
  if (variable("GITHUB_ACTIONS") !== null)
    return {
      system: "GitHub Actions",
      person: variable("GITHUB_ACTOR"),
      repository: repository ?? null,
      run: server && repository && run ? `${server}/${repository}/actions/runs/${run}` : null,
      commit: variable("GITHUB_SHA"),
    };
  if (variable("GITLAB_CI") === null) return null;
  return {
    system: "GitLab CI",
    person: variable("GITLAB_USER_LOGIN"),
    repository: variable("CI_PROJECT_PATH"),
    run: variable("CI_JOB_URL"),
    commit: variable("CI_COMMIT_SHA"),
  };
}
