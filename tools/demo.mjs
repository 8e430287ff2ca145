/**
 * `npm run demo`: the real Pulumi engine previews, applies, repairs and destroys against simulators of both APIs on
 * loopback. Needs no account and leaves nothing behind. `-- --keep` keeps the simulator and the backend running for your own
 * commands; `-- --language yaml` plays a short act with the provider plugin instead.
 */
import { once } from "node:events";
import { delimiter } from "node:path";
import { actOne } from "./demo/act-one.mjs";
import { actThree } from "./demo/act-three.mjs";
import { actTwo } from "./demo/act-two.mjs";
import { actYaml } from "./demo/act-yaml.mjs";
import { closing, playOn, report } from "./demo/closing.mjs";
import { showTitle } from "./demo/show.mjs";
import { openStage } from "./demo/stage.mjs";
import { argumentsOf } from "./setup/arguments.mjs";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { runTool } from "./setup/run.mjs";
import { prepareWorkspace } from "./setup/workspace.mjs";
import { findOrMakeYamlHost } from "./setup/yaml-host.mjs";

/** Acts by language. An act is `{ title, play(stage) }` and creates its own zone and its own stack. */
const acts = { typescript: [actOne, actTwo, actThree], yaml: [actYaml] };

await runTool(async () => {
  const values = argumentsOf("npm run demo -- [--keep] [--language typescript|yaml]", {
    keep: { type: "boolean" },
    language: { type: "string", default: "typescript" },
  });
  if (!Object.hasOwn(acts, values.language))
    throw new Error(`The demo is played in typescript and yaml, not in ${values.language}.`);
  const isYaml = values.language === "yaml";
  await prepareWorkspace();
  const cli = await findOrMakeEngine();
  const engine = isYaml ? [await findOrMakeYamlHost(cli), cli].join(delimiter) : cli;
  const stage = await openStage(engine);
  const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const started = Date.now();
  let isPlayed = false;
  const play = async () => {
    for (const act of acts[values.language]) {
      showTitle(act.title);
      await act.play(stage);
    }
    if (!isYaml) await report(stage);
    closing(stage, Date.now() - started);
    isPlayed = true;
    if (values.keep) {
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
});
// All is done. A socket that a killed command left open must not keep the process alive.
process.exit();
