import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

/** Languages in full, installed packages, examples, guides, pipelines line by line, browsers, servers of states. */
const longTests = [
  /^test\/engine\/consumers\//,
  /^test\/workspace\/site\/(guides|site)\.test\.ts$/,
  /^test\/(csp|command)\/browser[^/]*\.test\.ts$/,
  /^test\/engine\/(languages|plugin|plugin-\w+|[\w-]+-state|connection)\.test\.ts$/,
  /^test\/engine\/(demo|readme|templates|adopt|added-resource|fleet|packaged-component|undo)\.test\.ts$/,
  /^test\/engine\/([\w-]*pipelines?|backends|hostile-text|apply-[\w-]+)\.test\.ts$/,
  /^test\/engine\/(killed|moves|waf-migration-\w+)\.test\.ts$/,
];

/** Random stories, and nights of the alarm: `npm test` plays some, `npm run test:long` more. */
const randomTests = [/^test\/(proof\/proof|command\/(export|pipelines\/alarm))\.test\.ts$/];

/** Which take longest in one piece: who starts with these is not left waiting for one at the end. */
const longestFirst = [
  /^test\/engine\/consumers\/(consumers|versions)/,
  /^test\/engine\/(fleet|pipelines|plugin|languages)\.test/,
  /^test\/engine\/(demo|apply|plugin-|policy-pack|waf-migration)/,
  /^test\/proof\/proof/,
  /^test\/provider\/plugin\/stories/,
  /^test\/csp\/browser/,
  /^test\/(proof\/hostile\/|csp\/hostile|command\/export|provider\/api\/rate-limit\/limited-service)/,
];

const isOneOf = (patterns) => (file) => patterns.some((pattern) => pattern.test(file));
const isLongTest = isOneOf(longTests);
const isRandom = isOneOf(randomTests);
export const needsEngine = isOneOf([
  /^test\/engine\/[^/]+$/,
  /^test\/workspace\/site\/(guides|site)\.test\.ts$/,
  /^test\/engine\/consumers\/(consumers|versions|clone)\.test\.ts$/,
]);

/** Ours (`--unit`, `--long`, paths of tests) and mocha's (all the rest) of the command line. */
export function splitArguments(args, root) {
  const ours = ["--unit", "--long"];
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
    isLong: args.includes("--long"),
    named: rest.filter(isTest).map(pathOf),
    forMocha: rest.filter((argument) => !isTest(argument)),
  };
}

/** The files to run, the longest first: those that `named` (files or folders, relative to `root`) holds, or those of the suite. */
export function testFiles(root, { named = [], isUnit = false, isLong = false } = {}) {
  const isAsked = (file) => {
    if (isUnit && (isLongTest(file) || needsEngine(file))) return false;
    if (named.length > 0) return named.some((name) => file === name || file.startsWith(`${name}/`));
    return isLong ? isLongTest(file) || isRandom(file) : !isLongTest(file);
  };
  const all = filesUnder(root, "test").filter((file) => file.endsWith(".test.ts"));
  return inOrder(root, all.filter(isAsked));
}

function inOrder(root, files) {
  const rank = (file) => {
    const place = longestFirst.findIndex((pattern) => pattern.test(file));
    return place >= 0 ? place : longestFirst.length + (needsEngine(file) ? 0 : 1);
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
