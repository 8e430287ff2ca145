import { requestUrl } from "../syntax/request-url";
import { type Comparison, collectComparisons, type Expression, parseExpression } from "./parse-expression";
import type { Token } from "./tokens";

/** Hosts that a filter expression selects. */
export type HostSelection = {
  /** Whether the expression selects the pages of a host. Undefined if it selects only some of them, or if this is unknown. */
  readonly selects: (host: string) => boolean | undefined;
} & (
  | {
      /** Whether the expression certainly leaves out some hosts. */
      readonly decided: true;
      /** Hosts that the expression names and may select. */
      readonly named: readonly string[];
      /** Patterns (`*.example.com`) of the hosts that it may select but does not name. `*` if no pattern fits exactly these. */
      readonly unnamed: readonly string[];
      /** Whether the expression may select only some pages of the hosts that it does not leave out. */
      readonly isSuperset: boolean;
    }
  | {
      readonly decided: false;
      /** End of a sentence: `… because it tests http.request.uri.path`. */
      readonly reason: string;
    }
);

type Fields = ReadonlyMap<string, string>;

export const hostField = "http.host";
/** Maximum length of an expression that the service accepts. Limits the number of hosts to evaluate. */
const maxCharacters = 4096;
const unnamedHost = "\0";

/**
 * Finds out which hosts a filter expression selects. Treats every field except the host as unknown. Never throws.
 *
 * @example
 * ```ts
 * hostsOf('http.host in {"a.example" "b.example"}').selects("a.example"); // true
 * hostsOf('http.request.uri.path eq "/pay"'); // { decided: false, reason: "it tests http.request.uri.path", … }
 * ```
 */
export function hostsOf(expression: string): HostSelection {
  const parsed = parseExpression(expression);
  const isLong = expression.length > maxCharacters;
  if ("fault" in parsed || isLong) {
    const reason = "fault" in parsed ? parsed.fault.reason : `it is longer than ${maxCharacters} characters`;
    return { decided: false, reason, selects: () => undefined };
  }
  const selects = (host: string) => evaluate(parsed, new Map([[hostField, host]]));
  const tests = collectComparisons(parsed);
  const texts = tests.flatMap((test) => readTextTest(test).values.map(({ value }) => value));
  const answers = new Map([...new Set([unnamedHost, ...texts])].map((host) => [host, selects(host)]));
  const results = new Set(answers.values());
  if (results.has(false)) {
    const named = texts.filter((text) => /^[\w-]+(?:\.[\w-]+)+$/.test(text) && answers.get(text) !== false);
    const unnamed = findUnnamed(texts, selects);
    return { decided: true, named, unnamed, isSuperset: results.has(undefined), selects };
  }
  const unknown = tests.find((test) => evaluateTest(test, new Map([[hostField, unnamedHost]])) === undefined);
  return { decided: false, reason: unknown ? explainDoubt(unknown) : "it selects every host", selects };
}

/** Returns the field `unnamed` of a selection. `texts`: all values in the comparisons of the expression. */
function findUnnamed(texts: readonly string[], selects: HostSelection["selects"]): readonly string[] {
  const longer = texts.flatMap((text) => [text, `*${text}`, `${text}*`, `*${text}*`]);
  const distinct = new Set(longer.map((text) => text.toLowerCase().replace(/\*+/g, "*")));
  const patterns = [...distinct].filter((text) => text.includes("*") && selects(text) !== false);
  const isExact = (pattern: string) =>
    /^\*[\w.-]+$/.test(pattern) &&
    texts.every((text) => !text.endsWith(pattern.slice(1)) || selects(text) !== false);
  if (selects(unnamedHost) !== false || !patterns.every(isExact)) return ["*"];
  const isWithin = (one: string, other: string) => one !== other && one.endsWith(other.slice(1));
  return patterns.filter((one) => !patterns.some((other) => isWithin(one, other)));
}

/**
 * Whether a filter expression selects a page, judged by the page's host, path and query. Undefined if the result depends on other
 * fields, or if the expression or the URL cannot be parsed. Never throws.
 *
 * @example
 * ```ts
 * selects('http.host eq "a.example" and starts_with(http.request.uri.path, "/pay")', "https://a.example/cart"); // false
 * ```
 */
export function selects(expression: string, pageUrl: string): boolean | undefined {
  const parsed = parseExpression(expression);
  const fields = toFields(pageUrl);
  return "fault" in parsed || fields === undefined ? undefined : evaluate(parsed, fields);
}

