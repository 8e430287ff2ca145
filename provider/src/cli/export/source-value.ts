import type ts from "typescript";

export type TypeScript = typeof ts;

/** In place of a value that cannot be read without running the program. */
export const unreadable: unique symbol = Symbol("unreadable");

/** The value of a name in the module of the expression. */
export type Scope = (name: string) => unknown;

/** The value of an expression of plain data: literals, constants, spreads. Nothing is run; the rest is `unreadable`. */
export function literalOf(compiler: TypeScript, node: ts.Expression, scope: Scope): unknown {
  const of = (expression: ts.Expression): unknown => literalOf(compiler, expression, scope);
  if (compiler.isStringLiteralLike(node)) return node.text;
  if (compiler.isNumericLiteral(node)) return Number(node.text);
  if (compiler.isPrefixUnaryExpression(node) && node.operator === compiler.SyntaxKind.MinusToken) {
    const number = of(node.operand);
    return typeof number === "number" ? -number : unreadable;
  }
  if (compiler.isIdentifier(node)) return node.text === "undefined" ? undefined : scope(node.text);
  if (compiler.isArrayLiteralExpression(node)) return listOf(compiler, node, of);
  if (compiler.isObjectLiteralExpression(node)) return objectOf(compiler, node, of);
  if (compiler.isTemplateExpression(node)) {
    const spans = node.templateSpans.flatMap(({ expression, literal }) => [of(expression), literal.text]);
    return joined([node.head.text, ...spans]);
  }
  if (compiler.isPropertyAccessExpression(node)) return entryOf(of(node.expression), node.name.text);
  if (compiler.isElementAccessExpression(node)) {
    return entryOf(of(node.expression), of(node.argumentExpression));
  }
  if (compiler.isBinaryExpression(node) && node.operatorToken.kind === compiler.SyntaxKind.PlusToken) {
    return joined([of(node.left), of(node.right)]);
  }
  const inner = withoutType(compiler, node);
  if (inner) return of(inner);
  return keywordOf(compiler, node);
}

function keywordOf({ SyntaxKind }: TypeScript, { kind }: ts.Expression): unknown {
  if (kind === SyntaxKind.TrueKeyword) return true;
  if (kind === SyntaxKind.FalseKeyword) return false;
  return kind === SyntaxKind.NullKeyword ? null : unreadable;
}

/** `(x)`, `x as T`, `x satisfies T`, `<T>x`, `x!`. By their kinds: Pulumi's own compiler has fewer functions. */
function withoutType({ SyntaxKind }: TypeScript, node: ts.Expression): ts.Expression | undefined {
  const kinds: readonly ts.SyntaxKind[] = [
    SyntaxKind.ParenthesizedExpression,
    SyntaxKind.AsExpression,
    SyntaxKind.SatisfiesExpression,
    SyntaxKind.TypeAssertionExpression,
    SyntaxKind.NonNullExpression,
  ];
  return kinds.includes(node.kind) ? (node as ts.ParenthesizedExpression).expression : undefined;
}

function listOf(
  compiler: TypeScript,
  { elements }: ts.ArrayLiteralExpression,
  of: (node: ts.Expression) => unknown,
): unknown {
  const list: unknown[] = [];
  for (const element of elements) {
    if (!compiler.isSpreadElement(element)) list.push(of(element));
    else {
      const spread = of(element.expression);
      if (!Array.isArray(spread)) return unreadable;
      list.push(...spread);
    }
  }
  return list;
}

function objectOf(
  compiler: TypeScript,
  { properties }: ts.ObjectLiteralExpression,
  of: (node: ts.Expression) => unknown,
): unknown {
  const entries: [string, unknown][] = [];
  for (const property of properties) {
    if (compiler.isSpreadAssignment(property)) {
      const spread = of(property.expression);
      if (typeof spread !== "object" || spread === null) return unreadable;
      entries.push(...Object.entries(spread));
    } else if (compiler.isShorthandPropertyAssignment(property)) {
      entries.push([property.name.text, of(property.name)]);
    } else if (compiler.isPropertyAssignment(property)) {
      const { name } = property;
      const key = compiler.isComputedPropertyName(name) ? of(name.expression) : name.text;
      // Without brackets it would set the prototype.
      const isPrototype = key === "__proto__" && !compiler.isComputedPropertyName(name);
      if (typeof key !== "string" || isPrototype) return unreadable;
      entries.push([key, of(property.initializer)]);
    } else return unreadable;
  }
  return Object.fromEntries(entries);
}

function joined(parts: readonly unknown[]): unknown {
  return parts.every((part) => typeof part === "string") ? parts.join("") : unreadable;
}

function entryOf(value: unknown, key: unknown): unknown {
  if (typeof value !== "object" || value === null || typeof key !== "string") return unreadable;
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : unreadable;
}

export function isUnreadable(value: unknown): boolean {
  if (value === unreadable) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(isUnreadable);
}
