import { parseUrl, toVisible } from "../texts";
import { evaluateText, hostField, hostsOf, readTextTest } from "./hosts-of";
import { collectComparisons, type ExpressionFault, parseExpression } from "./parse-expression";
import { matchOperators, type Token } from "./tokens";

const selecting: ReadonlySet<string> = new Set(["eq", "==", "in"]);

/**
 * Finds tests of the host that no request can pass (or, with `ne`, that every request passes), although the service accepts
 * them: comparisons with a string that cannot be a host, such as a URL, and tests for several hosts at once. Never throws.
 *
 * @example
 * ```ts
 * impossibleHosts('http.host eq "Shop.example.com"');
 * // [{ at: 13, reason: 'no request has the host "Shop.example.com" (at character 14): write "shop.example.com"' }]
 * ```
 */
export function impossibleHosts(expression: string): readonly ExpressionFault[] {
  const parsed = parseExpression(expression);
  if ("fault" in parsed) return [];
  const tests = collectComparisons(parsed)
    .map(readTextTest)
    // Keep the tests of the host field, either of the field itself or of `lower(…)` around it.
    .filter(({ tested }) => evaluateText(tested, new Map([[hostField, "a"]])) === "a");
  const found = tests.flatMap(({ by, values }) => values.flatMap((value) => checkHost(value, by)));
  const hosts = new Set(tests.flatMap(({ values }) => values.map(({ value }) => value)));
  const isOfNames = hosts.size > 1 && tests.every(({ by }) => selecting.has(by));
  const { selects } = hostsOf(expression);
  if (found.length > 0 || !isOfNames || ["", ...hosts].some((host) => selects(host) !== false)) return found;
  return [{ at: 0, reason: 'no request has two hosts at once: join the tests of the host with "or"' }];
}

function checkHost({ text, value, at }: Token, by: string): readonly ExpressionFault[] {
  // `$name` is a list that is stored outside the expression.
  if (matchOperators.has(by) || text.startsWith("$") || (value === "" && !selecting.has(by))) return [];
  const isExact = selecting.has(by) || by === "ne" || by === "!=";
  const written = by === "wildcard" ? value.toLowerCase() : value;
  const pattern = by.endsWith("wildcard") ? written.replaceAll("*", "x") : written;
  const isPossible = isExact
    ? /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_-])?$/.test(written)
    : /^[a-z0-9_.-]*$/.test(pattern) && (by === "contains" || by === "starts_with" || !pattern.endsWith("."));
  if (isPossible) return [];
  const what = `the host ${toVisible(text.slice(0, 80))} (at character ${at + 1})`;
  return [{ at, reason: `no request has ${what}: write ${adviseHost(hostWithin(value), by, isExact)}` }];
}

function adviseHost(host: string, operator: string, isExact: boolean): string {
  if (host === "") return "a name like shop.example.com";
  if (isExact && /^\.|\*/.test(host)) return `http.host wildcard "${host.replace(/^\./, "*.")}"`;
  return operator.endsWith("wildcard") ? `"${host}"` : `"${host.replace(/^\*+/, "")}"`;
}

/** Returns the host in a URL, or in a name with capitals, quotes, a port or a path. Empty if there is none. */
function hostWithin(text: string): string {
  const bare = text
    .replace(/[\p{C}"'\\‘-‟«»]/gu, "")
    .trim()
    .replace(/^[a-z]+:\/*/i, "")
    .replace(/[:/?#].*$/s, "")
    .replace(/\.+$/, "");
  return /^[*\w.-]+$/.exec(parseUrl(`https://${bare}`)?.hostname ?? "")?.[0] ?? "";
}
