import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import ts from "typescript";

/**
 * What each of `files` (paths below `root`) imports, requires or names in a type (`typeof import("…")`): packages and
 * `node:` modules by their names, files of the repository by their paths below `root`. One entry a target.
 */
export function importsOf(root, files) {
  return new Map(files.map((file) => [file, targetsOf(root, file)]));
}

function targetsOf(root, file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true);
  const targets = importedFiles.map(({ fileName }) =>
    fileName.startsWith(".") ? resolved(root, join(dirname(file), fileName)) : fileName,
  );
  return [...new Set(targets)];
}

/** The file that `path` means: it is written without its ending, or is a folder with an index. */
export function resolved(root, path) {
  const candidates = [path, `${path}.ts`, `${path}/index.ts`, path.replace(/\.js$/, ".ts")];
  return candidates.find((candidate) => isFile(join(root, candidate))) ?? path;
}

function isFile(path) {
  return existsSync(path) && statSync(path).isFile();
}
