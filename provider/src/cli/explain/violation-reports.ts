import { z } from "zod";
import type { ExplainRequest } from "../../csp";
import { kindDecidedBy } from "../../csp/match/request-kind";
import { forTerminal } from "../../reports/escape";
import { CommandError } from "../command-error";

/** A reported request that can be explained. */
export interface ReportedRequest extends ExplainRequest {
  /** The policy in the report, if it has one. */
  readonly policy: string;
}

export interface ReadReports {
  readonly requests: readonly ReportedRequest[];
  /** Why others cannot be explained. */
  readonly skipped: readonly string[];
}

/** Of `report-uri`. */
const dashed = z
  .object({
    "csp-report": z.object({
      "document-uri": z.string(),
      "blocked-uri": z.string(),
      "effective-directive": z.string().optional(),
      "violated-directive": z.string().optional(),
      "original-policy": z.string().optional(),
    }),
  })
  .transform(({ "csp-report": report }) => ({
    pageUrl: report["document-uri"],
    url: report["blocked-uri"],
    directive: report["effective-directive"] || report["violated-directive"] || "",
    policy: report["original-policy"] ?? "",
  }));

/** Of the Reporting API. */
const camelCased = z
  .object({
    type: z.literal("csp-violation"),
    body: z.object({
      documentURL: z.string(),
      blockedURL: z.string().nullish(),
      effectiveDirective: z.string(),
      originalPolicy: z.string().optional(),
    }),
  })
  .transform(({ body }) => ({
    pageUrl: body.documentURL,
    url: body.blockedURL ?? "",
    directive: body.effectiveDirective,
    policy: body.originalPolicy ?? "",
  }));

const violation = z.union([dashed, camelCased]);

type Violation = z.output<typeof violation>;

/** Another report that a browser may send to the same place. */
const otherReport = z.object({ type: z.string() });

/** Reads one report, a list, or one on each line: of `report-uri` or the Reporting API. @throws CommandError */
export function readReports(text: string): ReadReports {
  const skipped = new Set<string>();
  const requests = new Map<string, ReportedRequest>();
  for (const content of documentsOf(text).flat()) {
    const read = violation.safeParse(content);
    if (!read.success) {
      const other = otherReport.safeParse(content);
      if (!other.success || other.data.type === "csp-violation") throw notAReport("fields are missing");
      skipped.add(`a report of type ${forTerminal(other.data.type, 100)} is not about a policy`);
      continue;
    }
    const request = toRequest(read.data);
    if (typeof request === "string") skipped.add(request);
    else requests.set(JSON.stringify(request), request);
  }
  return { requests: [...requests.values()], skipped: [...skipped] };
}

/** A string says why it cannot be explained. */
function toRequest({ pageUrl, url, directive: violated, policy }: Violation): ReportedRequest | string {
  // Older browsers report the directive with its sources.
  const [directive = ""] = violated.trim().toLowerCase().split(/\s/);
  const kind = kindDecidedBy(directive);
  if (kind === undefined)
    return `what ${forTerminal(directive, 100) || "no directive"} blocks has no URL to explain`;
  if (url.startsWith("trusted-types")) return "what trusted types block has no URL to explain";
  return { kind, url: urlOf(url), pageUrl, policy };
}

const withoutUrl: ReadonlySet<string> = new Set(["inline", "eval", "wasm-eval"]);

function urlOf(blocked: string): string {
  // From older browsers, for inline code.
  if (blocked === "" || blocked === "self") return "inline";
  // For a URL without a host, only the scheme is reported.
  return !withoutUrl.has(blocked) && /^[a-z][a-z0-9+.-]*$/i.test(blocked) ? `${blocked}:` : blocked;
}

function documentsOf(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    try {
      if (lines.length > 1) return lines.map((line): unknown => JSON.parse(line));
    } catch {
      // Neither one document nor one a line.
    }
    throw notAReport("it is not JSON");
  }
}

function notAReport(reason: string): CommandError {
  return new CommandError(
    `Standard input is not a violation report: ${reason}. Give what a browser sent: { "csp-report": … }, or reports of type csp-violation.`,
  );
}
