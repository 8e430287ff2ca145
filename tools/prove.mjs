/** `npm run prove`: see `usage`. The stories and the planted defects are in `test/proof`. */
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { argumentsOf, numberOf } from "./setup/arguments.mjs";
import { run, runTool } from "./setup/run.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";

const kinds = ["settings", "policy", "set", "entry", "migration"];

const usage = `
Plays random stories over whole programs. Reduces a failing story to the smallest one that fails, and prints its trace.

npm run prove                   10,000 stories, with a random seed
npm run prove -- --real         100 short stories, with the real CLI, its processes and SIGKILL
npm run prove -- --planted      plants one defect at a time, and checks that 250 stories of seed 5 find it
        --runs N        N stories
        --seed N        the stories of this seed
        --about KIND    only stories about one kind: ${kinds.join(", ")}; not with --real
        --minutes N     ends after N minutes at the latest
`;

await runTool(async () => {
  const { real, planted, about, ...numbers } = argumentsOf(usage, {
    runs: { type: "string" },
    seed: { type: "string" },
    about: { type: "string", default: "" },
    minutes: { type: "string" },
    real: { type: "boolean" },
    planted: { type: "boolean" },
  });
  for (const [name, text] of Object.entries(numbers)) numberOf(text, `--${name}`);
  if (about !== "" && !kinds.includes(about))
    throw new Error(`--about takes one of ${kinds.join(", ")}, not ${about}.`);
  const { runs, seed, minutes = "" } = numbers;
  // Planted defects use a fixed seed, because the stories that the tests play must find them too, on every run.
  const chosen = seed ?? (planted ? "5" : String(randomInt(2 ** 31)));
  await prepareWorkspace();
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  let [stories, usual] = ["proof.test.ts", "10000"];
  if (planted) [stories, usual] = ["defects.test.ts", "250"];
  if (real) [stories, usual] = ["real/real-stories.ts", "100"];
  const env = { ...process.env, RUNS: runs ?? usual, SEED: chosen, ABOUT: about, MINUTES: minutes };
  const options = { cwd: root, env, stdio: "inherit" };
  const { code } = await run(process.execPath, [mocha, `test/proof/${stories}`], options);
  process.exitCode = code;
});
