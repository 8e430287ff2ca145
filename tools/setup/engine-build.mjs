import { assembleEngine, builtCli } from "./engine-cache.mjs";
import { buildGoTool } from "./go-tool.mjs";
import { pinnedCli } from "./versions.mjs";

/** The last way: the CLI from its pinned Go modules, kept in our cache. `isBehind`: whatever else runs goes first. */
export async function buildEngine({ isBehind }) {
  await buildGoTool({
    executable: builtCli(),
    folder: "tools/engine",
    linking: `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${pinnedCli}`,
    what: `the Pulumi CLI ${pinnedCli}`,
    takes: "2 to 6 minutes on 2 cores",
    isBehind,
  });
  return assembleEngine();
}
