import { relative, sep } from "node:path";
import { folderOf } from "./folders.mjs";

/**
 * What became of the mutants, by folder. The score is what was found (a test fails, or it never ends) of all that
 * could be: static mutants, which are not tried, and those that a comment takes out are counted beside it.
 */
export function scoreByFolder(root, mutants) {
  const byFolder = new Map();
  for (const { fileName, status } of mutants) {
    const folder = folderOf(relative(root, fileName).split(sep).join("/")) ?? fileName;
    const row = byFolder.get(folder) ?? { found: 0, survived: 0, uncovered: 0, ignored: 0, broken: 0 };
    row[kindOf[status]] += 1;
    byFolder.set(folder, row);
  }
  return new Map([...byFolder].map(([folder, row]) => [folder, { ...row, score: score(row) }]));
}

const kindOf = {
  Killed: "found",
  Timeout: "found",
  Survived: "survived",
  NoCoverage: "uncovered",
  Ignored: "ignored",
  RuntimeError: "broken",
  CompileError: "broken",
  Pending: "broken",
};

function score({ found, survived, uncovered }) {
  const tried = found + survived + uncovered;
  return tried === 0 ? undefined : (100 * found) / tried;
}

/** Rows of a table for a page. */
export function scoreTable(scores) {
  return [
    "| folder | score | mutants | found | survived | without a test | left out |",
    "|---|---|---|---|---|---|---|",
    ...[...scores].map(
      ([folder, { found, survived, uncovered, ignored, score }]) =>
        `| \`${folder}/\` | ${score === undefined ? "-" : `${score.toFixed(1)} %`} | ${found + survived + uncovered} | ${found} | ${survived} | ${uncovered} | ${ignored} |`,
    ),
  ];
}
