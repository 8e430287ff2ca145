/** `npm run prove`: see `usage`. The stories and the planted defects are in `test/proof`. */
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { argumentsOf, numberOf } from "./setup/arguments.mjs";
import { run, runTool } from "./setup/run.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";

const usage = `
Plays random stories over whole programs. What falls is made small and printed with its trace.

npm run prove                   10,000 stories, with a seed of their own
npm run prove -- --real         100 short ones, with the real CLI, its processes and SIGKILL
npm run prove -- --planted      plants defects one at a time: each has to be found in 250 stories of seed 5
        --runs N        so many stories
        --seed N        the same again

Variables: ABOUT=policy plays only stories about one kind (settings, policy, set, entry or migration), MINUTES=5 ends them then.
`;

await runTool(async () => {
  const { runs, seed, real, planted } = argumentsOf(usage, {
    runs: { type: "string" },
    seed: { type: "string" },
    real: { type: "boolean" },
    planted: { type: "boolean" },
  });
  if (runs !== undefined) numberOf(runs, "--runs");
  if (seed !== undefined) numberOf(seed, "--seed");
  // Planted defects use a fixed seed, because the stories that the tests play must find them too, on every run.
  const chosen = seed ?? (planted ? "5" : String(randomInt(2 ** 31)));
  await prepareWorkspace();
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  let [stories, usual] = ["proof.test.ts", "10000"];
  if (planted) [stories, usual] = ["defects.test.ts", "250"];
  if (real) [stories, usual] = ["real/real-stories.ts", "100"];
  const env = { ...process.env, RUNS: runs ?? usual, SEED: chosen };
  const options = { cwd: root, env, stdio: "inherit" };
  const { code } = await run(process.execPath, [mocha, `test/proof/${stories}`], options);
  process.exitCode = code;
});
