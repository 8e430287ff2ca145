import { buildEngine } from "./engine-build.mjs";
import { engineInCache } from "./engine-cache.mjs";
import { downloadEngine } from "./engine-download.mjs";
import { engineOnPath } from "./engine-on-path.mjs";
import { lowestCli } from "./versions.mjs";

const ways = [
  ["pulumi on PATH", engineOnPath],
  ["our cache", engineInCache],
  ["the official release", downloadEngine],
  [
    "a build from the Go modules in tools/engine",
    async (beside) => {
      const [built] = await Promise.allSettled([buildEngine({ isBehind: beside !== undefined }), beside?.()]);
      if (built.status === "rejected") throw built.reason;
      return built.value;
    },
  ],
];

/**
 * The folder that holds `pulumi`, `pulumi-language-nodejs` and `pulumi-resource-pulumi-nodejs`: those on PATH, of our
 * cache, of the official release, or built from the pinned Go modules, the first that works. Fails with the reason of
 * each. `beside` is done while the engine is built, if it has to be.
 */
export async function findOrMakeEngine({ beside } = {}) {
  const reasons = [];
  for (const [name, way] of ways) {
    try {
      return await way(beside);
    } catch (error) {
      reasons.push(`  - ${name}: ${error.message}`);
    }
  }
  throw new Error(
    `There is no Pulumi engine on this machine and none could be built:\n${reasons.join("\n")}\nInstall the Pulumi CLI (${lowestCli} or newer) or Go, then run the command again.`,
  );
}
