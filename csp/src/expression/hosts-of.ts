import { toRequestUrl } from "../syntax/request-url";
import { type Comparison, type Expression, parseExpression } from "./parse-expression";

/**
 * Hosts that an expression may select: those named, and those that end in one of `suffixes`. `isSuperset`: it selects
 * at most these, by other tests maybe fewer. Lower case.
 */
export interface HostSet {
  readonly hosts: readonly string[];
  /** Plain ends of texts: `.example.com`. */
  readonly suffixes: readonly string[];
  readonly isSuperset: boolean;
}

/** Or why they are not known. */
type PossibleHosts = HostSet | { readonly reason: string };

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
  const found = selectedHosts(parsed);
  return "reason" in found ? { decided: false, reason: found.reason } : { decided: true, ...found };
}

function selectedHosts(expression: Expression): PossibleHosts {
  if (expression.kind === "not") return { reason: "it says which requests it does not select" };
  if (expression.kind === "comparison") return comparedHosts(expression);
  const parts = expression.parts.map(selectedHosts);
  const sets = parts.filter((part): part is HostSet => !("reason" in part));
  const unknown = parts.find((part) => "reason" in part);
  if (expression.kind === "and") {
    const [first, ...rest] = sets;
    // Those of unknown hosts can only narrow what the others select.
    if (first === undefined) return unknown ?? { reason: "it is empty" };
    const { hosts, suffixes } = rest.reduce(ofBoth, first);
    return { hosts, suffixes, isSuperset: unknown !== undefined || sets.some((set) => set.isSuperset) };
  }
  return (
    unknown ?? {
      hosts: unique(sets.flatMap(({ hosts }) => hosts)),
      suffixes: unique(sets.flatMap(({ suffixes }) => suffixes)),
      // Of an odd number of them it is at most what any selects.
      isSuperset: expression.kind === "xor" || sets.some(({ isSuperset }) => isSuperset),
    }
  );
}

function ofBoth(a: HostSet, b: HostSet): HostSet {
  const suffixes = unique([
    ...a.suffixes.filter(endTest(b.suffixes)),
    ...b.suffixes.filter(endTest(a.suffixes)),
  ]);
  const isCovered = endTest(suffixes);
  const hosts = unique([...a.hosts.filter(hostTest(b)), ...b.hosts.filter(hostTest(a))]);
  return { hosts: hosts.filter((host) => !isCovered(host)), suffixes, isSuperset: false };
}

export function hostTest({ hosts, suffixes }: Omit<HostSet, "isSuperset">): (host: string) => boolean {
  const named = new Set(hosts);
  const hasEnd = endTest(suffixes);
  return (host) => named.has(host) || hasEnd(host);
}

/** Whether a text has one of many ends: of each length it has one, so they are not tried one by one. */
function endTest(suffixes: readonly string[]): (text: string) => boolean {
  const ends = new Set(suffixes);
  const lengths = unique(suffixes.map(({ length }) => length));
  return (text) =>
    lengths.some((length) => length <= text.length && ends.has(text.slice(text.length - length)));
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}

/** What a comparison tests: a field, also by `lower(…)` (`isPlain`), or the `part` that a function looks for in it. */
function tested({ name, given, isIndexed }: Comparison) {
  const [argument, comma, text, ...rest] = given ?? [];
  const isLowered = name === "lower" && given?.length === 1;
  const isCall = comma?.text === "," && text?.kind === "string" && rest.length === 0;
  const field = given === undefined ? name : argument?.value.toLowerCase();
  return {
    ...{ field: isIndexed ? undefined : field, isLowered, isPlain: given === undefined || isLowered },
    part: isCall ? text.value : undefined,
  };
}

