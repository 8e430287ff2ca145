import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { missingExecutables } from "./engine-cache.mjs";
import { run } from "./run.mjs";
import { isOlder, lowestCli } from "./versions.mjs";

/** Returns the folder of the CLI that the user has installed, with its hosts: the first way to an engine. */
export async function engineOnPath() {
  const entries = (process.env.PATH ?? "").split(delimiter);
  const folder = entries.find((entry) => entry && existsSync(join(entry, "pulumi")));
  if (!folder) throw new Error("there is no `pulumi` on PATH");
  const version = await versionOf(join(folder, "pulumi"));
  if (isOlder(version, lowestCli))
    throw new Error(`version ${version} in ${folder} is older than ${lowestCli}`);
  // A package manager may link only the CLI; then the hosts are beside the real file.
  const candidates = [folder, dirname(realpathSync(join(folder, "pulumi")))];
  const whole = candidates.find((entry) => missingExecutables(entry).length === 0);
  if (!whole)
    throw new Error(`${folder} holds version ${version} without ${missingExecutables(folder).join(" and ")}`);
  return whole;
}

async function versionOf(pulumi) {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { stdout } = await run(pulumi, ["version"], { env, timeout: 30_000 });
  const [version] = /\d+\.\d+\.\d+/.exec(stdout) ?? [];
  if (!version) throw new Error(`${pulumi} does not print its version`);
  return version;
}
