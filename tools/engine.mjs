/** `npm run --silent engine`: builds the engine if needed and prints the folder that contains it as the only line on stdout. */
import { findOrMakeEngine } from "./setup/engine.mjs";
import { runTool } from "./setup/run.mjs";
import { prepareTools } from "./setup/workspace.mjs";

await runTool(async () => {
  await prepareTools();
  process.stdout.write(`${await findOrMakeEngine()}\n`);
});
