import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtYamlHost } from "./engine-cache.mjs";
import { buildGoTool } from "./go-tool.mjs";
import { pinnedYamlHost } from "./versions.mjs";

/**
 * The folder that holds `pulumi-language-yaml`: the engine's own where it is an official release, else one of our cache, which
 * is built from the pinned Go modules.
 */
export async function findOrMakeYamlHost(engineFolder) {
  if (existsSync(join(engineFolder, "pulumi-language-yaml"))) return engineFolder;
  await buildGoTool({
    executable: builtYamlHost(),
    // Modules of their own: it is made for another version of Pulumi's. All others are those of the CLI, compiled once.
    folder: "tools/engine/yaml",
    what: `the language host for YAML ${pinnedYamlHost}`,
    takes: "20 seconds where the CLI was built, else 1 to 2 minutes",
  });
  return dirname(builtYamlHost());
}
