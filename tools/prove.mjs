/**
 * `npm run prove`: plays random stories over whole programs (`test/proof`), 10,000 of them. `-- --runs N --seed S`
 * plays fewer, more, or the same again. `-- --real` plays 100 short ones with the real CLI and its processes. `-- --planted`
 * sees whether planted defects are found. `--minutes M` ends it then, whatever number was played.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepareWorkspace, root } from "./setup/workspace.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    minutes: { type: "string" },
    real: { type: "boolean", default: false },
    planted: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});

await prepareWorkspace();
if (values.planted) {
  const { plantDefects } = await import("./prove/planted.mjs");
  const { seed, only, runs = "1000" } = values;
  process.exitCode = plantDefects({ runs, seed, only }) ? 0 : 1;
} else {
  const mocha = join(root, "node_modules/mocha/bin/mocha.js");
  const [stories, runs] = values.real
    ? ["test/proof/real/real-stories.ts", "100"]
    : ["test/proof/proof.test.ts", "10000"];
  const env = { ...process.env, RUNS: values.runs ?? runs, SEED: values.seed, MINUTES: values.minutes ?? "" };
  const { status } = spawnSync(process.execPath, [mocha, stories], {
    cwd: root,
    stdio: "inherit",
    env,
  });
  process.exitCode = status ?? 1;
}
