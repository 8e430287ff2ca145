/**
 * `npm run release -- --pack | --dry-run [--keep]`: packs the four packages into the folder `release`, with a list of
 * everything that they install (SBOM). Another job of the workflow publishes them. `--dry-run` publishes them to a registry
 * on loopback instead, and then follows the first five minutes of the README with packages from that registry.
 */
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playFirstMinutes } from "./release/first-minutes.mjs";
import { startRegistry } from "./release/registry.mjs";
import { npm, pack } from "./setup/package.mjs";
import { runTool } from "./setup/run.mjs";
import { say } from "./setup/say.mjs";
import { buildPackages, prepareTools, root } from "./setup/workspace.mjs";

const isDryRun = process.argv.includes("--dry-run");
const scratch = mkdtempSync(join(tmpdir(), "page-guard-release-"));
await runTool(async () => {
  await prepareTools();
  await buildPackages();
  const folder = isDryRun ? join(scratch, "release") : join(root, "release");
  const packed = await pack(folder);
  writeFileSync(join(folder, "sbom.cdx.json"), await sbom(packed));
  copyFileSync(join(root, "provider/plugin/schema.json"), join(folder, "schema.json"));
  if (isDryRun) await rehearse(packed);
});
rmSync(scratch, { recursive: true, force: true });
// The registry on loopback ends with this process.
process.exit();

async function rehearse(packed) {
  say("Starting a registry on loopback …");
  const names = packed.map(({ name }) => name);
  const npmrc = await startRegistry(join(scratch, "registry"), names);
  for (const { name, version, tarball } of packed) {
    const env = { ...process.env, npm_config_userconfig: npmrc };
    await npm(["publish", tarball, "--access", "public"], { env });
    say(`Published ${name} ${version} into the registry on loopback.`);
  }
  const project = join(scratch, "first-minutes");
  mkdirSync(project);
  await playFirstMinutes({ scratch, project, npmrc });
  say("A release would publish these four packages, and the README's first minutes work with them.");
  if (!process.argv.includes("--keep")) return;
  say(`The registry stays up until Ctrl-C. Use it with: export npm_config_userconfig=${npmrc}`);
  await once(process, "SIGINT");
}

/** Returns a CycloneDX list of all packages that npm installs with ours, without the SDK, which the user installs. */
async function sbom(packed) {
  const cwd = join(scratch, "sbom");
  mkdirSync(cwd);
  const [{ version }] = packed;
  const dependencies = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const manifest = { name: "page-guard-packages", version, private: true, dependencies };
  writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
  await npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"], { cwd });
  return npm(["sbom", "--sbom-format", "cyclonedx", "--legacy-peer-deps"], { cwd });
}
