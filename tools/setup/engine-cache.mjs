import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { moveIntoPlace } from "./move-into-place.mjs";
import { shellQuoted } from "./shell.mjs";
import { pinnedCli, pinnedPythonSdk, pinnedYamlHost } from "./versions.mjs";
import { root } from "./workspace.mjs";

const executables = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];

export function missingExecutables(folder) {
  return executables.filter((name) => !existsSync(join(folder, name)));
}

const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
const cache = process.env.PAGE_GUARD_ENGINE_CACHE || join(base, "pulumi-page-guard", "engine");

/** Folder for the official release of the pinned version. */
export const downloadFolder = join(cache, "official", pinnedCli);
/** Path of the CLI that was built here. */
export const builtCli = join(cache, "built", pinnedCli, "pulumi");
/** Path of the language host for YAML that was built here. */
export const builtYamlHost = join(cache, "built", `yaml-${pinnedYamlHost}`, "pulumi-language-yaml");
/** Returns the folder for language hosts for Python and Go that were built here from sources with this digest. */
export const builtLanguageHosts = (sources) => join(cache, "built", `languages-${pinnedCli}-${sources}`);
/** Returns the folder for the Python packages of the tests, for one version of Python. */
export const pythonPackages = (tag) => join(cache, "python", `${pinnedPythonSdk}-${tag}`);
/** Returns the path of a published schema that a test downloaded. */
export const publishedSchema = (name) => join(cache, "schemas", name);

/** Returns the folder of the engine that an earlier run downloaded or built. */
export async function engineInCache() {
  const official = join(downloadFolder, "bin");
  if (missingExecutables(official).length === 0) return official;
  if (!existsSync(builtCli)) throw new Error(`nothing of version ${pinnedCli} in ${cache}`);
  return assembleEngine();
}

/**
 * Returns the folder with the CLI and its two hosts. All clones on the machine share the CLI. The hosts belong to this
 * clone, because they load its @pulumi/pulumi. The CLI is a hard link, because it looks for its hosts beside its real file.
 */
export function assembleEngine() {
  const sdk = join(root, "node_modules", "@pulumi", "pulumi");
  const { version } = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8"));
  const providerHost = readFileSync(join(root, "tools", "engine", "dynamic-provider.sh"), "utf8");
  const parts = createHash("sha256")
    .update([builtCli, root, version, providerHost].join("\n"))
    .digest("hex")
    .slice(0, 12);
  const folder = join(root, "node_modules", ".cache", "page-guard-engine", `${pinnedCli}-${parts}`);
  if (missingExecutables(folder).length === 0) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  linkOrCopy(builtCli, join(scratch, "pulumi"));
  writeFileSync(
    join(scratch, "pulumi-language-nodejs"),
    `#!/bin/sh\nexec "\${PAGE_GUARD_NODE:-node}" ${shellQuoted(join(root, "tools", "engine", "language-host.cjs"))} "$@"\n`,
    { mode: 0o755 },
  );
  writeFileSync(join(scratch, "pulumi-resource-pulumi-nodejs"), providerHost, { mode: 0o755 });
  copyFileSync(join(sdk, "pulumi-resource-pulumi-nodejs"), join(scratch, "sdk-dynamic-provider"));
  moveIntoPlace(scratch, folder);
  return folder;
}

function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    // Linking fails between file systems.
    copyFileSync(from, to);
    chmodSync(to, 0o755);
  }
}
