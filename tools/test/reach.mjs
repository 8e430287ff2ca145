import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import ts from "typescript";
import { resolved } from "./import-graph.mjs";
import { filesUnder } from "./test-files.mjs";

const rooms = ["provider/src", "test", "tools"];
const isCode = (file) => /\.(?:ts|mjs|cjs|js)$/.test(file);
/** What decides over everything. */
const everywhere =
  /^(?:package(?:-lock)?\.json|tsconfig\.json|provider\/(?:package|tsconfig)\.json|\.mocharc\.json)$/;
/** Rules that look at all files. */
const structure = /^test\/structure\/.*\.test\.ts$/;
/** What the package's own name leads to. */
const entries = ["provider/src/index.ts", "provider/src/runtime.ts"];

/**
 * Returns the function that lists the files that a change of one file can affect: those that load it in any way; and
 * those that name it in a text (`join(root, "tools/demo.mjs")`), because they start or read it. What only its types are
 * imported from is not reached: they are gone when the tests run.
 */
export function reachOf(root) {
  const files = rooms.flatMap((room) => filesUnder(root, room));
  const code = files.filter(isCode);
  const needs = new Map(code.map((file) => [file, needsOf(root, file)]));

  return (changed) => {
    if (everywhere.test(changed)) return new Set(files);
    const reached = new Set([changed, ...code.filter((file) => structure.test(file))]);
    const pending = [changed];
    for (let target = pending.pop(); target !== undefined; target = pending.pop()) {
      for (const [file, paths] of needs) {
        if (reached.has(file)) continue;
        if (!paths.some((path) => target === path || target.startsWith(`${path}/`))) continue;
        reached.add(file);
        pending.push(file);
      }
    }
    return reached;
  };
}

/** Files and folders, as paths from the root, without which that file would not be what it is. */
function needsOf(root, file) {
  const found = new Set();
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest);
  const visit = (node) => {
    if (ts.isTypeNode(node) || isOfTypes(node)) return;
    if (ts.isStringLiteralLike(node)) for (const path of meantBy(root, file, node.text)) found.add(path);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

function isOfTypes(node) {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  if (!ts.isImportDeclaration(node) || node.importClause === undefined) return false;
  const { isTypeOnly, name, namedBindings } = node.importClause;
  if (isTypeOnly) return true;
  if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.length > 0 && namedBindings.elements.every((element) => element.isTypeOnly);
}

/** What a text in a program may lead to: a module, a file or a folder. Nothing, for most texts. */
function meantBy(root, file, text) {
  if (/^pulumi-page-guard(?:\/|$)/.test(text)) return file.startsWith("provider/") ? [] : entries;
  if (!/^[\w@./-]+$/.test(text) || !/[./]/.test(text)) return [];
  const paths = text.startsWith(".")
    ? [resolved(root, normalize(join(dirname(file), text)))]
    : ["", dirname(file)].map((base) => normalize(join(base, text)));
  return paths
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => isThere(root, path) && !file.startsWith(`${path}/`))
    .filter((path) => !isFolder(root, path) || (text.includes("/") && file.startsWith("test/")));
}

function isThere(root, path) {
  return !/^[./]/.test(path) && existsSync(join(root, path));
}

function isFolder(root, path) {
  return statSync(join(root, path)).isDirectory();
}
