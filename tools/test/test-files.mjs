import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

/** Tests of all languages, installed packages, examples, guides, pipelines, browsers, and state backends. */
const longTests = [
  /^test\/engine\/consumers\//,
  /^test\/workspace\/site\/(guides|site)\.test\.ts$/,
  /^test\/(csp|command)\/browser[^/]*\.test\.ts$/,
  /^test\/command\/pipelines\/(nine-weeks|alarm-gitlab|audit-year)\.test\.ts$/,
  /^test\/engine\/(languages|plugin|plugin-\w+|[\w-]+-state|connection)\.test\.ts$/,
  /^test\/engine\/(demo|readme|templates|adopt|added-resource|fleet|packaged-component|undo)\.test\.ts$/,
  /^test\/engine\/([\w-]*pipelines?|backends|hostile-text|apply-[\w-]+)\.test\.ts$/,
  /^test\/engine\/(killed|moves|waf-migration-\w+)\.test\.ts$/,
];

/** The slowest files. They start first, so that none of them is left to run alone at the end. */
const slowest = [
  /^test\/command\/pipelines\/(nine-weeks|alarm|alarm-gitlab)\.test\.ts$/,
  /^test\/engine\/(pipelines|fleet|demo|apply-policy-pack|waf-migration-refusals|killed)\.test\.ts$/,
  /^test\/engine\/consumers\/(copied-examples|consumers|versions)\.test\.ts$/,
  /^test\/proof\/proof\.test\.ts$/,
];

/** Random stories, and nights of the alarm: `npm test` plays some of them, `npm run test:long` plays more. */
const randomTests = [/^test\/(proof\/proof|command\/(export|pipelines\/alarm))\.test\.ts$/];

const isOneOf = (patterns) => (file) => patterns.some((pattern) => pattern.test(file));
const isLongTest = isOneOf(longTests);
const isRandom = isOneOf(randomTests);
const isSlow = isOneOf(slowest);
export const needsEngine = isOneOf([
  /^test\/engine\/[^/]+$/,
  /^test\/workspace\/site\/(guides|site)\.test\.ts$/,
  /^test\/engine\/consumers\/(consumers|versions|clone)\.test\.ts$/,
]);

/** Splits the command line into our arguments (`--unit`, `--long`, paths of tests) and those of mocha (all others). */
export function splitArguments(args, root) {
  const ours = ["--unit", "--long"];
  const rest = args.filter((argument) => !ours.includes(argument));
  const pathOf = (argument) => relative(root, resolve(root, argument)).split(sep).join("/");
  const isThere = (argument) => existsSync(resolve(root, argument));
  for (const [index, argument] of rest.entries()) {
    // A word after an option is its value: `--grep test/x`.
    if (!argument.startsWith("test/") || rest[index - 1]?.startsWith("-") || isThere(argument)) continue;
    // Mocha would take the path for a pattern, and would run all files.
    throw new Error(`There is no ${argument}.`);
  }
  const isTest = (argument) => pathOf(argument).startsWith("test/") && isThere(argument);
  return {
    isUnit: args.includes("--unit"),
    isLong: args.includes("--long"),
    named: rest.filter(isTest).map(pathOf),
    forMocha: rest.filter((argument) => !isTest(argument)),
  };
}

/** Returns the test files to run: those in `named` (files or folders, relative to `root`), or else those of the suite. */
export function testFiles(root, { named = [], isUnit = false, isLong = false } = {}) {
  const isAsked = (file) => {
    if (isUnit && (isLongTest(file) || needsEngine(file))) return false;
    if (named.length > 0) return named.some((name) => file === name || file.startsWith(`${name}/`));
    return isLong ? isLongTest(file) || isRandom(file) : !isLongTest(file);
  };
  const rank = (file) =>
    (isSlow(file) ? 1e10 : 0) + (needsEngine(file) ? 1e9 : 0) + statSync(join(root, file)).size;
  return readdirSync(join(root, "test"), { recursive: true })
    .map((path) => `test/${path.split(sep).join("/")}`)
    .filter((file) => file.endsWith(".test.ts") && !/\/(node_modules|dist)\//.test(file) && isAsked(file))
    .sort((a, b) => rank(b) - rank(a));
}
