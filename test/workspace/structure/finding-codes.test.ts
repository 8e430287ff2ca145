import assert from "node:assert/strict";
import ts from "typescript";
import { meaningOf } from "../../../command/src/reports/finding-meanings";
import { findingTable } from "../../../provider/src/errors/findings";
import { missing, withTable } from "./findings-page";
import { sourceFiles, textOf } from "./source-files";

const fields = ["code", "severity", "zone", "urn", "property", "text", "data", "file", "line"];

describe("Codes of findings: what pipelines switch on", () => {
  it("are in docs/findings.md as the table in the sources has them", () => {
    const page = textOf("docs/findings.md");
    assert.equal(page, withTable(page, findingTable), "run `npm run findings`");
    for (const code of Object.keys(findingTable)) assert.ok(page.includes(`\n| \`${code}\` | `), code);
    assert.ok(!page.includes(missing), "write the way out into the page");
  });

  it("are each made somewhere in the sources", () => {
    const made = new Set(
      sourceFiles()
        .filter((path) => path.endsWith(".ts") && !/errors\/findings/.test(path))
        .flatMap((path) => valuesIn(textOf(path))),
    );
    const unmade = Object.keys(findingTable).filter((code) => !made.has(code));
    assert.deepEqual(unmade, [], "nothing reports these: take them out of errors/findings.ts");
  });

  it("are not made by what only asks for them", () => {
    assert.deepEqual(valuesIn('const a = { code: "made" }; f("given"); const b = x ? "one" : "other";'), [
      "made",
      "given",
      "one",
      "other",
    ]);
    assert.deepEqual(
      valuesIn(
        'if (code === "a" || "b" !== code) f(["c"]); type D = "d"; const e = { "e-e": 1 }; switch (f) { case "f": }',
      ),
      [],
    );
  });

  it("have a meaning also where a rule or an error lends its name", () => {
    assert.match(meaningOf("csp-lint-http-source").means, /lint rule/);
    assert.match(meaningOf("PG_NOT_FOUND").means, /error/);
    assert.match(meaningOf("constructor").means, /error/);
  });

  it("stand in a file whose fields the page names", () => {
    const page = textOf("docs/findings.md");
    assert.deepEqual(
      fields.filter((field) => !page.includes(`\`${field}\``)),
      [],
    );
  });
});

/** String literals that are values: no types, no keys, nothing that is compared or looked for in a list. */
function valuesIn(text: string): string[] {
  const values: string[] = [];
  const visit = (node: ts.Node, parent: ts.Node): void => {
    const isAsked =
      ts.isLiteralTypeNode(parent) ||
      ts.isArrayLiteralExpression(parent) ||
      ts.isCaseClause(parent) ||
      (ts.isPropertyAssignment(parent) && parent.name === node) ||
      (ts.isBinaryExpression(parent) && comparisons.has(parent.operatorToken.kind));
    if (ts.isStringLiteral(node) && !isAsked) values.push(node.text);
    ts.forEachChild(node, (child) => visit(child, node));
  };
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest);
  visit(source, source);
  return values;
}

const comparisons = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);
