import { Command, Option } from "commander";
import { REQUEST_KINDS, type RequestKind, toRequestUrl, type Verdict, withScheme } from "page-guard-csp";
import { grouped } from "pulumi-page-guard/tools";
import { CommandError } from "./command-error";
import { type Answer, Explainers, keyOf } from "./explain/explain-report";
import { givenPolicy, zonePolicies } from "./explain/held-policies";
import { type ReportedRequest, readReports } from "./explain/violation-reports";
import { type ConnectionFlags, type OutputFlags, toZoneId, withConnection, withOutput } from "./options";
import { print } from "./output";
import { painter } from "./paint";
import { readText } from "./read-text";
import { reading } from "./reader";
import { forTerminal } from "./reports/escape";
import type { ReportFinding } from "./reports/report";
import type { Conclude, ExitCode, Session } from "./session";
import { UsageError } from "./usage-error";

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
  page-guard explain - < report.json             (with the policy in the report)
  page-guard explain --policy new.txt - < reports.json

Exit codes: 0 all allowed; 1 failed; 2 something blocked, or browsers differ.`;

/** `page-guard explain`: whether a policy allows requests, and why. */
export function explainCommand(session: Session, conclude: Conclude): Command {
  const command = new Command("explain")
    .description(
      "Explain whether a policy allows requests: by which directive and source, or what is missing",
    )
    .argument("[urls...]", "URLs that a page loads; - reads violation reports from standard input")
    .option("--policy <policy>", "the policy: a file, its text, or - for standard input")
    .option("--page <url>", "URL of the page with the policy")
    .addOption(
      new Option(
        "--kind <kind>",
        "kind of the requests (default: connection for ws: and wss:, else script)",
      ).choices(REQUEST_KINDS),
    )
    .option("--zone <id>", "also check the zone's policies for the page", toZoneId);
  return withOutput(withConnection(command))
    .addHelpText("after", example)
    .action((urls: string[], flags: ExplainFlags) => conclude(explainAll(session, urls, flags)));
}

interface Explained {
  /** The directive, where a report does not tell the kind. */
  readonly kind: string;
  readonly url: string;
  readonly pageUrl: string;
  readonly verdict: Verdict;
  /** The policy only reports it. */
  readonly isOnlyReported: boolean;
  /** Reports that say the same; 1 for a URL that is given. */
  readonly count: number;
  readonly answers: readonly Answer[];
}

async function explainAll(session: Session, urls: readonly string[], flags: ExplainFlags): Promise<ExitCode> {
  const given = flags.policy === undefined ? [] : [await givenPolicy(session, flags.policy)];
  const { requests, skipped } = await requestsOf(session, urls, flags);
  const { zone } = flags;
  const ofZone =
    zone === undefined
      ? () => []
      : await reading(session, flags, "Reading policies", (client) => zonePolicies(client, zone));
  const explainers = new Explainers();
  const answered = requests.map((request) => {
    const { policy: reported } = request;
    const held = [...given, ...ofZone(request.pageUrl)];
    const policies = isPolicyGiven(flags) ? held : [{ text: reported, isEnforced: true }];
    return { request, answers: policies.map((policy) => explainers.explain(request, policy)) };
  });
  const groups = grouped(answered, ({ request, answers }) =>
    // URLs that are given are answered one by one.
    request.isGiven ? request.url : keyOf(request, answers),
  );
  const explained = [...groups.values()].map((group): Explained => {
    const [{ request, answers }] = group;
    const { kind, directive, url, pageUrl, isOnlyReported } = request;
    const verdict = worstOf(answers);
    return { kind: kind ?? directive, url, pageUrl, verdict, isOnlyReported, count: group.length, answers };
  });
  const isFound = explained.some(({ verdict }) => verdict !== "allowed");
  return print(session, flags, {
    text: textOf(session, explained, skipped),
    json: { found: isFound, requests: explained, skipped },
    isFound,
    title: "page-guard explain",
    examined: explained.map(({ url }) => url),
    findings: explained.flatMap(toFindings),
  });
}

function isPolicyGiven({ policy, zone }: ExplainFlags): boolean {
  return policy !== undefined || zone !== undefined;
}

type Asked = ReportedRequest & { readonly isGiven?: boolean };

async function requestsOf(
  session: Session,
  urls: readonly string[],
  flags: ExplainFlags,
): Promise<{ requests: readonly Asked[]; skipped: readonly string[] }> {
  const named = urls.filter((url) => url !== "-");
  if (urls.length === 0) {
    throw new UsageError(
      "Give the URLs that the page loads, or - to read violation reports from standard input.",
    );
  }
  if (named.length > 0 && !isPolicyGiven(flags)) {
    throw new UsageError("Give a policy with --policy, or a zone with --zone.");
  }
  if (named.length < urls.length && flags.policy === "-") {
    throw new UsageError(
      "Standard input cannot be both the policy and the reports. Put the policy in a file.",
    );
  }
  const requests = named.map((url) => ({
    ...{ kind: flags.kind ?? kindOf(url), directive: "", url, pageUrl: pageOf(flags) },
    ...{ policy: "", isOnlyReported: false, isGiven: true },
  }));
  if (named.length === urls.length) return { requests, skipped: [] };
  const reports = readReports(await readText(session, "-"));
  if (requests.length + reports.requests.length === 0) {
    throw new CommandError(`Nothing to explain: ${reports.skipped.join("; ") || "standard input is empty"}.`);
  }
  if (!isPolicyGiven(flags) && reports.requests.some(({ policy }) => policy === "")) {
    throw new UsageError("A report does not contain its policy. Give the policy with --policy.");
  }
  return { requests: [...requests, ...reports.requests], skipped: reports.skipped };
}

function pageOf({ page }: ExplainFlags): string {
  if (page === undefined) throw new UsageError("Give the page with --page URL.");
  const read = toRequestUrl(withScheme(page));
  if (read === undefined || read.host === "") {
    throw new UsageError(
      `--page takes the URL of a page, such as https://shop.example.com/cart; got ${forTerminal(page, 200)}.`,
    );
  }
  return withScheme(page);
}

