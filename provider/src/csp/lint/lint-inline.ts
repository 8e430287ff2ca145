import type { Finding, Rule } from "../finding";
import { FALLBACKS } from "../syntax/directives";
import { findDirective, lowerCase, type ParsedDirective, type ParsedPolicy } from "../syntax/parse";
import { parseSource } from "../syntax/source";

/** Rules about code that stands in the page itself. */
export const INLINE_RULES: readonly Rule[] = [deadUnsafeInline, blocksInline];

const INLINE = [
  { directive: "script-src-elem", what: ["inline scripts"] },
  { directive: "script-src-attr", what: ["event handlers"] },
  { directive: "style-src-elem", what: ["inline styles"] },
  { directive: "style-src-attr", what: ["style attributes"] },
] as const;

/** The directives that decide about code in the page, each with what it decides about. */
function inlineLists(policy: ParsedPolicy): ReadonlyMap<ParsedDirective, readonly string[]> {
  const lists = new Map<ParsedDirective, string[]>();
  for (const { directive, what } of INLINE) {
    const list = findDirective(policy, FALLBACKS.get(directive) ?? []);
    if (list !== undefined) lists.set(list, [...(lists.get(list) ?? []), ...what]);
  }
  return lists;
}

function* deadUnsafeInline(policy: ParsedPolicy): Iterable<Finding> {
  for (const [list, what] of inlineLists(policy)) {
    const index = list.values.findIndex(isUnsafeInline);
    if (index === -1 || !list.values.some(takesInlineAway)) continue;
    yield {
      ruleId: "dead-unsafe-inline",
      severity: "medium",
      message:
        `'unsafe-inline' beside a hash is ignored: of ${listed(what)} only what has a listed hash is allowed. ` +
        "Remove it, or all hashes.",
      position: list.valuePositions[index] ?? list.position,
      directive: list.name,
      syntax: false,
    };
  }
}

function* blocksInline(policy: ParsedPolicy): Iterable<Finding> {
  for (const [list, what] of inlineLists(policy)) {
    if (list.values.some(isUnsafeInline)) continue;
    yield {
      ruleId: "blocks-inline",
      severity: "info",
      message:
        `Without 'unsafe-inline' ${list.name} blocks ${listed(what)}, which the service does not show: nobody has looked at ` +
        "them. See the reports of the policy in log first.",
      position: list.position,
      directive: list.name,
      syntax: false,
    };
  }
}

function isUnsafeInline(value: string): boolean {
  return lowerCase(value) === "'unsafe-inline'";
}

function takesInlineAway(value: string): boolean {
  const source = parseSource(value);
  return source.kind === "nonce" || (source.kind === "hash" && source.of === "content");
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
