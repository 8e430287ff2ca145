import type ts from "typescript";
import { type ExportedKind, exportedKinds } from "./program";
import type { TypeScript } from "./source-value";

interface Imported {
  readonly from: string;
  /** `*`: the module itself. */
  readonly name: string;
}

/** A use of one of our classes; with a call if it is a plain `new`. */
export interface Use {
  readonly kind: ExportedKind;
  readonly line: number;
  readonly call?: ts.NewExpression;
}

/** What can be read of a file of the program. */
export interface ProgramModule {
  /** Top-level constants. */
  readonly constants: ReadonlyMap<string, ts.Expression>;
  readonly imports: ReadonlyMap<string, Imported>;
  /** Of its imports. */
  readonly specifiers: readonly string[];
  readonly uses: readonly Use[];
  /** Names of values that a method or function may change, so that their declaration is not reliable. */
  readonly touched: ReadonlySet<string>;
}

const ours = "pulumi-page-guard";

/** Undefined if the compiler cannot parse it. */
export function programModule(compiler: TypeScript, file: string, text: string): ProgramModule | undefined {
  const compilerOptions = { target: compiler.ScriptTarget.ESNext, module: compiler.ModuleKind.ESNext };
  const { diagnostics = [] } = compiler.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions,
  });
  if (diagnostics.some(({ category }) => category === compiler.DiagnosticCategory.Error)) return undefined;
  const source = compiler.createSourceFile(file, text, compiler.ScriptTarget.ESNext, true);
  const imports = new Map<string, Imported>();
  const constants = new Map<string, ts.Expression>();
  const specifiers: string[] = [];
  for (const statement of source.statements) {
    if (compiler.isImportDeclaration(statement) || compiler.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier;
      if (!from || !compiler.isStringLiteral(from)) continue;
      specifiers.push(from.text);
      if (compiler.isImportDeclaration(statement)) importsOf(compiler, statement, from.text, imports);
    } else if (
      compiler.isVariableStatement(statement) &&
      statement.declarationList.flags & compiler.NodeFlags.Const
    ) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        if (compiler.isIdentifier(name) && initializer) constants.set(name.text, initializer);
      }
    }
  }
  const uses: Use[] = [];
  const touched = new Set<string>();
  const visit = (node: ts.Node): void => {
    const use = useOf(compiler, source, node, imports);
    if (use) uses.push(use);
    for (const name of touchedBy(compiler, node)) touched.add(name);
    compiler.forEachChild(node, visit);
  };
  visit(source);
  return { constants, imports, specifiers, uses, touched };
}

function importsOf(
  compiler: TypeScript,
  { importClause }: ts.ImportDeclaration,
  from: string,
  imports: Map<string, Imported>,
): void {
  if (importClause?.name) imports.set(importClause.name.text, { from, name: "default" });
  const named = importClause?.namedBindings;
  if (!named) return;
  if (compiler.isNamespaceImport(named)) imports.set(named.name.text, { from, name: "*" });
  else {
    for (const { name, propertyName } of named.elements) {
      imports.set(name.text, { from, name: (propertyName ?? name).text });
    }
  }
}

function useOf(
  compiler: TypeScript,
  source: ts.SourceFile,
  node: ts.Node,
  imports: ReadonlyMap<string, Imported>,
): Use | undefined {
  if (!compiler.isIdentifier(node)) return undefined;
  const imported = imports.get(node.text);
  if (imported?.from !== ours || node.parent.kind === compiler.SyntaxKind.ImportSpecifier) return undefined;
  const isModule = imported.name === "*";
  // `pageGuard.CspPolicy`
  const named = isModule ? node.parent : node;
  if (isModule && !(compiler.isPropertyAccessExpression(named) && named.expression === node))
    return undefined;
  const name = isModule && compiler.isPropertyAccessExpression(named) ? named.name.text : imported.name;
  const kind = exportedKinds.find((one) => one === name);
  const { parent } = named;
  if (!kind || isHarmless(compiler, named, parent)) return undefined;
  const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const isCall = compiler.isNewExpression(parent) && parent.expression === named;
  return isCall && runsOnce(compiler, parent) ? { kind, line, call: parent } : { kind, line };
}

/** As a type, in a comparison, or for a member: `CspPolicy.get(…)`. */
function isHarmless(compiler: TypeScript, named: ts.Node, parent: ts.Node): boolean {
  if (compiler.isPropertyAccessExpression(parent)) return parent.expression === named;
  if (compiler.isBinaryExpression(parent)) {
    return parent.operatorToken.kind === compiler.SyntaxKind.InstanceOfKeyword;
  }
  return compiler.isTypeReferenceNode(parent) || compiler.isTypeQueryNode(parent);
}

/** Not in a function, a loop or a condition. */
function runsOnce(compiler: TypeScript, call: ts.Node): boolean {
  const { SyntaxKind } = compiler;
  const plain = new Set<ts.SyntaxKind>([
    SyntaxKind.ExpressionStatement,
    SyntaxKind.VariableStatement,
    SyntaxKind.VariableDeclarationList,
    SyntaxKind.VariableDeclaration,
    SyntaxKind.ExportAssignment,
    SyntaxKind.ParenthesizedExpression,
    SyntaxKind.ObjectLiteralExpression,
    SyntaxKind.PropertyAssignment,
    SyntaxKind.ArrayLiteralExpression,
    SyntaxKind.PropertyAccessExpression,
    SyntaxKind.AsExpression,
    SyntaxKind.NonNullExpression,
  ]);
  for (let node = call.parent; !compiler.isSourceFile(node); node = node.parent) {
    if (!plain.has(node.kind)) return false;
  }
  return true;
}

/** `list.push(…)`, `Object.assign(list, …)`, `list[0] = …`, `delete list[0]` */
function touchedBy(compiler: TypeScript, node: ts.Node): string[] {
  const { SyntaxKind } = compiler;
  const roots: ts.Node[] = [];
  if (compiler.isCallExpression(node)) {
    if (compiler.isPropertyAccessExpression(node.expression)) roots.push(node.expression.expression);
    roots.push(...node.arguments);
  } else if (compiler.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    if (kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment) roots.push(node.left);
  } else if (compiler.isDeleteExpression(node)) roots.push(node.expression);
  return roots.flatMap((root) => {
    let at = root;
    while (compiler.isPropertyAccessExpression(at) || compiler.isElementAccessExpression(at))
      at = at.expression;
    return compiler.isIdentifier(at) ? [at.text] : [];
  });
}
