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
        --about KIND    about one kind alone: settings, policy, set, entry or migration
        --minutes N     ends it then, whatever number was played
        --only TEXT     with --planted: defects whose name has this in it
`;

await runTool(async () => {
  const { values } = argumentsOf({
    command: "npm run prove",
    usage,
    options: {
      runs: { type: "string" },
      seed: { type: "string" },
      minutes: { type: "string" },
      about: { type: "string", default: "" },
      real: { type: "boolean", default: false },
      planted: { type: "boolean", default: false },
      only: { type: "string", default: "" },
    },
  });
  for (const name of ["runs", "seed", "minutes"])
    if (values[name] !== undefined) numberOf(values[name], `--${name}`);
  const { runs, seed, minutes = "", about, real, planted, only } = values;
  // Planted defects use a fixed seed, because the stories that the tests play must find them too, on every run.
  const chosen = seed ?? (planted ? "5" : String(randomInt(2 ** 31)));
  await prepareWorkspace();
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  const [stories, usual] = real
    ? ["test/proof/real/real-stories.ts", "100"]
    : planted
      ? ["test/proof/defects.test.ts", "250"]
      : ["test/proof/proof.test.ts", "10000"];
  const env = { ...process.env, RUNS: runs ?? usual, SEED: chosen, MINUTES: minutes, ABOUT: about };
  const played = await run(process.execPath, [mocha, stories, "--fgrep", only], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  process.exitCode = played.code;
});
