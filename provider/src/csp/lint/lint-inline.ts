import { grouped } from "../../text/grouped";
import { advice, type Finding, inDirective } from "../finding";
import { fallbacks } from "../syntax/directives";
import { findDirective, lowerCase, type ParsedPolicy } from "../syntax/parse";
import { parseSource } from "../syntax/source";

const inlineKinds = [
  { directive: "script-src-elem", what: "inline scripts" },
  { directive: "script-src-attr", what: "event handlers" },
  { directive: "style-src-elem", what: "inline styles" },
  { directive: "style-src-attr", what: "style attributes" },
] as const;

export function* lintInline(policy: ParsedPolicy): Iterable<Finding> {
  const deciding = grouped(inlineKinds, ({ directive }) =>
    findDirective(policy, fallbacks.get(directive) ?? []),
  );
  for (const [list, kinds] of deciding) {
    if (list === undefined) continue;
    const what = kinds.map((kind) => kind.what);
    const index = list.values.findIndex(isUnsafeInline);
    if (index === -1) {
      const message =
        `Without 'unsafe-inline' ${list.name} blocks ${and.format(what)}, which the service does not record, so they were ` +
        "not checked. Run the policy in log and read its reports first.";
      yield inDirective(list, advice("blocks-inline", "info", message));
    } else if (list.values.some(disablesInline)) {
      const message =
        `'unsafe-inline' beside a hash is ignored: of ${and.format(what)} only those with a listed hash are allowed. ` +
        "Remove it, or all hashes.";
      yield inDirective(list, advice("dead-unsafe-inline", "medium", message), index);
    }
  }
}

function isUnsafeInline(value: string): boolean {
  return lowerCase(value) === "'unsafe-inline'";
}

function disablesInline(value: string): boolean {
  const source = parseSource(value);
  return source.kind === "nonce" || (source.kind === "hash" && source.of === "content");
}

const and = new Intl.ListFormat("en-GB");
