import { Command, Option } from "commander";
import {
  hostOf,
  nameCompany,
  REQUEST_KINDS,
  type RequestKind,
  requestUrl,
  type Verdict,
} from "page-guard-csp";
import { createColors } from "picocolors";
import { groupBy, pluralize } from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import type { ReportFinding } from "../documents/report";
import { CommandError } from "../shared/command-error";
import {
  type ConnectionFlags,
  type OutputFlags,
  toZoneId,
  withConnection,
  withOutput,
} from "../shared/options";
import { print } from "../shared/output";
import { readText } from "../shared/read-text";
import { readWith } from "../shared/reader";
import type { Conclude, ExitCode, Session } from "../shared/session";
import { UsageError } from "../shared/usage-error";
import { readConsoleMessage } from "./console-message";
import { type Answer, Explainers, makeKey } from "./explain-report";
import { decidingTexts, readGivenPolicies, zonePolicies } from "./held-policies";
import { isWord, type ReportedRequest, readReports } from "./violation-reports";

interface ExplainFlags extends ConnectionFlags, OutputFlags {
  readonly policy?: string;
  readonly page?: string;
  readonly kind?: RequestKind;
  readonly zone?: string;
}

const example = `
Examples:
  page-guard explain --policy "script-src 'self' cdn.example.com/js/" --page https://shop.example.com/ \\
    https://cdn.example.com/lib/a.js
  page-guard explain --policy policy.txt --page https://shop.example.com/ --kind connection wss://api.example.com/
  page-guard explain --zone 8f14e45fceea167a5a36dedd4bea2543 --page https://shop.example.com/pay \\
    https://js.pay.example/v3.js
  page-guard explain --policy policy.txt --page https://shop.example.com/ \\
    "Refused to load https://js.pay.example/v3.js because it does not appear in the script-src directive of the Content Security Policy."
  page-guard explain - < report.json             (with the policy in the report)
  page-guard explain --policy new.txt - < reports.json

Exit codes: 0 all allowed; 1 failed; 2 something blocked, or browsers differ.`;

export function explainCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("explain")
    .description("Explain whether a policy allows requests, and which source decides or is missing")
    .argument(
      "[urls...]",
      "URLs that a page loads, or messages from a browser's console; - reads them, or violation reports, from standard input",
    )
    .option("--policy <policy>", "a file with the policy, the policy itself, or - for standard input")
    .option("--page <url>", "URL of the page with the policy")
    .addOption(
      new Option(
        "--kind <kind>",
        "kind of the requests (default: connection for ws: and wss:, otherwise script)",
      ).choices(REQUEST_KINDS),
    )
    .option("--zone <id>", "also check the zone's policies for the page", toZoneId);
  return withOutput(withConnection(command))
    .addHelpText("after", example)
    .action((urls: string[], flags: ExplainFlags) => conclude(explainAll(session, urls, flags)));
}

async function explainAll(session: Session, urls: readonly string[], flags: ExplainFlags): Promise<ExitCode> {
  const given = flags.policy === undefined ? [] : await readGivenPolicies(session, flags.policy);
  const { requests, skipped } = await readRequests(session, urls, flags);
  const { zone } = flags;
  const ofZone =
    zone === undefined
      ? () => []
      : await readWith(session, flags, "Reading policies", (client) => zonePolicies(client, zone));
  const explainers = new Explainers();
  const answered = requests.map((request) => {
    const held = isPolicyGiven(flags)
      ? [...given, ...ofZone(request.pageUrl)]
      : [{ text: request.policy, isEnforced: true }];
    const texts = decidingTexts(held);
    const answers = held.map((policy, index) => explainers.explain(request, policy, texts[index]));
    return { request, answers };
  });
  // Groups only reports. Each URL or message that the user gave gets its own answer.
  const groups = groupBy(answered, ({ request, answers }) => request.given ?? makeKey(request, answers));
  const explained = [...groups.values()].map(toExplained);
  const isFound = explained.some(({ verdict }) => verdict !== "allowed");
  return print(session, flags, {
    text: renderText(session, explained, skipped),
    json: { found: isFound, requests: explained, skipped },
    isFound,
    title: "page-guard explain",
    examined: explained.map(({ url }) => url),
    findings: explained.flatMap(toFindings),
  });
}

/** Returns the result for a group: one URL or message that the user gave, or reports with the same kind, host and reasons. */
function toExplained(
  group: readonly [{ readonly request: GivenRequest; readonly answers: readonly Answer[] }, ...unknown[]],
) {
  const [{ request, answers }] = group;
  const { directive, kind = directive, url, pageUrl, isOnlyReported, given } = request;
  const company = nameCompany(hostOf(url));
  return {
    kind,
    url,
    ...(company !== undefined && { company }),
    ...(given !== undefined && given !== url && { given }),
    pageUrl,
    verdict: findWorst(answers),
    isOnlyReported,
    count: group.length,
    answers,
  };
}

type Explained = ReturnType<typeof toExplained>;

function isPolicyGiven({ policy, zone }: ExplainFlags): boolean {
  return policy !== undefined || zone !== undefined;
}

type GivenRequest = ReportedRequest & { readonly given?: string };

