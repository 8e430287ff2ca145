/**
 * `npm run demo`: the real Pulumi engine previews, applies, repairs and destroys against both APIs on loopback.
 * Needs no account and leaves nothing behind. `-- --keep` leaves simulator and backend up to play on with.
 */
import { acts } from "./demo/acts.mjs";
import { closing, playOn } from "./demo/closing.mjs";
import { Deviation } from "./demo/deviation.mjs";
import { report } from "./demo/report.mjs";
import { red, showTitle } from "./demo/show.mjs";
import { openStage } from "./demo/stage.mjs";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { prepareWorkspace } from "./setup/workspace.mjs";

async function main() {
  const unknown = process.argv.slice(2).filter((argument) => argument !== "--keep");
  if (unknown.length > 0) throw new Error(`The demo knows no ${unknown.join(", ")}; it takes --keep.`);
  await prepareWorkspace();
  const engine = await findOrMakeEngine();
  const stage = await openStage(engine);
  const interrupted = new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve(signal));
  });
  const started = Date.now();
  let isPlayed = false;
  const play = async () => {
    for (const act of acts) {
      showTitle(act.title);
      await act.play(stage);
    }
    await report(stage);
    closing(stage, Date.now() - started);
    isPlayed = true;
    if (process.argv.includes("--keep")) {
      playOn(stage, engine);
      await interrupted;
    }
  };
  try {
    await Promise.race([play(), interrupted]);
    if (!isPlayed) process.exitCode = 130;
  } finally {
    await stage.close();
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`\n${red(textOf(error))}\n`);
  process.exitCode = 1;
}
// Nothing is left to do; a socket that a killed command left open must not hold the process.
process.exit();

/** Failures that were foreseen explain themselves; of the others, where they came from matters. */
function textOf(error) {
  return [Error, Deviation].includes(error.constructor) ? error.message : (error.stack ?? String(error));
}
