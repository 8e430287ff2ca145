import { difference, type HostSet, intersection, type PossibleHosts, union } from "./host-set";
import { type Comparison, type Expression, parseExpression } from "./parse-expression";

/** The hosts that an expression selects, as far as its text says. */
export type HostSelection =
  | ({ readonly decided: true } & HostSet)
  | {
      readonly decided: false;
      /** Ends a sentence: `… because it tests http.request.uri.path`. */
      readonly reason: string;
    };

const hostField = "http.host";

/**
 * Decides which hosts a filter expression selects: tests of `http.host` by `eq`, `==`, `in`, `wildcard` and
 * `ends_with`, quoted or not, joined by `or` and `and`. A test of something else beside one of the host only narrows
 * it (`isSuperset`). Never throws.
 *
 * @example
 * ```ts
 * hostsOf('http.host in {"a.example" "b.example"}'); // { decided: true, hosts: ["a.example", "b.example"], … }
 * hostsOf('http.request.uri.path eq "/pay"'); // { decided: false, reason: "it tests http.request.uri.path" }
 * ```
 */
export function hostsOf(expression: string): HostSelection {
  const parsed = parseExpression(expression);
  if ("fault" in parsed) return { decided: false, reason: parsed.fault };
  const found = selectedBy(parsed);
  return "reason" in found ? { decided: false, reason: found.reason } : { decided: true, ...found };
}

const combine = { or: union, xor: difference, and: intersection } as const;

function selectedBy(expression: Expression): PossibleHosts {
  switch (expression.kind) {
    case "not":
      return { reason: "it says which requests it does not select" };
    case "comparison":
      return comparedHosts(expression);
    default:
      return combine[expression.kind](expression.parts.map(selectedBy));
  }
}

function comparedHosts(comparison: Comparison): PossibleHosts {
  const { name, given, isIndexed, operator } = comparison;
  const [argument, comma, text, ...rest] = given ?? [];
  const isOfHost = argument?.value.toLowerCase() === hostField && !isIndexed;
  const isLowered = name === "lower" && isOfHost && given?.length === 1;
  const field = isIndexed ? `${name}[…]` : given === undefined || isLowered ? name : `${name}(…)`;
  if (operator === undefined) {
    const isEnd = comma?.text === "," && text?.kind === "string" && rest.length === 0;
    if (name === "ends_with" && isOfHost && isEnd) return setOf([], [text.value.toLowerCase()]);
    return { reason: field === "true" ? "it selects every request" : `it tests ${field}` };
  }
  if (field !== hostField && !isLowered) return { reason: `it tests ${field}` };
  const values = comparison.values.map(({ value }) => value.toLowerCase());
  if (operator === "eq" || operator === "==" || operator === "in") {
    // `$name`: a list that is kept elsewhere.
    const list = values.find((value) => value.startsWith("$"));
    return list === undefined ? setOf(values, []) : { reason: `it refers to the list ${list}` };
  }
  if (operator === "wildcard") return wildcard(values[0] ?? "");
  return { reason: `it tests ${hostField} by ${operator}` };
}

function setOf(hosts: readonly string[], suffixes: readonly string[]): HostSet {
  return { hosts: [...new Set(hosts)], suffixes, isSuperset: false };
}

/** `*` matches any text: only one at the beginning leaves an end to compare with. */
function wildcard(pattern: string): PossibleHosts {
  const rest = pattern.replace(/^\*+/, "");
  if (rest.includes("*") || rest.includes("\\"))
    return { reason: `it tests ${hostField} by the pattern ${pattern.slice(0, 60)}` };
  if (rest === pattern) return setOf([pattern], []);
  return rest === "" ? { reason: "it selects every host" } : setOf([], [rest]);
}
