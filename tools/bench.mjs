/**
 * `npm run bench`: measures what the package costs, compared with a provider that does nothing. Ratios compare figures of
 * the same run. The tool never fails because something is slow.
 */
import { caseNames, measureCase } from "./bench/cases.mjs";
import { cspBench } from "./bench/csp.mjs";
import { listsBench } from "./bench/lists.mjs";
import { suggestBench } from "./bench/suggest.mjs";
import { argumentsOf, numberOf } from "./setup/arguments.mjs";
import { runTool } from "./setup/run.mjs";
import { prepareWorkspace } from "./setup/workspace.mjs";

const sections = {
  csp: cspBench,
  suggest: suggestBench,
  lists: listsBench,
  ...Object.fromEntries(caseNames.map((name) => [name, (context) => measureCase(name, context)])),
};

const usage = `
npm run bench -- [--only ${Object.keys(sections).join(",")}] [--n 300]

The engine gets your environment variables. For example: PULUMI_DIY_BACKEND_ZSTD=true npm run bench -- --only engine
`;

await runTool(async () => {
  const values = argumentsOf(usage, {
    only: { type: "string", default: Object.keys(sections).join(",") },
    n: { type: "string" },
  });
  const chosen = values.only.split(",");
  const unknown = chosen.filter((name) => !Object.hasOwn(sections, name));
  if (unknown.length > 0)
    throw new Error(`--only takes ${Object.keys(sections).join(", ")}, not ${unknown.join(", ")}.`);
  const n = values.n === undefined ? undefined : numberOf(values.n, "--n");
  await prepareWorkspace();
  const { startSimulator } = await import("page-guard-simulator");
  for (const name of chosen) {
    const { title, text } = await sections[name]({ startSimulator, n });
    process.stdout.write(`\n${title}\n${"=".repeat(title.length)}\n${text}\n`);
  }
});
process.exit();
