import { assembleEngine, builtCli, engineInCache } from "./engine-cache.mjs";
import { downloadEngine } from "./engine-download.mjs";
import { engineOnPath } from "./engine-on-path.mjs";
import { buildGoTool } from "./go-tool.mjs";
import { lowestCli, pinnedCli } from "./versions.mjs";

const ways = {
  "pulumi on PATH": engineOnPath,
  "our cache": engineInCache,
  "the official release": downloadEngine,
  "a build from the Go modules in tools/engine": buildEngine,
};

/**
 * Returns the folder with `pulumi`, `pulumi-language-nodejs` and `pulumi-resource-pulumi-nodejs`. Tries PATH, our cache, the
 * official release and a build from the pinned Go modules, in this order. Throws an error with all reasons if every way
 * fails.
 */
export async function findOrMakeEngine() {
  const reasons = [];
  for (const [name, way] of Object.entries(ways)) {
    try {
      return await way();
    } catch (error) {
      reasons.push(`  - ${name}: ${error.message}`);
    }
  }
  throw new Error(
    `There is no Pulumi engine on this machine and none could be built:\n${reasons.join("\n")}\nInstall the Pulumi CLI (${lowestCli} or newer) or Go, then run the command again.`,
  );
}

/** Builds the CLI from its pinned Go modules into our cache: the last way to an engine. */
async function buildEngine() {
  await buildGoTool({
    executable: builtCli,
    folder: "tools/engine",
    linking: `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${pinnedCli}`,
    what: `the Pulumi CLI ${pinnedCli}`,
    takes: "2 to 6 minutes on 2 cores",
  });
  return assembleEngine();
}
