import * as z from "zod";

/** Returns fields that share a schema. */
function fields<S extends z.ZodType, Name extends string>(schema: S, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, S>;
}

const text = z.string();
/** Absent facts are `null`, so that every report has every field. */
const maybe = text.nullable();
const flag = z.boolean().nullable();
const count = z.int().nonnegative();
const score = z.number().nullable();
const texts = z.array(text);
const byCode = z.record(text, count);
const counts = z.object(fields(count, "scripts", "connections"));

/** Schema of a need: something that a person should act on. */
const scriptNeed = z.object({
  code: text.describe("Stable, kebab case."),
  severity: z.enum(["error", "warning", "info"]),
  text,
});

const need = scriptNeed.extend({
  chapter: z
    .enum(["requirement-643", "requirement-1161", "policies", "changes"])
    .describe("The part of the HTML report that has the details."),
});

const approval = z.object({ by: text, reference: text.describe("URL of the decision, or #123."), on: text });

const entry = z.object({
  file: text,
  line: count,
  match: text,
  ...fields(maybe, "purpose", "justification", "owner", "reviewBy"),
  scope: maybe.describe("merchant or processor."),
  integrity: maybe.describe("The method that assures the integrity, in words."),
  approved: approval.nullable(),
  changes: z.array(approval.extend({ hash: text })).describe("Later contents, each with its own approval."),
  commit: z
    .object({
      id: maybe.describe("Null if the entry is not committed in its present form."),
      on: text,
      isOnDefault: flag.describe("Whether the commit is on the default branch; null: not known."),
    })
    .nullable()
    .describe("The last change of the entry; null: git cannot tell."),
});

const script = z.object({
  key: text.describe("Stays the same in every report: the pattern of all its versions, or its URL."),
  urls: texts.describe("URLs of all its versions that the service lists."),
  url: text,
  versions: count,
  status: text,
  hashes: texts,
  pages: texts,
  host: text.describe("Hosts from which it is loaded."),
  ...fields(maybe, "firstSeen", "lastSeen"),
  score: score.describe("The lowest integrity score of its versions, 1 to 99."),
  scores: z
    .object(fields(score, "obfuscation", "dataflow", "magecart", "cryptomining", "malware"))
    .describe("The lowest score of its versions in each category, 1 to 99."),
  malicious: maybe.describe("Why it counts as malicious; null if it does not."),
  onPaymentPages: flag.describe("Null: no payment pages are named, or they could not be read."),
  served: z
    .array(z.object({ hash: text, on: maybe }))
    .describe(
      "Contents that were served since the earlier report but are no longer served. Incomplete if not all versions were read.",
    ),
  allowedBy: texts.describe("Enforced policies that allow it."),
  entry: entry.nullable(),
  needs: z.array(scriptNeed),
});

const policy = z.object({
  ...fields(text, "id", "description", "action", "expression", "value"),
  enabled: z.boolean(),
  allows: z.array(z.object({ directive: text, sources: texts })),
  ...fields(maybe, "declaredBy", "loggingSince"),
  lint: z.array(z.object(fields(text, "rule", "severity", "message"))),
  impact: z
    .object({
      examined: count,
      breaks: counts,
      keepsOut: counts,
      letsIn: count,
      isPartial: z.boolean(),
      hosts: z.array(
        z.object({ ...fields(text, "host", "url", "reason"), ...fields(counts, "breaks", "keepsOut") }),
      ),
    })
    .nullable()
    .describe("Seen items that it blocks, or would block if it were enforced."),
});

const cookie = z.object({
  name: text,
  ...fields(maybe, "type", "host", "domain", "path", "sameSite", "firstSeen", "lastSeen"),
  ...fields(flag, "isSecure", "isHttpOnly"),
  page: maybe.describe("Page on which it was first seen."),
});

