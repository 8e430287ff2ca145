import { kindDecidedBy, type ReportedUse } from "page-guard-csp";
import { jsonOf } from "pulumi-page-guard/tools";
import * as z from "zod";
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

const fields = z.record(z.string(), z.unknown());

/** Of `report-uri`, or of the Reporting API. A collector may add when it got one, and from whom. */
const reportSchema = z.object({
  type: z.string().optional(),
  timestamp: z.union([z.number(), z.string()]).optional().catch(undefined),
  user_agent: z.string().optional(),
  "csp-report": fields.optional(),
  body: fields.optional(),
});

/** The same in both formats. Undefined: what a report must have is missing. */
function violationOf(report: z.output<typeof reportSchema>) {
  const of = report["csp-report"] ?? report.body ?? {};
  const text = (...names: readonly string[]) =>
    names.map((name) => of[name]).find((one): one is string => typeof one === "string" && one !== "");
  const pageUrl = text("document-uri", "documentURL");
  const isWhole = "blocked-uri" in of || "effectiveDirective" in of;
  if (pageUrl === undefined || !isWhole) return undefined;
  return {
    pageUrl,
    url: text("blocked-uri", "blockedURL") ?? "",
    directive: text("effective-directive", "violated-directive", "effectiveDirective") ?? "",
    policy: text("original-policy", "originalPolicy") ?? "",
    isOnlyReported: text("disposition") === "report",
    sourceFile: text("source-file", "sourceFile") ?? "",
    sample: text("script-sample", "sample"),
    visitor: report.user_agent,
    time: new Date(report.timestamp ?? "").getTime(),
  };
}

/**
 * Reads one report, a list, or one on each line: of `report-uri` or the Reporting API. `skipped`: why others cannot be
 * explained. @throws CommandError
 */
export function readReports(text: string, file = "-") {
  const skipped = new Map<string, number>();
  const requests: ReportedRequest[] = [];
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  for (const content of documentsOf(text, file).flat()) {
    const report = reportSchema.safeParse(content).data ?? {};
    const { type } = report;
    if (type !== undefined && type !== "csp-violation") {
      skip(`a report of type ${forTerminal(type, 100)} is not about a policy`);
      continue;
    }
    const violation = violationOf(report);
    if (violation === undefined) throw notAReport("fields are missing", file);
    const request = toRequest(violation);
    if (typeof request === "string") skip(request);
    else requests.push(request);
  }
  return {
    requests,
    skipped: [...skipped].map(([reason, count]) => (count === 1 ? reason : `${reason} (${count} reports)`)),
  };
}

const plainText =
  "require-trusted-types-for lets no plain text become code; pass it through a policy of trusted types";
const unnamed = "trusted-types does not name the policy of trusted types that a script creates";

/** What reports say that name no request, or not its kind: by the directive of a policy that decides, as a sentence. */
export const alone: Readonly<Record<string, string>> = {
  "default-src": "no source of default-src allows it; the report does not say what kind of request it is",
  "prefetch-src": "no source of prefetch-src allows it; most browsers do not know this directive",
  "frame-ancestors": "frame-ancestors does not name the page that frames this one; reports do not say which",
  sandbox: "sandbox lacks the keyword, such as allow-scripts, for what the page did",
  "require-trusted-types-for": plainText,
  "trusted-types-sink": plainText,
  "trusted-types": unnamed,
  "trusted-types-policy": unnamed,
};

/** Schemes of what browser extensions add to pages. */
const extension = /^(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension|webkit-masked-url)\b/i;
/** Hosts through which virus scanners add their scripts to all pages of a visitor. */
const scanner = /^https?:\/\/(?:[a-z0-9-]+\.)*kaspersky-labs\.com(?:[:/]|$)/i;

/** A string says why it cannot be explained. */
function toRequest(read: NonNullable<ReturnType<typeof violationOf>>): ReportedRequest | string {
  const { pageUrl, url, policy, isOnlyReported, sample, visitor, time } = read;
  // Older browsers report the directive with its sources.
  const [directive = ""] = read.directive.trim().toLowerCase().split(/\s/);
  const kind = kindDecidedBy(directive);
  if ([url, read.sourceFile].some((one) => extension.test(one)))
    return "browser extensions of visitors are not part of the page";
  if (scanner.test(url)) return "virus scanners of visitors are not part of the page";
  if (kind === undefined && !Object.hasOwn(alone, directive))
    return `what ${forTerminal(directive, 100) || "no directive"} blocks has no URL to explain`;
  const isTrustedTypes = url.startsWith("trusted-types");
  return {
    ...{ pageUrl, isOnlyReported },
    ...(isTrustedTypes ? { directive: url, url } : { directive, url: urlOf(url) }),
    // They differ on every page.
    policy: policy.replace(/'nonce-[^']*'/gi, "'nonce-x'"),
    ...(kind && !isTrustedTypes && { kind }),
    ...(sample && { sample }),
    ...(visitor && { visitor }),
    ...(!Number.isNaN(time) && { time }),
  };
}

function urlOf(blocked: string): string {
  // From older browsers, for inline code.
  if (blocked === "" || blocked === "self") return "inline";
  // For a URL without a host, only the scheme is reported.
  return /^(?!(?:inline|(?:wasm-)?eval)$)[a-z][a-z0-9+.-]*$/i.test(blocked) ? `${blocked}:` : blocked;
}

function documentsOf(text: string, file: string): readonly unknown[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // One document, or one a line.
  for (const documents of [[text], ...(lines.length > 1 ? [lines] : [])]) {
    const read = documents.map(jsonOf);
    if (!read.includes(undefined)) return read;
  }
  throw notAReport("it is not JSON", file);
}

function notAReport(reason: string, file: string): CommandError {
  return new CommandError(
    `${file === "-" ? "Standard input" : forTerminal(file, 200)} is not a violation report: ${reason}. Give what a browser sent: { "csp-report": … }, or reports of type csp-violation.`,
  );
}
