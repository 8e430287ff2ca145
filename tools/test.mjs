/**
 * `npm test`: every behaviour once, on the real engine what is a fact of the engine. `npm run test:long`: languages,
 * installed packages, examples, guides, pipelines, browsers, servers of states, and more random stories.
 * `npm run test:unit`: those of `npm test` that need no engine.
 * What follows `--` goes on to mocha; paths among it name the test files to run.
 * Ends with `N passed, N failed`, alone on a line, counted from mocha's report.
 */
import { delimiter, join } from "node:path";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { run } from "./setup/run.mjs";
import { say } from "./setup/say.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";
import { parallelism, runMocha } from "./test/run-mocha.mjs";
import { summary, together } from "./test/summary.mjs";
import { needsEngine, splitArguments, testFiles } from "./test/test-files.mjs";

try {
  const asked = splitArguments(process.argv.slice(2), root);
  await prepareWorkspace({ beside: asked.named.length === 0 ? transpileAhead : undefined });
  conclude(await runTests(testFiles(root, asked), asked));
} catch (error) {
  process.stdout.write(`${error.message}\n\n0 passed, 1 failed\n`);
  process.exitCode = 1;
}

/** What fails here fails again, with its reason, in the test that needs it. */
function transpileAhead() {
  return run(process.execPath, [join(root, "tools/test/transpile-ahead.cjs")], { cwd: root });
}

async function runTests(files, { isLong, forMocha }) {
  const env = { ...process.env, ...(isLong && { LONG_STORIES: "1" }) };
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

function conclude(result) {
  const lines = [];
  const nothing = { passed: 0, failed: 0, failures: [], skipped: [], problems: [] };
  const { passed, failed, failures, skipped, problems } = result ?? nothing;
  if (skipped.length > 0)
    lines.push(`${skipped.length} skipped:`, ...skipped.map((title) => `  - ${title}`), "");
  if (result) lines.push(...summary(result));
  if (passed + failed === 0) problems.push("No test ran: check the file names and the --grep.");
  if (problems.length > 0) lines.push(...problems.map((problem) => `!! ${problem}`), "");
  // Once more where a log is read first: at its end. `.ci/run` repeats these lines below everything else.
  lines.push(...failures.map((failure) => `Failed test: ${failure}`));
  const count = failed + problems.length;
  lines.push(`${passed} passed, ${count} failed`);
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = count === 0 ? 0 : 1;
}