const zone = z.object({
  id: text,
  name: text,
  unread: z.array(z.object(fields(text, "part", "reason"))),
  settings: z.object({ enabled: z.boolean(), updatedAt: maybe }).nullable(),
  inventory: z
    .object({ file: text, entries: count, faults: z.array(z.object({ line: count, message: text })) })
    .nullable(),
  paymentPages: texts.describe(
    "Patterns of the payment pages (requirement 6.4.3), as the inventory or --page names them.",
  ),
  pages: texts,
  scripts: z.array(script).nullable(),
  cookies: z.array(cookie).nullable(),
  hidden: maybe.describe(
    "The scripts and connections that the service does not list, in words; null if it lists all.",
  ),
  connections: z.object(fields(count, "all", "malicious")).nullable(),
  policies: z.array(policy).nullable(),
  needs: z.array(need),
});

const change = z.object({
  zone: text,
  on: text.describe("Time of the run that found the change."),
  kind: z.enum(["script", "policy", "settings"]),
  change: z.enum(["new", "gone", "changed", "malicious"]),
  subject: text,
  details: z.array(z.object({ field: text, ...fields(maybe, "before", "after") })),
});

/** Schema of the facts about one zone in a run of `page-guard report`. */
const zoneRun = z.object({
  id: text,
  name: text,
  monitoring: flag.describe("Whether Page Guard was on; null: not read."),
  scripts: count.nullable().describe("Scripts that the service listed; null: not read."),
  isWhole: z.boolean().describe("Whether everything in the zone was read."),
  found: byCode.describe(
    "By code, the number of scripts with such a finding, plus 1 if the zone itself has one.",
  ),
  findings: z
    .array(z.object(fields(text, "code", "subject")))
    .optional()
    .describe(
      "Errors and warnings, the worst first, at most 200. `subject` is the URL of the script, or the text of a finding about the zone. A finding is over once a later run has read the whole zone without repeating it.",
    ),
  changes: z
    .array(change.omit({ zone: true, on: true }))
    .nullable()
    .describe(
      "Changes since the earlier report, whose time is in `since`. Until there is a newer report, each nightly line repeats the changes that still apply.",
    ),
});

/**
 * One line of JSON that a scheduled job appends to a file under `--runs DIR`.
 *
 * A *run line* records a nightly or weekly check with its `exit` code, and with `zones` if it is from `page-guard report`; a
 * check that failed has a `reason`. An *alert line* (`alert`) says that an issue was opened, got a comment, or was closed. Lines
 * of jobs have `chain` and `after`. A line without `chain` was written by hand: it may add to an alert, but if it has `zones`,
 * the chain counts as broken.
 */
export const runSchema = z.object({
  when: z.iso.datetime({ offset: true }).describe("Time at which the run ended or the alert was changed."),
  what: text.min(1).max(200).describe("Command that wrote the line, such as `page-guard report`."),
  exit: z
    .int()
    .min(0)
    .max(255)
    .optional()
    .describe(
      "Exit code of the check: 0 nothing found, 2 something found, any other code: not everything could be checked. Absent in an alert line.",
    ),
  counts: z.record(text.max(100), z.number()).optional().describe("Counts in the report, by name."),
  digest: text.max(200).optional().describe("`head.digest` of the report that the run made."),
  files: z.record(text, text).optional().describe("SHA-256 of each file that the run wrote, by name."),
  zones: z.array(zoneRun).optional().describe("Facts about each zone that `page-guard report` read."),
  threshold: count.optional(),
  since: text.optional().describe("Time of the earlier report with which the run compared the zones."),
  reason: text
    .max(2000)
    .optional()
    .describe("Reason why the check failed before it had a result for any zone."),
  after: texts.optional().describe("The `chain` of each line to which this line is chained."),
  chain: text
    .optional()
    .describe(
      "Seal over this line and `after`: HMAC-SHA-256 with the key of --key-env, else SHA-256. Absent if the line was written by hand.",
    ),
  link: text.max(2000).optional().describe("URL of the CI's page about the run."),
  alert: z
    .object({
      reference: text
        .min(1)
        .max(2000)
        .describe("The issue or message that alerted people. Later lines with this reference add to it."),
      closedBy: text.max(200).optional(),
      closedOn: z.iso.date().optional(),
      note: text.max(2000).optional(),
    })
    .optional(),
});

