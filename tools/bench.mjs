/**
 * `npm run bench`: measures what the package costs, compared with a provider that does nothing. Ratios compare figures of
 * one run. No time is asserted.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { caseNames, measureCase } from "./bench/cases.mjs";
import { cspBench } from "./bench/csp.mjs";
import { listsBench } from "./bench/lists.mjs";
import { suggestBench } from "./bench/suggest.mjs";
import { argumentsOf, numberOf } from "./setup/arguments.mjs";
import { findOrMakeEngine } from "./setup/engine.mjs";
import { runTool } from "./setup/run.mjs";
import { say } from "./setup/say.mjs";
import { prepareWorkspace } from "./setup/workspace.mjs";

const sections = {
  csp: cspBench,
  suggest: suggestBench,
  lists: listsBench,
  ...Object.fromEntries(caseNames.map((name) => [name, (context) => measureCase(name, context)])),
};

const usage = `
npm run bench -- [--quick] [--only ${Object.keys(sections).join(",")}] [--n 300] [--json FILE]

Variables reach the engine: PULUMI_DIY_BACKEND_ZSTD=true npm run bench -- --only engine --n 600
`;

await runTool(async () => {
  const { values } = argumentsOf({
    command: "npm run bench",
    usage,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: Object.keys(sections).join(",") },
      n: { type: "string" },
      json: { type: "string" },
    },
  });
  const chosen = values.only.split(",");
  const unknown = chosen.filter((name) => !Object.hasOwn(sections, name));
  if (unknown.length > 0)
    throw new Error(`--only knows ${Object.keys(sections).join(", ")}, not ${unknown.join(", ")}.`);
  const n = values.n === undefined ? undefined : numberOf(values.n, "--n");
  await prepareWorkspace();
  const { startSimulator } = await import("page-guard-simulator");
  const needsEngine = chosen.some((name) => caseNames.includes(name));
  const context = {
    engine: needsEngine ? await findOrMakeEngine() : undefined,
    startSimulator,
    n,
    isQuick: values.quick,
    progress: say,
  };
  const machine = { node: process.version, platform: process.platform, cores: availableParallelism() };
  const report = { machine, sections: {} };
  for (const name of chosen) {
    const { title, results, text } = await sections[name](context);
    report.sections[name] = results;
    process.stdout.write(`\n${title}\n${"=".repeat(title.length)}\n${text}\n`);
    if (values.json) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  }
});
process.exit();
