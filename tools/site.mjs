/** `npm run docs:site`: see `usage`. The site's own packages and settings are in `tools/site`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argumentsOf } from "./setup/arguments.mjs";
import { run } from "./setup/run.mjs";
import { say, withProgress } from "./setup/say.mjs";
import { prepareTools, root } from "./setup/workspace.mjs";

const usage = `
Builds the site from docs/ and examples/ into tools/site/dist.

npm run docs:site
npm run docs:site -- --serve    and serves it on loopback, until it is interrupted
`;

const folder = join(root, "tools/site");
const vitepress = join(folder, "node_modules/vitepress/bin/vitepress.js");

try {
  const { values } = argumentsOf({
    command: "npm run docs:site",
    usage,
    options: { serve: { type: "boolean", default: false } },
  });
  await prepareTools();
  if (!isInstalled())
    await step(
      "Installing the npm packages of the site",
      "npm",
      ["ci", "--ignore-scripts", "--prefer-offline"],
      folder,
    );
  // The API pages of the site are the ones whose links and comments `npm run docs` checks.
  await step("Reading the sources with TypeDoc", process.execPath, [
    join(root, "node_modules/typedoc/bin/typedoc"),
    "--options",
    join(folder, "typedoc.mjs"),
  ]);
  await step("Building the site with VitePress", process.execPath, [vitepress, "build", folder]);
  say("The site is in tools/site/dist.");
  if (values.serve)
    process.exitCode = (
      await run(process.execPath, [vitepress, "preview", folder], { cwd: root, stdio: "inherit" })
    ).code;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function step(label, command, args, cwd = root) {
  const { code, stdout, stderr } = await withProgress(label, () => run(command, args, { cwd }));
  if (code === 0) return;
  throw new Error(`${label} failed (exit ${code}):\n${stdout}${stderr}`);
}

/** Whether node_modules matches the lock file, according to the record that npm keeps there. */
function isInstalled() {
  const record = join(folder, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const versions = (file) =>
    Object.entries(JSON.parse(readFileSync(file, "utf8")).packages)
      .filter(([path, { optional }]) => path !== "" && !optional)
      .map(([path, { version }]) => `${path} ${version}`);
  const present = new Set(versions(record));
  return versions(join(folder, "package-lock.json")).every((wanted) => present.has(wanted));
}
