import { advice, type Finding, inDirective, inPolicy, type Severity } from "../finding";
import { SourceList } from "../match/source-list";
import {
  decidingDirective,
  findDirective,
  lowerCase,
  type ParsedDirective,
  type ParsedPolicy,
  parse,
} from "../syntax/parse";
import { parseSource } from "../syntax/source";
import { grouped } from "../texts";
import { lintDirectives } from "./lint-directives";
import { lintScriptHosts } from "./lint-script-hosts";
import { lintSecurity } from "./lint-security";
import { lintSources } from "./lint-sources";

const severityOrder: readonly Severity[] = ["high", "medium", "low", "info"];

/**
 * What is wrong with, or unwise in, the text of a policy: syntax that browsers or the service ignore, and
 * security findings. Worst first, then by place. The rules are in `docs/csp-lint-rules.md`. Never throws.
 *
 * @example
 * ```ts
 * lint("script-src self").map(({ ruleId }) => ruleId); // ["unquoted-keyword", …]
 * ```
 */
export function lint(text: string): Finding[] {
  const policy = parse(text);
  const findings = [
    ...lintDirectives(policy),
    ...lintInline(policy),
    ...lintMissing(policy),
    ...lintSources(policy),
    ...(policy.directives.length === 0 ? [] : lintSecurity(policy)),
    ...lintScriptHosts(policy),
  ];
  return findings.sort(
    (a, b) =>
      severityOrder.indexOf(a.severity) - severityOrder.indexOf(b.severity) ||
      a.position.offset - b.position.offset ||
      (a.ruleId < b.ruleId ? -1 : 1),
  );
}

const inlineKinds = [
  { directive: "script-src-elem", what: "inline scripts" },
  { directive: "script-src-attr", what: "event handlers" },
  { directive: "style-src-elem", what: "inline styles" },
  { directive: "style-src-attr", what: "style attributes" },
] as const;

function* lintInline(policy: ParsedPolicy): Iterable<Finding> {
  const deciding = grouped(inlineKinds, ({ directive }) => decidingDirective(policy, directive));
  for (const [list, kinds] of deciding) {
    if (list === undefined) continue;
    const what = kinds.map((kind) => kind.what);
    const index = list.values.findIndex((value) => lowerCase(value) === "'unsafe-inline'");
    if (index === -1) {
      const message =
        `Without 'unsafe-inline' ${list.name} blocks ${and.format(what)}, which the service does not record, so they were ` +
        "not checked. Run the policy in log and read its reports first.";
      yield inDirective(list, advice("blocks-inline", "info", message));
    } else if (list.values.some(isHash)) {
      const message =
        `'unsafe-inline' beside a hash is ignored: of ${and.format(what)} only those with a listed hash are allowed. ` +
        "Remove 'unsafe-inline'; browsers of before 2015 alone still follow it.";
      yield inDirective(list, advice("dead-unsafe-inline", "medium", message), index);
    }
  }
}

function isHash(value: string): boolean {
  const source = parseSource(value);
  return source.kind === "hash" && source.of === "content";
}

const and = new Intl.ListFormat("en-GB");

/** Ways to send what was read on a page elsewhere. */
const sendingDirectives = ["connect-src", "img-src", "form-action"] as const;

/** No fallback covers them. */
const missingOnes = [
  {
    name: "base-uri",
    ruleId: "missing-base-uri",
    message:
      "base-uri is missing, so an injected base element sends all relative URLs of the page to another host. Add base-uri 'none' or 'self'.",
  },
  {
    name: "form-action",
    ruleId: "missing-form-action",
    message:
      "form-action is missing, so forms may be sent anywhere: default-src does not cover them. Add form-action 'self', or the hosts that receive forms.",
  },
  {
    name: "frame-ancestors",
    ruleId: "missing-frame-ancestors",
    message:
      "frame-ancestors is missing, so any site may show the page in a frame and make visitors click in it. Add frame-ancestors 'none' or 'self'.",
  },
] as const;

/** Rules about what a policy leaves unrestricted. */
function* lintMissing(policy: ParsedPolicy): Iterable<Finding> {
  if (policy.directives.length === 0) return;
  if (sendingDirectives.every((name) => isOpen(decidingDirective(policy, name)))) {
    const message =
      "Nothing restricts where data may be sent: an injected script can send what it reads to any host. Name the hosts in " +
      "connect-src, img-src and form-action.";
    yield inPolicy(policy, advice("unrestricted-sending", "low", message));
  } else {
    const images = findDirective(policy, ["img-src"]);
    if (images !== undefined && isOpen(images) && !isOpen(decidingDirective(policy, "connect-src"))) {
      const message =
        "img-src allows any host, so an injected script can send what it reads in the URL of an image, whatever connect-src " +
        "says. Name the hosts of images.";
      yield inDirective(images, advice("unrestricted-sending", "low", message));
    }
  }
  for (const { name, ruleId, message } of missingOnes) {
    if (findDirective(policy, [name]) !== undefined) continue;
    // Scripts that a nonce or hash has let in load others relative to the base URL.
    const severity = name === "base-uri" && trustsScripts(policy) ? "medium" : "low";
    yield { ...inPolicy(policy, advice(ruleId, severity, message)), directive: name };
  }
  // As good as missing. `*` in the other two is found elsewhere.
  const list = findDirective(policy, ["form-action"]);
  if (list !== undefined && isOpen(list)) {
    const message =
      "form-action allows any host, as if it were missing: forms may be sent anywhere. Write form-action 'self', or the hosts that receive forms.";
    yield inDirective(list, advice("missing-form-action", "low", message));
  }
}

function trustsScripts(policy: ParsedPolicy): boolean {
  const list = decidingDirective(policy, "script-src");
  const isTrust = (value: string) =>
    lowerCase(value) === "'strict-dynamic'" || isHash(value) || parseSource(value).kind === "nonce";
  return list?.values.some(isTrust) === true;
}

function isOpen(list: ParsedDirective | undefined): boolean {
  return list === undefined || new SourceList(list.values).allowsAnyHost;
}
