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
 * Returns the folder with `pulumi`, `pulumi-language-nodejs` and `pulumi-resource-pulumi-nodejs`. Tries PATH, our cache, the
 * official release and a build from the pinned Go modules, in this order. Throws an error with all reasons if every way
 * fails. `beside` runs during a build, if there is one.
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
