/** `npm run --silent engine`: makes the engine if needed; its only line on stdout is the folder that holds it. */
import { findOrMakeEngine } from "./setup/engine.mjs";
import { prepareTools } from "./setup/workspace.mjs";

try {
  await prepareTools();
  process.stdout.write(`${await findOrMakeEngine()}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