async function readRequests(session: Session, texts: readonly string[], flags: ExplainFlags) {
  const named = texts.filter((text) => text !== "-");
  const withReports = named.length < texts.length;
  if (texts.length === 0)
    throw new UsageError("Give the URLs that the page loads, or - to read reports from standard input.");
  if (named.length > 0 && !isPolicyGiven(flags))
    throw new UsageError("Give a policy with --policy, or a zone with --zone.");
  if (withReports && flags.policy === "-")
    throw new UsageError("Standard input cannot be both policy and reports. Put the policy in a file.");
  const given = named.map((text) => {
    const asked = readAsked(text, flags);
    if (asked !== undefined) return asked;
    throw new UsageError(
      `${forTerminal(text, 200) || "An empty argument"} is neither a URL nor an English message from a browser's console. Give https://host/path, or /path for a path on the page's host.`,
    );
  });
  const { requests, skipped } = withReports
    ? readReports(await readText(session, "-"), "-", (line) =>
        flags.page === undefined ? undefined : readAsked(line, flags),
      )
    : { requests: [], skipped: [] };
  if (given.length + requests.length + skipped.length === 0)
    throw new CommandError("Nothing to explain: standard input is empty.");
  const whole: readonly GivenRequest[] = requests.filter(
    ({ policy }) => policy !== "" || isPolicyGiven(flags),
  );
  const without = requests.length - whole.length;
  if (without > 0 && whole.length === 0)
    throw new UsageError("No report contains its policy. Give the policy with --policy.");
  if (without > 0) skipped.push(`${pluralize(without, "report does", "reports do")} not contain the policy`);
  return { requests: [...given, ...whole], skipped };
}

/** Returns the request that a URL or a console message describes; undefined if `text` is neither. */
function readAsked(text: string, flags: ExplainFlags): GivenRequest | undefined {
  const message = readConsoleMessage(text);
  const { url: written = text, directive = "", kind: ofMessage } = message ?? {};
  const pageUrl = readPageFlag(flags);
  const url = message?.url === "" ? pageUrl : isWord(written) ? written : requestUrl(written, pageUrl)?.href;
  // A browser's console writes a space in a URL as %20, so a string with spaces is not just a URL.
  if (url === undefined || (/\s/.test(written.trim()) && !url.startsWith("data:"))) return undefined;
  const byScheme = url.startsWith("ws") ? "connection" : "script";
  const kind = flags.kind ?? ofMessage ?? (directive === "" ? byScheme : undefined);
  return {
    directive,
    url,
    pageUrl,
    policy: "",
    isOnlyReported: false,
    given: text,
    ...(kind && { kind }),
  };
}

function readPageFlag({ page }: ExplainFlags): string {
  if (page === undefined) throw new UsageError("Give the page with --page URL.");
  const url = requestUrl(page);
  if (!url?.host)
    throw new UsageError(
      `--page takes the URL of a page, such as https://shop.example.com/cart; got ${forTerminal(page, 200)}.`,
    );
  return url.href;
}

/** Returns the worst verdict of the enforced policies, because a request needs the permission of all of them. */
function findWorst(answers: readonly Answer[]): Verdict {
  const verdicts = answers.flatMap(({ policy, verdict }) => (policy.isEnforced ? [verdict] : []));
  return (["blocked", "browsers-differ"] as const).find((verdict) => verdicts.includes(verdict)) ?? "allowed";
}

function renderText(session: Session, explained: readonly Explained[], skipped: readonly string[]): string {
  const paint = createColors(session.hasColour);
  const called = {
    allowed: paint.green("allowed"),
    blocked: paint.red("blocked"),
    "browsers-differ": paint.yellow("differs"),
  };
  const lines = explained.flatMap(
    ({ kind, url, company, given, pageUrl, verdict, isOnlyReported, count, answers }) => {
      const companyNote = company === undefined ? "" : ` (${company})`;
      return [
        `${called[verdict]}  ${forTerminal(kind, 100)} ${forTerminal(url, 300)}${companyNote}`,
        ...(given === undefined ? [] : [`  given as ${forTerminal(given, 300)}`]),
        ...(count > 1 ? [`  ${count} similar reports, one of them from ${forTerminal(pageUrl, 300)}`] : []),
        ...(isOnlyReported ? ["  only reported: the policy was not enforced"] : []),
        ...(answers.length === 0 ? ["  no enabled policy in the zone applies to this page"] : []),
        ...answers.map((answer) => `  ${renderAnswer(answer, answers.length > 1)}`),
      ];
    },
  );
  const counts = (["allowed", "blocked", "browsers-differ"] as const).flatMap((wanted) => {
    const { length } = explained.filter(({ verdict }) => verdict === wanted);
    if (length === 0) return [];
    return [wanted === "browsers-differ" ? `browsers differ on ${length}` : `${length} ${wanted}`];
  });
  const notes = skipped.map((reason) => `Not explained: ${reason}.`);
  const total = counts.length === 0 ? [] : [`${counts.join(", ")}.`];
  return `${[...lines, ...(lines.length > 0 ? [""] : []), ...notes, ...total].join("\n")}\n`;
}

function renderAnswer({ policy, reason, verdict }: Answer, isOneOfSeveral: boolean): string {
  const { name = isOneOfSeveral ? "the given policy" : "", isEnforced, doubt } = policy;
  const logged = isEnforced || verdict === "allowed" ? "" : ", but the policy only logs this";
  const doubtNote = doubt === undefined ? "" : ` (${doubt})`;
  return `${name && `${name}: `}${reason}${logged}${doubtNote}`;
}

function toFindings({ kind, url, answers }: Explained): readonly ReportFinding[] {
  return answers.flatMap((answer): ReportFinding[] => {
    if (answer.verdict === "allowed") return [];
    const severity = !answer.policy.isEnforced ? "note" : answer.verdict === "blocked" ? "error" : "warning";
    const message = `${kind} ${url}: ${renderAnswer(answer, answers.length > 1)}`;
    return [{ code: answer.verdict, severity, message, subject: url }];
  });
}
