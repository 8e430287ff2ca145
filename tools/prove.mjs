/**
 * `npm run prove`: plays random stories over whole programs (`test/proof`), 10,000 of them. `-- --runs N --seed S`
 * plays fewer, more, or the same again.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepareWorkspace, root } from "./setup/workspace.mjs";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "10000" }, seed: { type: "string" } },
});

await prepareWorkspace();
const child = spawn(
  process.execPath,
  [join(root, "node_modules/mocha/bin/mocha.js"), "test/proof/proof.test.ts"],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, RUNS: values.runs, SEED: values.seed ?? String(randomInt(2 ** 31)) },
  },
);
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