function comparedHosts(comparison: Comparison): PossibleHosts {
  const { name, given, isIndexed, operator, values: tokens } = comparison;
  const { field, isPlain, part } = tested(comparison);
  const isOfHost = field === hostField;
  if (isOfHost && operator === undefined && name === "ends_with" && part !== undefined)
    return setOf([], [part.toLowerCase()]);
  if (!isOfHost || !isPlain || operator === undefined) {
    const called = isIndexed ? `${name}[…]` : given === undefined ? name : `${name}(…)`;
    return { reason: called === "true" ? "it selects every request" : `it tests ${called}` };
  }
  const values = tokens.map(({ value }) => value.toLowerCase());
  if (operator === "eq" || operator === "==" || operator === "in") {
    // `$name`: a list that is kept elsewhere.
    const list = values.find((value) => value.startsWith("$"));
    return list === undefined ? setOf(values, []) : { reason: `it refers to the list ${list}` };
  }
  if (operator === "wildcard") return wildcard(values[0] ?? "");
  return { reason: `it tests ${hostField} by ${operator}` };
}

function setOf(hosts: readonly string[], suffixes: readonly string[]): HostSet {
  return { hosts: unique(hosts), suffixes, isSuperset: false };
}

/** `*` matches any text: only one at the beginning leaves an end to compare with. */
function wildcard(pattern: string): PossibleHosts {
  const rest = pattern.replace(/^\*+/, "");
  if (rest.includes("*") || rest.includes("\\"))
    return { reason: `it tests ${hostField} by the pattern ${pattern.slice(0, 60)}` };
  if (rest === pattern) return setOf([pattern], []);
  return rest === "" ? { reason: "it selects every host" } : setOf([], [rest]);
}

/**
 * Whether a filter expression selects a page, by its host, path and query. Undefined: it tests something else, or cannot
 * be read. Never throws.
 *
 * @example
 * ```ts
 * selects('http.host eq "a.example" and starts_with(http.request.uri.path, "/pay")', "https://a.example/cart"); // false
 * ```
 */
export function selects(expression: string, pageUrl: string): boolean | undefined {
  const parsed = parseExpression(expression);
  if ("fault" in parsed || toRequestUrl(pageUrl) === undefined) return undefined;
  const { hostname, pathname, search, href } = new URL(pageUrl);
  const fields = new Map([
    ["http.host", hostname],
    ["http.request.uri.path", pathname],
    ["http.request.uri.query", search.slice(1)],
    ["http.request.uri", pathname + search],
    ["http.request.full_uri", href.replace(/#.*/s, "")],
  ]);
  return holds(parsed, fields);
}

/** `fields`: what a page says of them. */
function holds(expression: Expression, fields: ReadonlyMap<string, string>): boolean | undefined {
  if (expression.kind === "comparison") return compared(expression, fields);
  if (expression.kind === "not") {
    const part = holds(expression.part, fields);
    return part === undefined ? undefined : !part;
  }
  const parts = expression.parts.map((part) => holds(part, fields));
  if (expression.kind === "and" && parts.includes(false)) return false;
  if (expression.kind === "or" && parts.includes(true)) return true;
  if (parts.includes(undefined)) return undefined;
  const count = parts.filter(Boolean).length;
  return expression.kind === "xor" ? count % 2 === 1 : count > 0;
}

function compared(comparison: Comparison, fields: ReadonlyMap<string, string>): boolean | undefined {
  const { name, operator, values } = comparison;
  if (name === "true" && operator === undefined) return true;
  const { field = "", isLowered, isPlain, part } = tested(comparison);
  const text = fields.get(field);
  if (text === undefined) return undefined;
  if (operator === undefined) {
    if (name === "starts_with" && part !== undefined) return text.startsWith(part);
    return name === "ends_with" && part !== undefined ? text.endsWith(part) : undefined;
  }
  // `$name`: a list that is kept elsewhere.
  if (!isPlain || values.some(({ value }) => value.startsWith("$"))) return undefined;
  const actual = isLowered ? text.toLowerCase() : text;
  const isOne = values.some(({ value }) => value === actual);
  if (operator === "eq" || operator === "==" || operator === "in") return isOne;
  if (operator === "ne" || operator === "!=") return !isOne;
  return operator === "contains" ? actual.includes(values[0]?.value ?? "") : undefined;
}
