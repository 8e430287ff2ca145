import { pathToFileURL } from "node:url";
import { filesBelow, root } from "./source-files";

/** A file to all that it imports, requires or names in a type; files as paths from the root of the repository. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

interface Tool {
  importsOf(root: string, files: readonly string[]): ImportGraph;
}

/** The graph of the package's sources, type imports and `typeof import()` included. */
export async function importGraph(folder = "provider/src", at = root): Promise<ImportGraph> {
  const tool: Tool = await import(pathToFileURL(`${root}/tools/test/import-graph.mjs`).href);
  return tool.importsOf(
    at,
    filesBelow(folder, at).filter((file) => file.endsWith(".ts")),
  );
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
