/** `npm run --silent engine`: builds the engine if needed and prints the folder that contains it as the only line on stdout. */
import { findOrMakeEngine } from "./setup/engine.mjs";
import { prepareTools } from "./setup/workspace.mjs";

try {
  await prepareTools();
  process.stdout.write(`${await findOrMakeEngine()}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
