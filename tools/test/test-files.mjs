import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

/** Tests that start the engine, install packages or open a browser. */
const heavyTests = [/^test\/engine\//, /^test\/consumers\//, /^test\/csp\/browser[^/]*\.test\.ts$/];

/** Ours (`--unit`, paths of tests) and mocha's (all the rest) of the command line. */
export function splitArguments(args, root) {
  const isUnit = args.includes("--unit");
  const rest = args.filter((argument) => argument !== "--unit");
  const pathOf = (argument) => relative(root, resolve(root, argument)).split(sep).join("/");
  // Below test/, so that the `test` of `--grep test` stays what it is.
  const isTest = (argument) => pathOf(argument).startsWith("test/") && existsSync(resolve(root, argument));
  return {
    isUnit,
    named: rest.filter(isTest).map(pathOf),
    forMocha: rest.filter((argument) => !isTest(argument)),
  };
}

/** The files to run: all, or those that `named` (files or folders, relative to `root`) holds. */
export function testFiles(root, { named, isUnit }) {
  const all = filesUnder(root, "test").filter((file) => file.endsWith(".test.ts"));
  const isNamed = (file) =>
    named.length === 0 || named.some((name) => file === name || file.startsWith(`${name}/`));
  const chosen = all.filter(isNamed);
  const isHeavy = (file) => heavyTests.some((pattern) => pattern.test(file));
  return { light: chosen.filter((file) => !isHeavy(file)), heavy: isUnit ? [] : chosen.filter(isHeavy) };
}

function filesUnder(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== "node_modules")
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesUnder(root, path) : [path];
    })
    .sort();
}
