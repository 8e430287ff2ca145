import { join } from "node:path";
import { downloadFolder, missingExecutables } from "./engine-cache.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { pinnedCli } from "./versions.mjs";
import { root } from "./workspace.mjs";

/** Time limit of the download, for machines behind a firewall that drops every packet. */
const timeout = Number(process.env.PAGE_GUARD_ENGINE_DOWNLOAD_MS ?? 300_000);

const program = `require("@pulumi/pulumi/automation").PulumiCommand.install(JSON.parse(process.argv[1])).catch((error) => {
  console.error(error.message);
  process.exit(1);
})`;

/** Installs the official release with the installer of Pulumi's SDK: the third way to an engine. */
export async function downloadEngine() {
  const options = JSON.stringify({ version: pinnedCli, root: downloadFolder });
  const { code, stderr } = await withProgress(`Installing the official Pulumi CLI ${pinnedCli}`, () =>
    run(process.execPath, ["-e", program, options], { cwd: root, timeout }),
  );
  const folder = join(downloadFolder, "bin");
  const missing = missingExecutables(folder);
  if (missing.length === 0) return folder;
  const said = stderr.trim().split("\n")[0] || "no answer in time";
  const reason = code === 0 ? `the release lacks ${missing.join(", ")}` : said;
  say(`The official Pulumi CLI could not be installed: ${reason}`);
  throw new Error(reason);
}
