/** `npm run docs:site`: see `usage`. The site's own packages and settings are in `tools/site`. */
import { join } from "node:path";
import { argumentsOf } from "./setup/arguments.mjs";
import { installDependencies } from "./setup/dependencies.mjs";
import { run, runTool } from "./setup/run.mjs";
import { say, withProgress } from "./setup/say.mjs";
import { prepareWorkspace, root } from "./setup/workspace.mjs";

const usage = `
Builds the site from docs/ and examples/ into tools/site/dist.

npm run docs:site
npm run docs:site -- --serve    also serves it on loopback, until you interrupt it
`;

const folder = join(root, "tools/site");
const vitepress = join(folder, "node_modules/vitepress/bin/vitepress.js");

await runTool(async () => {
  const { serve } = argumentsOf(usage, { serve: { type: "boolean" } });
  // TypeDoc also compiles the examples, which import the built packages.
  await prepareWorkspace();
  await installDependencies(folder, "the npm packages of the site", ["--ignore-scripts"]);
  // The API pages of the site are the ones whose links and comments `npm run docs` checks.
  const typedoc = ["node_modules/typedoc/bin/typedoc", "--options", join(folder, "typedoc.mjs")];
  await step("Reading the sources with TypeDoc", typedoc);
  await step("Building the site with VitePress", [vitepress, "build", folder]);
  say("The site is in tools/site/dist.");
  if (!serve) return;
  const served = await run(process.execPath, [vitepress, "preview", folder], { cwd: root, stdio: "inherit" });
  process.exitCode = served.code;
});

async function step(label, args) {
  const { code, output } = await withProgress(label, () => run(process.execPath, args, { cwd: root }));
  if (code !== 0) throw new Error(`${label} failed (exit ${code}):\n${output}`);
}
