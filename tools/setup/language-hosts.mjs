import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtLanguageHosts } from "./engine-cache.mjs";
import { buildGoTool } from "./go-tool.mjs";
import { run } from "./run.mjs";
import { root } from "./workspace.mjs";

const modules = "tools/engine";
const [python, go] = ["pulumi-language-python", "pulumi-language-go"];

/**
 * Returns the folder with the language hosts for Python and Go: the engine's own folder if it is an official release, else a
 * folder of our cache, built from tools/engine/languages. Changed sources are built into another folder.
 */
export async function findOrMakeLanguageHosts(engineFolder) {
  if ([python, go].every((name) => existsSync(join(engineFolder, name)))) return engineFolder;
  const sources = readdirSync(join(root, modules, "languages")).map((name) => `languages/${name}`);
  const hash = createHash("sha256");
  for (const name of ["go.mod", ...sources]) hash.update(readFileSync(join(root, modules, name)));
  const folder = builtLanguageHosts(hash.digest("hex").slice(0, 12));
  await buildGoTool({
    executable: join(folder, python),
    folder: modules,
    target: "./languages",
    what: "the language hosts for Python and Go",
    takes: "10 seconds if the CLI was built here, else 1 to 3 minutes",
    async complete(built) {
      // One executable serves as both hosts; its name decides which one it is.
      copyFileSync(built, join(folder, go));
      // The host for Python starts the runner of Pulumi's SDK, which is beside it.
      const runner = "pulumi-language-python-exec";
      const query = ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"];
      const sdk = await run("go", query, { cwd: join(root, modules) });
      if (sdk.code !== 0) throw new Error(`go list failed: ${sdk.stderr.trim()}`);
      copyFileSync(join(sdk.stdout.trim(), "python/cmd", runner), join(folder, runner));
    },
  });
  return folder;
}
