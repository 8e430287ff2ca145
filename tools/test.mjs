/**
 * `npm test`: all tests, on the real engine; `npm run test:unit`: those that need neither engine nor browser.
 * What follows `--` goes on to mocha; paths among it name the test files to run.
 * Ends with `N passed, N failed`, alone on a line, counted from mocha's report.
 */
import { delimiter } from "node:path";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { say } from "./setup/say.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";
import { runMocha } from "./test/run-mocha.mjs";
import { splitArguments, testFiles } from "./test/test-files.mjs";

const { isUnit, named, forMocha } = splitArguments(process.argv.slice(2), root);

try {
  await prepareWorkspace();
  const { light, heavy } = testFiles(root, { named, isUnit });
  const env = { ...process.env };
  if (heavy.length > 0) {
    const engine = await findOrMakeEngine();
    say(`The engine is in ${engine}.`);
    env.PATH = `${engine}${delimiter}${env.PATH ?? ""}`;
  }
  const results = [
    await runMocha({ name: "tests in process", files: light, forMocha, env }),
    // These wait for other processes most of the time: two at once need little more than half the time.
    await runMocha({
      name: "tests on the engine",
      files: heavy,
      forMocha: ["--parallel", "--jobs", "2", ...forMocha],
      env,
    }),
  ];
  conclude(results.filter((result) => result !== undefined));
} catch (error) {
  process.stdout.write(`${error.message}\n\n0 passed, 1 failed\n`);
  process.exitCode = 1;
}

function conclude(results) {
  const passed = sum(results.map((result) => result.passed));
  const failed = sum(results.map((result) => result.failed));
  const skipped = results.flatMap((result) => result.skipped);
  const problems = results.flatMap((result) => result.problems);
  const lines = [];
  if (skipped.length > 0)
    lines.push(`${skipped.length} skipped:`, ...skipped.map((title) => `  - ${title}`), "");
  if (passed + failed === 0) problems.push("No test ran: check the file names and the --grep.");
  if (problems.length > 0) lines.push(...problems.map((problem) => `!! ${problem}`), "");
  const failures = failed + problems.length;
  lines.push(`${passed} passed, ${failures} failed`);
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = failures === 0 ? 0 : 1;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
