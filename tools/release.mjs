/**
 * `npm run release -- --pack | --dry-run [--keep]`: packs the four packages into the folder `release`, with a list of
 * everything that they install (SBOM). A job of the workflow that does nothing else publishes them. `--dry-run` publishes
 * them to a registry on loopback instead, and plays the first five minutes of the README with packages from there.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { playFirstMinutes } from "./release/first-minutes.mjs";
import { startRegistry } from "./release/registry.mjs";
import { pack } from "./setup/package.mjs";
import { run } from "./setup/run.mjs";
import { say } from "./setup/say.mjs";
import { buildPackages, prepareTools, root } from "./setup/workspace.mjs";

const isDryRun = process.argv.includes("--dry-run");
const scratch = mkdtempSync(join(tmpdir(), "page-guard-release-"));
let registry;
try {
  await prepareTools();
  await buildPackages();
  const folder = isDryRun ? join(scratch, "release") : join(root, "release");
  const tarballs = await pack(folder);
  writeFileSync(join(folder, "sbom.cdx.json"), await sbom(tarballs, partsOf(tarballs[0]).version));
  copyFileSync(join(root, "provider/plugin/schema.json"), join(folder, "schema.json"));
  if (isDryRun) {
    say("Starting a registry on loopback …");
    registry = await startRegistry(join(scratch, "registry"));
  }
  if (isDryRun) {
    for (const tarball of tarballs) await publish(tarball);
    const project = join(scratch, "first-minutes");
    mkdirSync(project);
    await playFirstMinutes({ project, npmrc: registry.npmrc });
    say("A release would publish these four packages, and the README's first minutes work with them.");
  }
  if (process.argv.includes("--keep")) {
    say(`The registry stays up until Ctrl-C. Use it with: export npm_config_userconfig=${registry.npmrc}`);
    await new Promise((resolve) => process.once("SIGINT", resolve));
  }
} catch (error) {
  process.stdout.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  registry?.stop();
  rmSync(scratch, { recursive: true, force: true });
}

/** Returns a CycloneDX list of all that an installation of the packages brings, without the SDK, which the user installs. */
async function sbom(tarballs, version) {
  const project = join(scratch, "sbom");
  mkdirSync(project);
  const dependencies = Object.fromEntries(
    tarballs.map((tarball) => [partsOf(tarball).name, `file:${tarball}`]),
  );
  const manifest = { name: "page-guard-packages", version, private: true, dependencies };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  const npm = async (...args) => {
    const { code, stdout, stderr } = await run("npm", [...args, "--legacy-peer-deps"], { cwd: project });
    if (code !== 0) throw new Error(`npm ${args[0]} failed (exit ${code}):\n${stderr}`);
    return stdout;
  };
  await npm("install", "--ignore-scripts", "--no-audit", "--no-fund");
  return npm("sbom", "--sbom-format", "cyclonedx");
}

function partsOf(tarball) {
  const [, name, version] = /^(.+?)-(\d+\.\d+\.\d+.*)\.tgz$/.exec(basename(tarball));
  return { name, version };
}

async function publish(tarball) {
  const env = { ...process.env, npm_config_userconfig: registry.npmrc };
  const { name, version } = partsOf(tarball);
  const { code, stderr } = await run("npm", ["publish", tarball, "--access", "public"], { env });
  if (code !== 0) throw new Error(`npm publish failed for ${name} ${version} (exit ${code}):\n${stderr}`);
  say(`Published ${name} ${version} into the registry on loopback.`);
}