/** Returns the fields of a page request that the URL of the page determines; undefined if the URL cannot be parsed. */
export function toFields(pageUrl: string): Fields | undefined {
  const url = requestUrl(pageUrl);
  if (url === undefined) return undefined;
  const { hostname, pathname, search, href } = url;
  return new Map([
    [hostField, hostname],
    ["http.request.uri.path", pathname],
    ["http.request.uri.query", search.slice(1)],
    ["http.request.uri", pathname + search],
    ["http.request.full_uri", href.replace(/#.*/s, "")],
  ]);
}

export function evaluate(expression: Expression, fields: Fields): boolean | undefined {
  if (expression.kind === "comparison") return evaluateTest(expression, fields);
  if (expression.kind === "not") {
    const part = evaluate(expression.part, fields);
    return part === undefined ? undefined : !part;
  }
  const parts = expression.parts.map((part) => evaluate(part, fields));
  if (expression.kind === "and" && parts.includes(false)) return false;
  if (expression.kind === "or" && parts.includes(true)) return true;
  if (parts.includes(undefined)) return undefined;
  const count = parts.filter(Boolean).length;
  return expression.kind === "xor" ? count % 2 === 1 : count > 0;
}

type Test = (text: string, value: string) => boolean;
const equals: Test = (text, value) => text === value;
const differs: Test = (text, value) => text !== value;
/** Operators and functions that compare two strings; only `wildcard` ignores case (vendor's documentation, Operators). */
const textTests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["eq", equals],
  ["==", equals],
  ["in", equals],
  ["ne", differs],
  ["!=", differs],
  ["contains", (text, value) => text.includes(value)],
  ["wildcard", (text, value) => fits(text.toLowerCase(), value.toLowerCase())],
  ["strict wildcard", fits],
  ["starts_with", (text, value) => text.startsWith(value)],
  ["ends_with", (text, value) => text.endsWith(value)],
]);

/** Returns the operand that a comparison tests, the values that it is compared with, and the operator or function. */
export function readTextTest(comparison: Comparison) {
  const { name, given = [], isIndexed, operator, values } = comparison;
  const [tested, value, ...more] = given;
  if (operator === undefined && tested && value?.kind === "string" && more.length === 0 && !isIndexed)
    return { tested, by: name, values: [value] };
  return { tested: { ...comparison, operator: undefined }, by: operator ?? "", values };
}

function evaluateTest(comparison: Comparison, fields: Fields): boolean | undefined {
  if (comparison.operator === undefined && /^(?:true|false)$/.test(comparison.name))
    return comparison.name === "true";
  const { tested, by, values } = readTextTest(comparison);
  const test = textTests.get(by);
  const text = evaluateText(tested, fields);
  if (test === undefined || text === undefined || findListName(values) !== undefined) return undefined;
  return values.some(({ value }) => test(text, value));
}

/** Returns the value of a field, of a string, or of `lower(…)` or `upper(…)` around one of them. Undefined if it is unknown. */
export function evaluateText(argument: Expression | Token, fields: Fields): string | undefined {
  if (argument.kind === "string") return argument.value;
  if (argument.kind !== "comparison" || argument.operator !== undefined || argument.isIndexed)
    return undefined;
  const { name, given } = argument;
  if (given === undefined) return fields.get(name);
  const [only, ...more] = given.map((one) => evaluateText(one, fields));
  if (more.length > 0) return undefined;
  return name === "lower" ? only?.toLowerCase() : name === "upper" ? only?.toUpperCase() : undefined;
}

/** Returns the name of a list that is stored outside the expression: `$name`. */
function findListName(values: readonly Token[]): string | undefined {
  return values.find(({ kind, value }) => kind === "word" && value.startsWith("$"))?.value;
}

/** Whether a string fits a pattern. In a pattern, `*` means any characters, `\*` a star and `\\` a backslash. */
function fits(text: string, pattern: string): boolean {
  const parts = [""];
  for (const [one] of pattern.matchAll(/\\?[\s\S]/g))
    if (one === "*") parts.push("");
    else parts.push(parts.pop() + one.slice(-1));
  const [start = "", ...rest] = parts;
  const end = rest.pop();
  if (end === undefined) return text === start;
  let at = text.startsWith(start) ? start.length : -1;
  for (const part of rest) {
    const found = at === -1 ? -1 : text.indexOf(part, at);
    at = found === -1 ? -1 : found + part.length;
  }
  return at !== -1 && at + end.length <= text.length && text.endsWith(end);
}

function explainDoubt({ name, given, isIndexed, operator, values }: Comparison): string {
  const list = findListName(values);
  if (list !== undefined) return `it refers to the list ${list}`;
  if (name === hostField && !isIndexed) return `it tests ${name} with ${operator}`;
  if (isIndexed) return `it tests ${name}[…]`;
  return given === undefined ? `it tests ${name}` : `it tests ${name}(…)`;
}