function kindOf(url: string): RequestKind {
  return /^wss?:/i.test(url) ? "connection" : "script";
}

/** A browser loads what all policies allow. */
function worstOf(answers: readonly Answer[]): Verdict {
  const verdicts = answers.flatMap(({ policy, verdict }) => (policy.isEnforced ? [verdict] : []));
  return (["blocked", "browsers-differ"] as const).find((verdict) => verdicts.includes(verdict)) ?? "allowed";
}

function textOf(session: Session, explained: readonly Explained[], skipped: readonly string[]): string {
  const paint = painter(session);
  const called = {
    allowed: paint.green("allowed"),
    blocked: paint.red("blocked"),
    "browsers-differ": paint.yellow("differs"),
  };
  const lines = explained.flatMap(({ kind, url, pageUrl, verdict, isOnlyReported, count, answers }) => [
    `${called[verdict]}  ${forTerminal(kind, 100)} ${forTerminal(url, 300)}`,
    ...(count > 1 ? [`  ${count} reports like this, one of them of ${forTerminal(pageUrl, 300)}`] : []),
    ...(isOnlyReported ? ["  only reported: the policy was not enforced"] : []),
    ...(answers.length === 0 ? ["  no enabled policy of the zone applies to this page"] : []),
    ...answers.map((answer) => `  ${sentenceOf(answer, answers.length > 1)}`),
  ]);
  const count = (wanted: Verdict): number => explained.filter(({ verdict }) => verdict === wanted).length;
  const counts = [
    ...(count("allowed") > 0 ? [`${count("allowed")} allowed`] : []),
    ...(count("blocked") > 0 ? [`${count("blocked")} blocked`] : []),
    ...(count("browsers-differ") > 0 ? [`browsers differ about ${count("browsers-differ")}`] : []),
  ];
  const notes = skipped.map((reason) => `Not explained: ${reason}.`);
  return `${[...lines, "", ...notes, `${counts.join(", ")}.`].join("\n")}\n`;
}

function sentenceOf({ policy, reason, verdict }: Answer, isOneOfSeveral: boolean): string {
  const { name = isOneOfSeveral ? "the given policy" : undefined, isEnforced, doubt } = policy;
  const logged = isEnforced || verdict === "allowed" ? "" : ", which is only logged";
  return `${name === undefined ? "" : `${name}: `}${reason}${logged}${doubt === undefined ? "" : ` (${doubt})`}`;
}

function toFindings({ kind, url, answers }: Explained): readonly ReportFinding[] {
  return answers.flatMap((answer): ReportFinding[] => {
    if (answer.verdict === "allowed") return [];
    const severity = !answer.policy.isEnforced ? "note" : answer.verdict === "blocked" ? "error" : "warning";
    const message = `${kind} ${url}: ${sentenceOf(answer, answers.length > 1)}`;
    return [{ code: answer.verdict, severity, message, subject: url }];
  });
}
