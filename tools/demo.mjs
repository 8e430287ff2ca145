/**
 * `npm run demo`: the real Pulumi engine previews, applies, repairs and destroys against simulators of both APIs on
 * loopback. Needs no account and leaves nothing behind. `-- --keep` keeps the simulator and the backend running for your own
 * commands; `-- --language yaml` plays a short act with the provider plugin instead.
 */
import { delimiter } from "node:path";
import { actYaml } from "./demo/act-yaml.mjs";
import { acts } from "./demo/acts.mjs";
import { closing, playOn } from "./demo/closing.mjs";
import { Deviation } from "./demo/deviation.mjs";
import { report } from "./demo/report.mjs";
import { red, showTitle } from "./demo/show.mjs";
import { openStage } from "./demo/stage.mjs";
import { argumentsOf } from "./setup/arguments.mjs";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { prepareWorkspace } from "./setup/workspace.mjs";
import { findOrMakeYamlHost } from "./setup/yaml-host.mjs";

async function main() {
  const { values } = argumentsOf({
    command: "npm run demo",
    usage: "npm run demo -- [--keep] [--language typescript|yaml]",
    options: {
      keep: { type: "boolean", default: false },
      language: { type: "string", default: "typescript" },
    },
  });
  const isYaml = values.language === "yaml";
  if (!isYaml && values.language !== "typescript")
    throw new Error(`The demo is played in typescript and yaml, not in ${values.language}.`);
  await prepareWorkspace();
  const cli = await findOrMakeEngine();
  const engine = isYaml ? [await findOrMakeYamlHost(cli), cli].join(delimiter) : cli;
  const stage = await openStage(engine);
  const interrupted = new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve(signal));
  });
  const started = Date.now();
  let isPlayed = false;
  const play = async () => {
    for (const act of isYaml ? [actYaml] : acts) {
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
}

try {
  await main();
} catch (error) {
  process.stderr.write(`\n${red(textOf(error))}\n`);
  process.exitCode = 1;
}
// All is done. A socket that a killed command left open must not keep the process alive.
process.exit();

/** Returns the message of an expected failure, and the stack of any other. */
function textOf(error) {
  return [Error, Deviation].includes(error.constructor) ? error.message : (error.stack ?? String(error));
}
