import { toRequestUrl } from "../syntax/request-url";
import { type Comparison, type Expression, parseExpression } from "./parse-expression";

/** What a page says of the fields of an expression. */
type Fields = ReadonlyMap<string, string>;

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

function holds(expression: Expression, fields: Fields): boolean | undefined {
  if (expression.kind === "comparison") return compared(expression, fields);
  if (expression.kind === "not") return negated(holds(expression.part, fields));
  const parts = expression.parts.map((part) => holds(part, fields));
  if (expression.kind === "and" && parts.includes(false)) return false;
  if (expression.kind === "or" && parts.includes(true)) return true;
  if (parts.includes(undefined)) return undefined;
  const count = parts.filter(Boolean).length;
  return expression.kind === "xor" ? count % 2 === 1 : count > 0;
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function compared({ name, given, isIndexed, operator, values }: Comparison, fields: Fields) {
  const [argument, comma, text, ...rest] = given ?? [];
  if (name === "true" && operator === undefined) return true;
  const isLowered = name === "lower" && given?.length === 1;
  const field = fields.get((given === undefined ? name : argument?.value.toLowerCase()) ?? "");
  if (field === undefined || isIndexed) return undefined;
  if (operator === undefined) {
    if (comma?.text !== "," || text?.kind !== "string" || rest.length > 0) return undefined;
    if (name === "starts_with") return field.startsWith(text.value);
    return name === "ends_with" ? field.endsWith(text.value) : undefined;
  }
  if (given !== undefined && !isLowered) return undefined;
  const actual = isLowered ? field.toLowerCase() : field;
  // `$name`: a list that is kept elsewhere.
  if (values.some(({ value }) => value.startsWith("$"))) return undefined;
  const isOne = values.some(({ value }) => value === actual);
  if (operator === "eq" || operator === "==" || operator === "in") return isOne;
  if (operator === "ne" || operator === "!=") return !isOne;
  return operator === "contains" ? actual.includes(values[0]?.value ?? "") : undefined;
}
