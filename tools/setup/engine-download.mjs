import { join } from "node:path";
import { downloadFolder, missingExecutables } from "./engine-cache.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { pinnedCli } from "./versions.mjs";
import { root } from "./workspace.mjs";

/** Time limit of the download, for machines behind a firewall that drops every packet. */
const timeoutMs = Number(process.env.PAGE_GUARD_ENGINE_DOWNLOAD_MS ?? 300_000);

/** Installs the official release with the installer of Pulumi's SDK: the third way to an engine. */
export async function downloadEngine() {
  const [version, folder] = [pinnedCli, downloadFolder()].map((text) => JSON.stringify(text));
  const program = `require("@pulumi/pulumi/automation").PulumiCommand.install({ version: ${version}, root: ${folder} }).catch((error) => {
    console.error(error.message);
    process.exit(1);
  })`;
  const { code, stderr } = await withProgress(`Installing the official Pulumi CLI ${pinnedCli}`, () =>
    run(process.execPath, ["-e", program], { cwd: root, timeout: timeoutMs }),
  );
  const missing = missingExecutables(join(downloadFolder(), "bin"));
  if (missing.length === 0) return join(downloadFolder(), "bin");
  const [said = "no answer in time"] = stderr.split("\n").filter((line) => line.trim() !== "");
  const reason = code === 0 ? `the release lacks ${missing.join(", ")}` : said;
  say(`The official Pulumi CLI could not be installed: ${reason}`);
  throw new Error(reason);
}
