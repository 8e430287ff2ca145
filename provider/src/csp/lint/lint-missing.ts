import { advice, type Finding, inDirective, inPolicy } from "../finding";
import { SourceList } from "../match/source-list";
import { fallbacks } from "../syntax/directives";
import { findDirective, type ParsedDirective, type ParsedPolicy } from "../syntax/parse";

/** Ways to send what was read on a page elsewhere. */
const sendingDirectives = ["connect-src", "img-src", "form-action"];

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
export function* lintMissing(policy: ParsedPolicy): Iterable<Finding> {
  if (policy.directives.length === 0) return;
  if (sendingDirectives.every((name) => isOpen(findDirective(policy, fallbacks.get(name) ?? [])))) {
    const message =
      "Nothing restricts where data may be sent: an injected script can send what it reads to any host. Name the hosts in " +
      "connect-src, img-src and form-action.";
    yield inPolicy(policy, advice("unrestricted-sending", "low", message));
  }
  for (const { name, ruleId, message } of missingOnes) {
    if (findDirective(policy, [name]) !== undefined) continue;
    yield { ...inPolicy(policy, advice(ruleId, "low", message)), directive: name };
  }
  // As good as missing. `*` in the other two is found elsewhere.
  const list = findDirective(policy, ["form-action"]);
  if (list !== undefined && isOpen(list)) {
    const message =
      "form-action allows any host, as if it were missing: forms may be sent anywhere. Write form-action 'self', or the hosts that receive forms.";
    yield inDirective(list, advice("missing-form-action", "low", message));
  }
}

function isOpen(list: ParsedDirective | undefined): boolean {
  return list === undefined || new SourceList(list.values).allowsAnyHost;
}
