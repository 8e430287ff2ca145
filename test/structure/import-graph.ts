import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import ts from "typescript";
import { filesBelow, root } from "./source-files";

/** A file to all that it imports, requires or names in a type; files as paths from the root of the repository. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** The graph of the package's sources, type imports and `typeof import()` included. */
export function importGraph(folder = "provider/src", at = root): ImportGraph {
  const files = filesBelow(folder, at).filter((file) => file.endsWith(".ts"));
  return new Map(files.map((file) => [file, targetsOf(at, file)]));
}

function targetsOf(at: string, file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(at, file), "utf8"), true, true);
  const targets = importedFiles.map(({ fileName }) =>
    fileName.startsWith(".") ? resolved(at, join(dirname(file), fileName)) : fileName,
  );
  return [...new Set(targets)];
}

/** The file that `path` means: it is written without its ending, or is a folder with an index. */
function resolved(at: string, path: string): string {
  const isFile = (candidate: string) =>
    existsSync(join(at, candidate)) && statSync(join(at, candidate)).isFile();
  return [path, `${path}.ts`, `${path}/index.ts`].find(isFile) ?? path;
}

/** The groups of files of which each reaches each other one (Tarjan's strongly connected components), sorted. */
export function circlesOf(graph: ImportGraph): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    let low = order.size - 1;
    path.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (path.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? low);
    }
    lowest.set(file, low);
    if (low !== order.get(file)) return;
    const circle = path.splice(path.indexOf(file));
    if (circle.length > 1 || graph.get(file)?.includes(file)) circles.push(circle.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles.sort();
}
