import type { Token } from "../csp/expression/expression-tokens";
import { type Expression, parseExpression } from "../csp/expression/parse-expression";

/**
 * Whether a filter expression selects ordinary requests: from no named host, path, address or country. So do `true`,
 * `not http.host eq "a.example"` and `ip.src in {0.0.0.0/0}`. An expression that cannot be parsed may, too. Never throws.
 */
export function selectsUsualRequest(expression: string): boolean {
  const parsed = parseExpression(expression);
  return "fault" in parsed || selectsUsual(parsed);
}

function selectsUsual(expression: Expression): boolean {
  switch (expression.kind) {
    case "or":
      return expression.parts.some(selectsUsual);
    case "xor":
      return expression.parts.filter(selectsUsual).length % 2 === 1;
    case "and":
      return expression.parts.every(selectsUsual);
    case "not":
      return !selectsUsual(expression.part);
    case "comparison": {
      const { name, given = [], operator, values } = expression;
      const isFieldUsual = isUsual(name, given);
      return operator === undefined ? isFieldUsual : compares(operator, values, isFieldUsual);
    }
  }
}

/** A field or a function that is true or false by itself. */
function isUsual(name: string, given: readonly Token[]): boolean {
  if (name === "starts_with" || name === "ends_with") return isInMost(given.at(-1)?.value ?? "");
  return name === "true" || name === "ssl";
}

function compares(operator: string, values: readonly Token[], isFieldUsual: boolean): boolean {
  const texts = values.map(({ value }) => value.toLowerCase());
  switch (operator) {
    case "eq":
    case "==":
      if (texts[0] === "true") return isFieldUsual;
      if (texts[0] === "false") return !isFieldUsual;
      return texts.some(isWideNetwork);
    case "in":
      return texts.some((text) => isWideNetwork(text) || text.includes(".."));
    case "contains":
      return texts.some(isInMost);
    case "wildcard":
    case "matches":
    case "~":
      return texts.some((text) => isInMost(text.replace(/[*+.?^$|()\\]/g, "")));
    default:
      // Not equal, or in a range.
      return true;
  }
}

/** Of the parts that each path or URL has. */
function isInMost(text: string): boolean {
  return /^(?:https?)?:?\/*$/.test(text);
}

/** More than a sixteenth of all addresses. */
function isWideNetwork(text: string): boolean {
  return /\/[0-3]$/.test(text);
}
