import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

const engineTests = [
  /^test\/engine\//,
  /^test\/site\/(guides|site)\.test\.ts$/,
  /^test\/consumers\/(consumers|clone)\.test\.ts$/,
];

/** Tests that start the engine, install packages or open a browser. */
const heavyTests = [...engineTests, /^test\/consumers\//, /^test\/(csp|cli)\/browser[^/]*\.test\.ts$/];

/** Which take longest in one piece: who starts with these is not left waiting for one at the end. */
const longestFirst = [
  /^test\/engine\/lifecycles/,
  /^test\/consumers\/consumers/,
  /^test\/engine\/(fleet|pipelines|plugin|python|go)\.test/,
  /^test\/engine\/(demo|apply|inventory-pipeline|plugin-|policy-pack|waf-migration)/,
  /^test\/(migration\/exactly-once|proof\/proof)/,
  /^test\/plugin\/stories/,
  /^test\/csp\/browser/,
  /^test\/(hostile\/|csp\/hostile|api\/rate-limit\/limited-service|setup\/chosen-tests|cli\/export|resources\/managed-waf-entrypoint\/random)/,
];

export function isHeavy(file) {
  return heavyTests.some((pattern) => pattern.test(file));
}

export function needsEngine(file) {
  return engineTests.some((pattern) => pattern.test(file));
}

/** Ours (`--unit`, `--changed`, `--watch`, `--spent`, paths of tests) and mocha's (all the rest) of the command line. */
export function splitArguments(args, root) {
  const ours = ["--unit", "--changed", "--watch", "--spent"];
  const rest = args.filter((argument) => !ours.includes(argument));
  const pathOf = (argument) => relative(root, resolve(root, argument)).split(sep).join("/");
  // What follows an option is its value: `--grep test/x`.
  const missing = rest.find(
    (argument, index) =>
      /^test\//.test(argument) && !/^-/.test(rest[index - 1] ?? "") && !existsSync(resolve(root, argument)),
  );
  // Mocha would take it for a pattern, and all other files would run.
  if (missing !== undefined) {
    const whole = `${missing}.test.ts`;
    throw new Error(`There is no ${missing}.${existsSync(resolve(root, whole)) ? ` Is it ${whole}?` : ""}`);
  }
  const isTest = (argument) => pathOf(argument).startsWith("test/") && existsSync(resolve(root, argument));
  return {
    isUnit: args.includes("--unit"),
    isChanged: args.includes("--changed"),
    isWatch: args.includes("--watch"),
    isSpent: args.includes("--spent"),
    named: rest.filter(isTest).map(pathOf),
    forMocha: rest.filter((argument) => !isTest(argument)),
  };
}

/** The files to run: all, or those that `named` (files or folders, relative to `root`) holds; the longest first. */
export function testFiles(root, { named = [], isUnit = false } = {}) {
  const all = filesUnder(root, "test").filter((file) => file.endsWith(".test.ts"));
  const isNamed = (file) =>
    named.length === 0 || named.some((name) => file === name || file.startsWith(`${name}/`));
  return inOrder(
    root,
    all.filter((file) => isNamed(file) && !(isUnit && isHeavy(file))),
  );
}

function inOrder(root, files) {
  const rank = (file) => {
    const place = longestFirst.findIndex((pattern) => pattern.test(file));
    return place >= 0 ? place : isHeavy(file) ? longestFirst.length : longestFirst.length + 1;
  };
  const size = (file) => statSync(join(root, file)).size;
  return files.sort((a, b) => rank(a) - rank(b) || size(b) - size(a));
}

/** Paths of the files below `folder`, without what npm has installed there. */
export function filesUnder(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== "node_modules" && entry.name !== "dist")
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesUnder(root, path) : [path];
    })
    .sort();
}
