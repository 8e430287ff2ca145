/**
 * `npm run bench`: what the package costs, beside a provider that does nothing and a plain one. Ratios are those of one
 * run; nothing is asserted on time.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkpointsBench } from "./bench/checkpoints.mjs";
import { cspBench } from "./bench/csp.mjs";
import { engineBench } from "./bench/engine.mjs";
import { fleetBench, fleetCases } from "./bench/fleet.mjs";
import { inventoryBench } from "./bench/inventory.mjs";
import { limitBench } from "./bench/limit.mjs";
import { listsBench } from "./bench/lists.mjs";
import { loadBench } from "./bench/load.mjs";
import { pluginBench } from "./bench/plugin.mjs";
import { reportBench } from "./bench/report.mjs";
import { setBench } from "./bench/set.mjs";
import { soakBench } from "./bench/soak.mjs";
import { startBench } from "./bench/start.mjs";
import { suggestBench } from "./bench/suggest.mjs";
import { argumentsOf, numberOf } from "./setup/arguments.mjs";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { say } from "./setup/say.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";

const usage = `
npm run bench -- [--quick] [--only engine,set,plugin,start,fleet,limit,lists,inventory,report,csp,suggest,load] [--n 1,10] [--subjects floor,waits,asks,ours,plain]
                 [--fleet one,floor] [--json FILE]
npm run bench -- --only fleet --fleet many,limit                (by name only: half an hour, and six minutes)
npm run bench -- --only fleet --fleet command [--parallel 1,4,8]    (by name only: more than an hour)
npm run bench -- --only checkpoints --n 100,300,600             (by name only: five minutes)
npm run bench -- --only soak [--minutes 30] [--items 100000]    (by name only: it takes that long)
`;

const sections = {
  load: loadBench,
  csp: cspBench,
  suggest: suggestBench,
  lists: listsBench,
  inventory: inventoryBench,
  report: reportBench,
  engine: engineBench,
  set: setBench,
  plugin: pluginBench,
  start: startBench,
  fleet: fleetBench,
  limit: limitBench,
  checkpoints: checkpointsBench,
  soak: soakBench,
};
/** Asked for by name. */
const notByItself = ["checkpoints", "soak"];
const usualFleet = ["one", "floor"];
const onEngine = ["engine", "set", "plugin", "start", "fleet", "limit", "checkpoints"];
const allSubjects = ["floor", "waits", "asks", "ours", "plain"];
/** After this, no further large step is begun. */
const lateAfterMs = 45 * 60_000;

const usual = Object.keys(sections).filter((name) => !notByItself.includes(name));

async function main() {
  const { values } = argumentsOf({
    command: "npm run bench",
    usage,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: usual.join(",") },
      n: { type: "string" },
      fleet: { type: "string", default: usualFleet.join(",") },
      parallel: { type: "string", default: "1,4,8" },
      subjects: { type: "string", default: allSubjects.join(",") },
      json: { type: "string" },
      minutes: { type: "string" },
      items: { type: "string" },
    },
  });
  const chosen = listOf(values.only, Object.keys(sections), "--only");
  const subjects = listOf(values.subjects, allSubjects, "--subjects");
  const fleet = listOf(values.fleet, fleetCases, "--fleet");
  const counts = numbersOf(values.n ?? (values.quick ? "1,10" : "1,100,300"), "--n");
  const atOnce = numbersOf(values.parallel, "--parallel");
  const minutes = numberOf(values.minutes ?? (values.quick ? "0.2" : "30"), "--minutes");
  const items = numberOf(values.items ?? (values.quick ? "2000" : "100000"), "--items");
  await prepareWorkspace();
  const { startSimulator } = await import(pathToFileURL(join(root, "simulator/dist/index.js")).href);
  const started = Date.now();
  const context = {
    engine: chosen.some((name) => onEngine.includes(name)) ? await findOrMakeEngine() : undefined,
    startSimulator,
    subjects,
    fleet,
    atOnce,
    counts,
    minutes,
    items,
    isQuick: values.quick,
    isLate: () => Date.now() - started > lateAfterMs,
    progress: (text) => say(`[${Math.round((Date.now() - started) / 1000)} s] ${text}`),
  };
  const report = {
    machine: { node: process.version, platform: process.platform, cores: availableParallelism() },
    sections: {},
  };
  for (const name of chosen) {
    const { title, results, text } = await sections[name](context);
    report.sections[name] = results;
    process.stdout.write(`\n${title}\n${"=".repeat(title.length)}\n${text}\n`);
    if (values.json) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  }
}

function numbersOf(text, flag) {
  const numbers = text.split(",").map(Number);
  if (numbers.some((n) => !Number.isInteger(n) || n < 1))
    throw new Error(`${flag} takes numbers: ${flag} 1,10,100`);
  return numbers;
}

function listOf(text, known, flag) {
  const names = text.split(",");
  const wrong = names.filter((name) => !known.includes(name));
  if (wrong.length > 0) throw new Error(`${flag} knows ${known.join(", ")}, not ${wrong.join(", ")}.`);
  return known.filter((name) => names.includes(name));
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${textOf(error)}\n`);
  process.exitCode = 1;
}
process.exit();

/** Failures that were foreseen explain themselves; of the others, where they came from matters. */
function textOf(error) {
  return error.constructor === Error ? error.message : (error.stack ?? String(error));
}
