/** `npm run mutation`: see `usage`. Folders and what runs for each: `mutation/folders.mjs`. */

import { join } from "node:path";
import { changedLines } from "./mutation/changed-lines.mjs";
import { folderOf, folders, sourcesOf, testsOf, toldInMoments } from "./mutation/folders.mjs";
import { isInSample, sampleOneIn } from "./mutation/sample.mjs";
import { scoreByFolder, scoreTable } from "./mutation/score.mjs";
import { tried } from "./mutation/tried.mjs";
import { argumentsOf } from "./setup/arguments.mjs";
import { root } from "./setup/workspace.mjs";

const usage = `
Makes each small fault that Stryker knows, and looks which of them no test finds.

npm run mutation -- csp                         all of one folder: ${folders.join(", ")}
npm run mutation -- csp/src/syntax/parse.ts   a file of theirs
npm run mutation -- --changed                   only the lines that are not committed
npm run mutation -- --since COMMIT              only those changed since then
        --one-in N      a sample, always the same one, in that part of the time
        --minutes N     reports by then what is known so far: for CI
        --at-least N    ends with 1 below that per cent
`;

process.chdir(root);
try {
  const { values, positionals } = argumentsOf({
    command: "npm run mutation",
    usage,
    allowPositionals: true,
    options: {
      changed: { type: "boolean", default: false },
      since: { type: "string" },
      minutes: { type: "string" },
      "one-in": { type: "string" },
      "at-least": { type: "string", default: "0" },
    },
  });
  const mutate = asked(values, positionals);
  if (mutate.length > 0) await run(mutate, values);
  else console.log(`Nothing of ${folders.join(", ")} has changed: there is nothing to mutate.`);
} catch (error) {
  console.log(error.message);
  process.exitCode = 1;
}

function asked(values, positionals) {
  if (values.changed || values.since !== undefined) return changedLines(root, values.since ?? "HEAD");
  if (positionals.length === 0) throw new Error(`Name one of ${folders.join(", ")}, or a file of theirs.`);
  return positionals.map((name) => {
    if (folders.includes(name)) return `${sourcesOf(name)}**/*.ts`;
    if (folderOf(name.replace(/:.*/, "")) !== undefined) return name;
    throw new Error(`${name} is none of ${folders.join(", ")}, and no source file below them.`);
  });
}

async function run(patterns, values) {
  const touched = folders.filter((folder) =>
    patterns.some((pattern) => pattern.startsWith(sourcesOf(folder))),
  );
  const tests = testsOf(root, touched);
  // Random tests: always the same, and fewer of them, for they are played for each mutant.
  Object.assign(process.env, { SEED: "7", RUNS: "12", MUTATED_FOLDERS: touched.join(" ") });
  if (values["one-in"] !== undefined) await sampleOneIn(Number(values["one-in"]));
  const atLeast = Number(values["at-least"]);
  if (values.minutes !== undefined) endAfter(Number(values.minutes), atLeast);
  const { Stryker } = await import("@stryker-mutator/core");
  const mutants = await new Stryker({
    mutate: patterns,
    plugins: ["@stryker-mutator/mocha-runner", join(root, "tools", "mutation", "tried.mjs")],
    reporters: ["clear-text", "progress", "html", "json", "tried"],
    mochaOptions: {
      config: join(root, ".mocharc.json"),
      require: [
        "./tools/test/transpile.cjs",
        "./tools/mutation/impatience.cjs",
        "./tools/mutation/load-first.cjs",
      ],
      spec: tests,
      grep: toldInMoments,
    },
    htmlReporter: { fileName: `reports/mutation/${touched.join("-")}.html` },
    jsonReporter: { fileName: `reports/mutation/${touched.join("-")}.json` },
  }).runMutationTest();
  tell(mutants, atLeast);
}

function tell(mutants, atLeast) {
  const scores = scoreByFolder(root, mutants.filter(isInSample));
  console.log(scoreTable(scores).join("\n"));
  const low = [...scores.values()].some(({ score }) => score !== undefined && score < atLeast);
  if (low) process.exitCode = 1;
}

function endAfter(minutes, atLeast) {
  setTimeout(() => {
    for (const mutant of tried.filter(({ status }) => status === "Survived")) console.log(survivor(mutant));
    console.log(`${minutes} minutes are over. Of the mutants that were tried by then:`);
    tell(tried, atLeast);
    process.exit();
  }, minutes * 60_000).unref();
}

function survivor({ fileName, location, mutatorName, replacement }) {
  return `${fileName}:${location.start.line}:${location.start.column} ${mutatorName}: ${replacement}`;
}
