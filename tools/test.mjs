/**
 * `npm test`: all tests, on the real engine; `npm run test:unit`: those that need neither engine nor browser.
 * `--changed`: those that what is not committed can reach. `--watch`: the same without an engine, again and again.
 * `--spent` says how often each file has run the engine.
 * What follows `--` goes on to mocha; paths among it name the test files to run.
 * Ends with `N passed, N failed`, alone on a line, counted from mocha's report.
 */
import { delimiter, join } from "node:path";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { run } from "./setup/run.mjs";
import { say } from "./setup/say.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";
import { parallelism, runMocha } from "./test/run-mocha.mjs";
import { engineRuns, summary, together } from "./test/summary.mjs";
import { isHeavy, needsEngine, splitArguments, testFiles } from "./test/test-files.mjs";

try {
  const asked = splitArguments(process.argv.slice(2), root);
  await prepareWorkspace({ beside: asked.named.length === 0 ? transpileAhead : undefined });
  if (asked.isWatch) await (await import("./test/watch.mjs")).watch(asked.forMocha);
  else conclude(await runTests(await chosenFiles(asked), asked.forMocha), asked);
} catch (error) {
  process.stdout.write(`${error.message}\n\n0 passed, 1 failed\n`);
  process.exitCode = 1;
}

/** What fails here fails again, with its reason, in the test that needs it. */
function transpileAhead() {
  return run(process.execPath, [join(root, "tools/test/transpile-ahead.cjs")], { cwd: root });
}

async function chosenFiles({ isChanged, isUnit, named }) {
  if (!isChanged) return testFiles(root, { named, isUnit });
  // Reads sources with the compiler, which a fresh clone has only once the workspace is prepared.
  const { changedTests } = await import("./test/changed.mjs");
  const { files, untold } = changedTests(root);
  say(`${files.length} test files can be reached by what is not committed.`);
  if (untold.length > 0)
    say(
      `${untold.length} more use the package on the engine, in a browser or installed: npm test runs them too.`,
    );
  return isUnit ? files.filter((file) => !isHeavy(file)) : files;
}

async function runTests(files, forMocha) {
  const env = { ...process.env };
  const mocha = (name, some) =>
    runMocha({ name, files: some, forMocha: [...parallelism(some.length), ...forMocha], env });
  if (!files.some(needsEngine)) return mocha("tests", files);
  let early;
  const engine = await findOrMakeEngine({
    beside: async () => {
      early = await mocha(
        "tests that need no engine",
        files.filter((file) => !needsEngine(file)),
      );
    },
  });
  say(`The engine is in ${engine}.`);
  env.PATH = `${engine}${delimiter}${env.PATH ?? ""}`;
  if (early === undefined) return mocha("tests", files);
  return together(early, await mocha("tests on the engine", files.filter(needsEngine)));
}

function conclude(result, { isChanged, isSpent }) {
  const lines = [];
  if (result === undefined) {
    // Nothing that a test could see has changed.
    process.stdout.write(isChanged ? "0 passed, 0 failed\n" : noTest("check the file names."));
    process.exitCode = isChanged ? 0 : 1;
    return;
  }
  const { passed, failed, skipped, problems } = result;
  if (skipped.length > 0)
    lines.push(`${skipped.length} skipped:`, ...skipped.map((title) => `  - ${title}`), "");
  lines.push(...summary(result));
  if (isSpent) lines.push(...engineRuns(result), "");
  if (passed + failed === 0) problems.push("No test ran: check the file names and the --grep.");
  if (problems.length > 0) lines.push(...problems.map((problem) => `!! ${problem}`), "");
  const failures = failed + problems.length;
  lines.push(`${passed} passed, ${failures} failed`);
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = failures === 0 ? 0 : 1;
}

function noTest(hint) {
  return `!! No test ran: ${hint}\n\n0 passed, 1 failed\n`;
}
