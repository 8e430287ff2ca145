import type { Finding, Rule } from "../finding";
import { SourceList } from "../match/source-list";
import { FALLBACKS } from "../syntax/directives";
import { findDirective, type ParsedPolicy } from "../syntax/parse";

/** Rules about what a policy leaves open by saying nothing. */
export const MISSING_RULES: readonly Rule[] = [unrestrictedSending, missingDirectives];

/** Ways to send what was read on a page somewhere else. */
const SENDING = ["connect-src", "img-src", "form-action"] as const;

function* unrestrictedSending(policy: ParsedPolicy): Iterable<Finding> {
  const isRestricted = SENDING.some((name) => {
    const list = findDirective(policy, FALLBACKS.get(name) ?? []);
    return list !== undefined && !new SourceList(list.values).allowsAnyHost;
  });
  if (isRestricted || policy.directives.length === 0) return;
  yield {
    ruleId: "unrestricted-sending",
    severity: "low",
    message:
      "Nothing restricts where data may be sent: a script that gets in can send what it reads to any host. Name the hosts " +
      `in ${SENDING.slice(0, -1).join(", ")} and ${SENDING.at(-1)}.`,
    position: whole(policy),
    syntax: false,
  };
}

/** No fallback covers them. */
const MISSING = [
  {
    name: "base-uri",
    ruleId: "missing-base-uri",
    message:
      "base-uri is missing, so a base element that somebody injects sends all relative URLs of the page to another host. Add base-uri 'none' or 'self'.",
  },
  {
    name: "form-action",
    ruleId: "missing-form-action",
    message:
      "form-action is missing, so forms may be sent anywhere: default-src does not cover them. Add form-action 'self', or the hosts that take forms.",
  },
  {
    name: "frame-ancestors",
    ruleId: "missing-frame-ancestors",
    message:
      "frame-ancestors is missing, so any site may show the page in a frame and make visitors click in it. Add frame-ancestors 'none' or 'self'.",
  },
] as const;

function* missingDirectives(policy: ParsedPolicy): Iterable<Finding> {
  if (policy.directives.length === 0) return;
  const names = new Set(policy.directives.map(({ name }) => name));
  for (const { name, ruleId, message } of MISSING) {
    if (names.has(name)) continue;
    yield { ruleId, severity: "low", message, position: whole(policy), directive: name, syntax: false };
  }
  yield* openFormAction(policy);
}

/** As if it were missing. `*` in the other two is found elsewhere. */
function* openFormAction(policy: ParsedPolicy): Iterable<Finding> {
  const list = findDirective(policy, ["form-action"]);
  if (list === undefined || !new SourceList(list.values).allowsAnyHost) return;
  yield {
    ruleId: "missing-form-action",
    severity: "low",
    message:
      "form-action allows any host, as if it were missing: forms may be sent anywhere. Write form-action 'self', or the hosts that take forms.",
    position: list.position,
    directive: list.name,
    syntax: false,
  };
}

function whole({ text }: ParsedPolicy): Finding["position"] {
  return { offset: 0, length: text.length };
}
