/**
 * `npm run demo`: the real Pulumi engine previews, applies, repairs and destroys against simulators of both APIs on
 * loopback. Needs no account, and leaves only a report in the temporary folder. `-- --keep` keeps the simulator and the
 * backend running for your own commands.
 */
import { once } from "node:events";
import { actOne } from "./demo/act-one.mjs";
import { actThree } from "./demo/act-three.mjs";
import { actTwo } from "./demo/act-two.mjs";
import { closing, playOn, report } from "./demo/closing.mjs";
import { showTitle } from "./demo/show.mjs";
import { openStage } from "./demo/stage.mjs";
import { argumentsOf } from "./setup/arguments.mjs";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { runTool } from "./setup/run.mjs";
import { prepareWorkspace } from "./setup/workspace.mjs";

await runTool(async () => {
  const { keep } = argumentsOf("npm run demo -- [--keep]", { keep: { type: "boolean" } });
  await prepareWorkspace();
  const engine = await findOrMakeEngine();
  const stage = await openStage(engine);
  const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const started = Date.now();
  const play = async () => {
    // Each act creates its own zone and its own stack.
    for (const act of [actOne, actTwo, actThree]) {
      showTitle(act.title);
      await act.play(stage);
    }
    await report(stage);
    closing(stage, Date.now() - started);
    return true;
  };
  try {
    const isPlayed = await Promise.race([play(), interrupted.then(() => false)]);
    if (!isPlayed) process.exitCode = 130;
    else if (keep) {
      playOn(stage, engine);
      await interrupted;
    }
  } finally {
    await stage.close();
  }
});
// Everything is done. A socket that a killed command left open must not keep the process alive.
process.exit();
