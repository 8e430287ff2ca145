import { copyFileSync, existsSync, linkSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { builtLanguageHosts } from "./engine-cache.mjs";
import { buildGoTool, digestOf } from "./go-tool.mjs";
import { run } from "./run.mjs";
import { root } from "./workspace.mjs";

const modules = "tools/engine";
const runner = "pulumi-language-python-exec";

/**
 * The folder that holds the language hosts for Python and Go: the engine's own where it is an official release, else one of our
 * cache, which is built from tools/engine/languages.
 */
export async function findOrMakeLanguageHosts(engineFolder) {
  const [python, go] = ["pulumi-language-python", "pulumi-language-go"];
  if ([python, go].every((name) => existsSync(join(engineFolder, name)))) return engineFolder;
  const sources = readdirSync(join(root, modules, "languages")).map((name) => `languages/${name}`);
  const folder = builtLanguageHosts(digestOf(modules, ["go.mod", ...sources]));
  await buildGoTool({
    executable: join(folder, python),
    folder: modules,
    target: "./languages",
    what: "the language hosts for Python and Go",
    takes: "10 seconds where the CLI was built, else 1 to 3 minutes",
  });
  if (existsSync(join(folder, runner))) return folder;
  // One executable serves both, by its name.
  linkUnlessThere(join(folder, python), join(folder, go));
  // Last, and in one step: whoever finds it finds all.
  const sdk = await run("go", ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"], {
    cwd: join(root, modules),
  });
  if (sdk.code !== 0) throw new Error(`go list failed: ${sdk.stderr.trim()}`);
  const scratch = join(folder, `${runner}-${process.pid}`);
  copyFileSync(join(sdk.stdout.trim(), "python/cmd", runner), scratch);
  renameSync(scratch, join(folder, runner));
  return folder;
}

function linkUnlessThere(from, to) {
  try {
    linkSync(from, to);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}
