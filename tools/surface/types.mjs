import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../setup/workspace.mjs";

const printer = ts.createPrinter({ removeComments: true });

/** Returns the exports of a package and every declaration that they name, one per line, without comments. */
export function typesOf(folder, section) {
  const { name, bin = {}, exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
  const options = { strict: true, module: ts.ModuleKind.Node16, types: [] };
  const program = ts.createProgram(
    entries.map((entry) => join(root, folder, entry)),
    options,
  );
  const checker = program.getTypeChecker();
  const real = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const isOurs = (node) => realpathSync(node.getSourceFile().fileName).startsWith(join(root, folder, "dist"));

  const lines = [];
  const found = new Set();
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, folder, entry)));
    const exported = checker.getExportsOfModule(module);
    const names = exported.map((symbol) => symbol.name).sort();
    lines.push(`${entry}: ${names.join(", ")}`);
    for (const symbol of exported) found.add(real(symbol));
  }
  const texts = [];
  // The set grows during the loop, because a declaration may name others, which then also belong to the surface.
  for (const symbol of found)
    for (const node of (symbol.declarations ?? []).filter((one) => isOurs(one) && !ts.isSourceFile(one))) {
      const text = printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
      texts.push(text.replace(/\s+/g, " "));
      const visit = (part) => {
        const named = ts.isIdentifier(part) && checker.getSymbolAtLocation(part);
        if (named && real(named).declarations?.some((one) => isOurs(one) && isOfModule(one)))
          found.add(real(named));
        ts.forEachChild(part, visit);
      };
      visit(node);
    }
  const title = `package ${name}: ${[...Object.keys(exports), ...Object.keys(bin)].join(", ")}`;
  return section(title, [...lines, ...texts.sort()]);
}

/** Whether a declaration stands alone in its module. The text of a declaration includes its members. */
function isOfModule(node) {
  const parent = ts.isVariableDeclaration(node) ? node.parent.parent.parent : node.parent;
  // A whole file has no parent.
  return parent !== undefined && ts.isSourceFile(parent);
}
