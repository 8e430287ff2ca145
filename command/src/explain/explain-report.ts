import { type Explanation, explain, explainer, hostOf, parse, REQUEST_KINDS } from "page-guard-csp";
import type { HeldPolicy } from "./held-policies";
import { type ReportedRequest, reasonByDirective } from "./violation-reports";

/** The verdict of one policy. Only the verdicts of enforced policies count. */
export interface Answer extends Explanation {
  readonly policy: HeldPolicy;
}

/**
 * The directives in a policy that can cause a report, by the directive that the report names. A directive that is not
 * listed here has the same name in a report and in a policy.
 */
const inPolicy: Readonly<Record<string, readonly string[]>> = {
  "prefetch-src": ["prefetch-src", "default-src"],
  "trusted-types-sink": ["require-trusted-types-for"],
  "trusted-types-policy": ["trusted-types"],
};

/** The kinds of request for which `default-src` can decide. A request of unknown kind is checked as each of them. */
const fetched = REQUEST_KINDS.filter((kind) => kind !== "form" && kind !== "base");

type Asked = Pick<ReportedRequest, "kind" | "directive" | "url" | "pageUrl">;

/** Explains how policies decide about requests. Compiles each policy only once. */
export class Explainers {
  readonly #known = new Map<string, ReturnType<typeof explainer>>();

  explain(request: ReportedRequest, policy: HeldPolicy, text = policy.text): Answer {
    const answer = this.#answer(request, text);
    if (answer.verdict !== "allowed" || request.policy === "") return { ...answer, policy };
    // If even the policy in the report allows the URL, something else blocked the request, such as a redirect or another policy.
    // The same thing may block the request under the given policy, so the verdict is "blocked".
    const isBlockedElsewhere = this.#answer(request, request.policy).verdict === "allowed";
    return { ...(isBlockedElsewhere ? blockedElsewhere(answer) : answer), policy };
  }

  #answer({ kind, directive, url, pageUrl }: Asked, text: string): Explanation {
    if (kind === undefined) return byDirective({ directive, url, pageUrl }, text);
    const explain = this.#known.get(text) ?? explainer(text);
    this.#known.set(text, explain);
    const answer = explain({ kind, url, pageUrl });
    const isOrigin = /^[a-z][a-z0-9+.-]*:\/\/[^/]+$/i.test(url);
    if (!isOrigin || !answer.nearest?.fails.every((part) => part === "path")) return answer;
    return {
      ...answer,
      reason: `${answer.reason} (the report has only the origin of the URL, so the path may match)`,
    };
  }
}

function blockedElsewhere(answer: Explanation): Explanation {
  const reason = `${answer.reason}, yet it was reported: either it was redirected to a URL that is not allowed, or another policy of the page blocks it`;
  return { ...answer, verdict: "blocked", reason };
}

function byDirective({ directive, url, pageUrl }: Omit<Asked, "kind">, text: string): Explanation {
  const names = inPolicy[directive] ?? [directive];
  const decides = names.find((name) => parse(text).directives.some((one) => one.name === name));
  if (decides === undefined) return { verdict: "allowed", reason: `the policy has no ${names.join(" or ")}` };
  const byKind = fetched.map((kind) => explain(text, { kind, url, pageUrl }));
  const [first] = byKind;
  if (first && decides === "default-src" && byKind.every(({ verdict }) => verdict === "allowed"))
    return first;
  return {
    verdict: "blocked",
    directive,
    reason: reasonByDirective[directive] ?? `${directive} does not allow it`,
  };
}

/** Returns a key for a request and its answers. Requests with equal keys have the same kind, host and reasons. */
export function makeKey(request: ReportedRequest, answers: readonly Answer[]): string {
  const { kind, directive, url, isOnlyReported } = request;
  return JSON.stringify([
    kind ?? directive,
    hostOf(url) || url,
    isOnlyReported,
    ...answers.map(({ verdict, nearest, allowedBy, directive: by, policy: { name }, reason }) => [
      verdict,
      name,
      by,
      allowedBy,
      nearest?.source,
      nearest?.fails,
      nearest === undefined ? reason : "",
    ]),
  ]);
}
