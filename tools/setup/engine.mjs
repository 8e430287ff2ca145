import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import {
  assembleEngine,
  builtCli,
  downloadFolder,
  engineInCache,
  missingExecutables,
} from "./engine-cache.mjs";
import { buildGoTool } from "./go-tool.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { isOlder, lowestCli, pinnedCli } from "./versions.mjs";
import { root } from "./workspace.mjs";

const ways = {
  "pulumi on PATH": engineOnPath,
  "our cache": engineInCache,
  "the official release": downloadEngine,
  "a build from the Go modules in tools/engine": buildEngine,
};
/** Time limit of the download, for machines behind a firewall that drops every packet. */
const timeout = Number(process.env.PAGE_GUARD_ENGINE_DOWNLOAD_MS ?? 300_000);

/** Returns the folder with the CLI and its hosts, by the first of `ways` that works, or throws an error with all reasons. */
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

/** Returns the folder of the CLI that the user has installed, with its hosts. */
async function engineOnPath() {
  const entries = (process.env.PATH ?? "").split(delimiter);
  const folder = entries.find((entry) => entry && existsSync(join(entry, "pulumi")));
  if (!folder) throw new Error("there is no `pulumi` on PATH");
  const pulumi = join(folder, "pulumi");
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { stdout } = await run(pulumi, ["version"], { env, timeout: 30_000 });
  const [version] = /\d+\.\d+\.\d+/.exec(stdout) ?? [];
  if (!version) throw new Error(`${pulumi} does not print its version`);
  if (isOlder(version, lowestCli))
    throw new Error(`version ${version} in ${folder} is older than ${lowestCli}`);
  // A package manager may link only the CLI; then the hosts are beside the real file.
  const candidates = [folder, dirname(realpathSync(pulumi))];
  const whole = candidates.find((entry) => missingExecutables(entry).length === 0);
  if (whole) return whole;
  throw new Error(`${folder} has version ${version} without ${missingExecutables(folder).join(" and ")}`);
}

/** Installs the official release with the installer of Pulumi's SDK. */
async function downloadEngine() {
  const program = `require("@pulumi/pulumi/automation").PulumiCommand.install(JSON.parse(process.argv[1])).catch((error) => {
    console.error(error.message);
    process.exit(1);
  })`;
  const options = JSON.stringify({ version: pinnedCli, root: downloadFolder });
  const { code, stderr } = await withProgress(`Installing the official Pulumi CLI ${pinnedCli}`, () =>
    run(process.execPath, ["-e", program, options], { cwd: root, timeout }),
  );
  const folder = join(downloadFolder, "bin");
  const missing = missingExecutables(folder);
  if (missing.length === 0) return folder;
  const said = stderr.trim().split("\n")[0] || "no response in time";
  const reason = code === 0 ? `the release does not contain ${missing.join(", ")}` : said;
  say(`The official Pulumi CLI could not be installed: ${reason}`);
  throw new Error(reason);
}

/** Builds the CLI from its pinned Go modules into our cache. */
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
