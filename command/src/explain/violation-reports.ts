import { kindDecidedBy, type ReportedUse } from "page-guard-csp";
import { z } from "pulumi-page-guard/tools";
import { CommandError } from "../command-error";
import { forTerminal } from "../reports/escape";

/** A reported request that can be explained. */
export interface ReportedRequest extends Omit<ReportedUse, "kind"> {
  /** Absent where only the directive tells something. */
  readonly kind?: ReportedUse["kind"];
  readonly directive: string;
  /** The policy was not enforced, so nothing was blocked. */
  readonly isOnlyReported: boolean;
}

interface ReadReports {
  readonly requests: readonly ReportedRequest[];
  /** Why others cannot be explained. */
  readonly skipped: readonly string[];
}

/** A collector of reports may add when it got one. */
const timestamp = z
  .union([z.number(), z.string()])
  .transform((given) => new Date(given).getTime())
  .optional()
  .catch(undefined);

/** Of `report-uri`. */
const dashed = z
  .object({
    ...{ timestamp, user_agent: z.string().optional() },
    "csp-report": z.object({
      "document-uri": z.string(),
      "blocked-uri": z.string(),
      "effective-directive": z.string().optional(),
      "violated-directive": z.string().optional(),
      "original-policy": z.string().optional(),
      disposition: z.string().optional(),
      "source-file": z.string().nullish(),
      "script-sample": z.string().nullish(),
    }),
  })
  .transform(({ "csp-report": report, timestamp: time, user_agent: visitor }) => ({
    ...{ time, visitor, sample: report["script-sample"] },
    pageUrl: report["document-uri"],
    url: report["blocked-uri"],
    directive: report["effective-directive"] || report["violated-directive"] || "",
    policy: report["original-policy"] ?? "",
    disposition: report.disposition,
    sourceFile: report["source-file"] ?? "",
  }));

/** Of the Reporting API. */
const camelCased = z
  .object({
    ...{ type: z.literal("csp-violation"), timestamp, user_agent: z.string().optional() },
    body: z.object({
      documentURL: z.string(),
      blockedURL: z.string().nullish(),
      effectiveDirective: z.string(),
      originalPolicy: z.string().optional(),
      disposition: z.string().optional(),
      sourceFile: z.string().nullish(),
      sample: z.string().nullish(),
    }),
  })
  .transform(({ body, timestamp: time, user_agent: visitor }) => ({
    ...{ time, visitor, sample: body.sample },
    pageUrl: body.documentURL,
    url: body.blockedURL ?? "",
    directive: body.effectiveDirective,
    policy: body.originalPolicy ?? "",
    disposition: body.disposition,
    sourceFile: body.sourceFile ?? "",
  }));

const violation = z.union([dashed, camelCased]);

type Violation = z.output<typeof violation>;

/** Another report that a browser may send to the same place. */
const otherReport = z.object({ type: z.string() });

/** Reads one report, a list, or one on each line: of `report-uri` or the Reporting API. @throws CommandError */
export function readReports(text: string, file = "-"): ReadReports {
  const skipped = new Map<string, number>();
  const requests: ReportedRequest[] = [];
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  for (const content of documentsOf(text, file).flat()) {
    const read = violation.safeParse(content);
    if (!read.success) {
      const other = otherReport.safeParse(content);
      if (!other.success || other.data.type === "csp-violation") throw notAReport("fields are missing", file);
      skip(`a report of type ${forTerminal(other.data.type, 100)} is not about a policy`);
      continue;
    }
    const request = toRequest(read.data);
    if (typeof request === "string") skip(request);
    else requests.push(request);
  }
  return {
    requests,
    skipped: [...skipped].map(([reason, count]) => (count === 1 ? reason : `${reason} (${count} reports)`)),
  };
}

/** Directives whose reports name no request, or not its kind. */
const ofDirectiveAlone: ReadonlySet<string> = new Set([
  ...["default-src", "prefetch-src", "frame-ancestors", "sandbox"],
  ...["require-trusted-types-for", "trusted-types"],
]);

/** Schemes of what browser extensions add to pages. */
const extension = /^(?:chrome|moz|safari|safari-web|ms-browser|webkit-masked)-extension\b/i;
/** Hosts through which virus scanners add their scripts to all pages of a visitor. */
const scanner = /^https?:\/\/(?:[a-z0-9-]+\.)*kaspersky-labs\.com(?:[:/]|$)/i;

/** A string says why it cannot be explained. */
function toRequest(read: Violation): ReportedRequest | string {
  const { pageUrl, url, directive: violated, policy, disposition, sourceFile, sample, visitor, time } = read;
  // Older browsers report the directive with its sources.
  const [directive = ""] = violated.trim().toLowerCase().split(/\s/);
  const kind = kindDecidedBy(directive);
  if ([url, sourceFile].some((one) => extension.test(one))) {
    return "browser extensions of visitors are not part of the page";
  }
  if (scanner.test(url)) return "virus scanners of visitors are not part of the page";
  if (kind === undefined && !ofDirectiveAlone.has(directive))
    return `what ${forTerminal(directive, 100) || "no directive"} blocks has no URL to explain`;
  const base = {
    ...{ directive, pageUrl, isOnlyReported: disposition === "report" },
    // They differ on every page.
    policy: policy.replace(/'nonce-[^']*'/gi, "'nonce-x'"),
    ...(sample && { sample }),
    ...(visitor && { visitor }),
    ...(time !== undefined && !Number.isNaN(time) && { time }),
  };
  if (kind === undefined) return { ...base, url: urlOf(url) };
  if (url.startsWith("trusted-types")) return { ...base, directive: url, url };
  return { ...base, kind, url: urlOf(url) };
}

const withoutUrl: ReadonlySet<string> = new Set(["inline", "eval", "wasm-eval"]);

function urlOf(blocked: string): string {
  // From older browsers, for inline code.
  if (blocked === "" || blocked === "self") return "inline";
  // For a URL without a host, only the scheme is reported.
  return !withoutUrl.has(blocked) && /^[a-z][a-z0-9+.-]*$/i.test(blocked) ? `${blocked}:` : blocked;
}

function documentsOf(text: string, file: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    try {
      if (lines.length > 1) return lines.map((line): unknown => JSON.parse(line));
    } catch {
      // Neither one document nor one a line.
    }
    throw notAReport("it is not JSON", file);
  }
}

function notAReport(reason: string, file: string): CommandError {
  return new CommandError(
    `${file === "-" ? "Standard input" : forTerminal(file, 200)} is not a violation report: ${reason}. Give what a browser sent: { "csp-report": … }, or reports of type csp-violation.`,
  );
}
