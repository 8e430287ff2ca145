/**
 * `npm test`: tests every behaviour once; behaviour of the engine is tested on the real engine. `npm run test:long`:
 * languages, installed packages, examples, guides, pipelines, browsers, state backends, and more random stories.
 * `npm run test:unit`: the tests of `npm test` that need no engine. Arguments after `--` are passed to mocha, except paths,
 * which name the test files to run. The last line of the output is `N passed, N failed`.
 */
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { run } from "./setup/run.mjs";
import { say } from "./setup/say.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";
import { needsEngine, splitArguments, testFiles } from "./test/test-files.mjs";

/** Number of files up to which one process is faster than several, which take time to start. */
const fewFiles = 3;

try {
  const asked = splitArguments(process.argv.slice(2), root);
  await prepareWorkspace();
  const files = testFiles(root, asked);
  const env = { ...process.env, ...(asked.isLong && { LONG_STORIES: "1" }) };
  if (files.some(needsEngine)) {
    const engine = await findOrMakeEngine();
    say(`The engine is in ${engine}.`);
    env.PATH = `${engine}${delimiter}${env.PATH ?? ""}`;
  }
  process.exitCode = await runMocha(files, asked.forMocha, env);
} catch (error) {
  process.stdout.write(`${error.message}\n\n0 passed, 1 failed\n`);
  process.exitCode = 1;
}

async function runMocha(files, forMocha, env) {
  const args = ["--reporter", join(root, "tools/test/counting-reporter.cjs"), "--exit"];
  // Tests spend much of their time waiting for other processes, so there are three more workers than processors.
  const jobs = String(Math.min(files.length, availableParallelism() + 3));
  if (files.length > fewFiles) args.push("--parallel", "--jobs", jobs);
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  const { code } = await run(process.execPath, [mocha, ...args, ...forMocha, ...files], {
    cwd: root,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return code;
}