const series = z.object({
  zone: text,
  name: text,
  results: z.array(
    zoneRun.omit({ id: true, name: true, changes: true, findings: true }).extend({
      when: text,
      exit: count,
      link: text.optional(),
      digest: text.optional(),
    }),
  ),
  weeks: z.array(z.object({ monday: text, ...fields(count, "completed", "incomplete"), found: byCode })),
  findings: z
    .array(z.object({ ...fields(text, "code", "subject", "from", "to"), until: maybe, checks: count }))
    .describe(
      "Findings of the period. `from` and `to` are the times of the first and the last check with the finding, `until` is the time of the check that no longer had it; null if there is no such check.",
    ),
  gaps: z
    .array(z.object({ from: text, to: text, days: z.number() }))
    .describe(
      "Periods of more than seven days without a check. A check is a run that read the whole zone with Page Guard on, and saw scripts.",
    ),
});

const runs = z.object({
  files: texts,
  unreadable: z.array(z.object({ file: text, line: count, reason: text })),
  chain: z
    .enum(["keyed", "not keyed", "not checked", "broken", "none"])
    .describe("Whether the lines are unchanged since they were recorded."),
  series: z.array(series),
  alerts: z.array(
    z.object({
      ...fields(text, "reference", "opened", "what"),
      ...fields(maybe, "closedBy", "closedOn", "note"),
      ...fields(z.boolean(), "openedByHand", "closedByHand"),
    }),
  ),
  failed: z
    .array(z.object({ ...fields(text, "when", "what"), ...fields(maybe, "reason", "link") }))
    .describe("Runs that failed without a result for any zone."),
  left: z
    .array(z.object(fields(text, "zone", "name", "last")))
    .describe("Zones that were read in the period, but that this report does not cover."),
});

const dataSchema = z.object({ zones: z.array(zone), runs: runs.nullable() });

/** Schema of the document that `page-guard report --format json` writes and `--since` reads. */
export const reportSchema = z.object({
  format: z.literal("page-guard-report"),
  formatVersion: z.literal(1),
  head: z.object({
    madeAt: text,
    period: z.object({ from: maybe, to: text }),
    version: text.describe("Version of pulumi-page-guard."),
    madeBy: z
      .object({ system: text, ...fields(maybe, "person", "run", "repository", "commit") })
      .nullable()
      .describe(
        "Maker of the report, from the variables of the CI; null outside of GitHub Actions and GitLab CI.",
      ),
    threshold: count.describe("Integrity score below which a script counts as malicious."),
    counts: byCode,
    digest: text.describe(
      "SHA-256 of the report without this field, with sorted keys and no white space: `jq -cjS 'del(.head.digest)' report.json`.",
    ),
    since: z.object(fields(text, "madeAt", "digest")).nullable(),
    notCovered: z.array(z.object(fields(text, "title", "text"))),
  }),
  data: dataSchema,
  changes: z.array(change).nullable(),
});

export type RunLine = z.output<typeof runSchema>;
export type AuditReport = z.output<typeof reportSchema>;
export type AuditData = z.output<typeof dataSchema>;
export type AuditZone = z.output<typeof zone>;
export type AuditScript = z.output<typeof script>;
export type AuditEntry = z.output<typeof entry>;
export type AuditPolicy = z.output<typeof policy>;
export type AuditRuns = z.output<typeof runs>;
export type ZoneRun = z.output<typeof zoneRun>;
export type AuditSeries = z.output<typeof series>;
export type AuditChange = z.output<typeof change>;
export type AuditNeed = z.output<typeof need>;
