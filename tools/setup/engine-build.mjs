import { assembleEngine, builtCli } from "./engine-cache.mjs";
import { buildGoTool } from "./go-tool.mjs";
import { pinnedCli } from "./versions.mjs";

/** Builds the CLI from its pinned Go modules into our cache: the last way to an engine. `isBehind`: build with low priority. */
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
