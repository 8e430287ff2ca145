import { copyFileSync, existsSync, linkSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { builtLanguageHosts } from "./engine-cache.mjs";
import { buildGoTool, digestOf } from "./go-tool.mjs";
import { run } from "./run.mjs";
import { root } from "./workspace.mjs";

const modules = "tools/engine";
const runner = "pulumi-language-python-exec";

/**
 * Returns the folder with the language hosts for Python and Go: the engine's own folder if it is an official release, else a
 * folder of our cache, built from tools/engine/languages.
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
  // One executable is both hosts and decides by its name.
  linkUnlessThere(join(folder, python), join(folder, go));
  // The runner comes last and in one step, because its presence means that all files are there.
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
