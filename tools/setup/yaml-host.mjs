import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtYamlHost } from "./engine-cache.mjs";
import { buildGoTool } from "./go-tool.mjs";
import { pinnedYamlHost } from "./versions.mjs";

/**
 * Returns the folder with `pulumi-language-yaml`: the engine's own folder if it is an official release, else a folder of our
 * cache, built from the pinned Go modules.
 */
export async function findOrMakeYamlHost(engineFolder) {
  if (existsSync(join(engineFolder, "pulumi-language-yaml"))) return engineFolder;
  await buildGoTool({
    executable: builtYamlHost,
    // The YAML host has its own Go module, because it needs another version of Pulumi. It shares all other modules with the CLI.
    folder: "tools/engine/yaml",
    what: `the language host for YAML ${pinnedYamlHost}`,
    takes: "20 seconds if the CLI was built here, else 1 to 2 minutes",
  });
  return dirname(builtYamlHost);
}
