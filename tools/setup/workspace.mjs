import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, copyTypes } from "./bundle.mjs";
import { moveIntoPlace } from "./move-into-place.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { isOlder, lowestNode } from "./versions.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/**
 * Prepares the workspace: checks the version of Node, installs the packages of the lock file, and builds our packages from
 * the current sources. The compiler uses one core; `beside` is work for another core meanwhile.
 */
export async function prepareWorkspace({ beside } = {}) {
  await prepareTools();
  await Promise.all([buildPackages(), beside?.()]);
  linkCommands();
}

/** Prepares only what the tools themselves need, without building the packages. */
export async function prepareTools() {
  requireNode();
  await installDependencies();
}

function requireNode() {
  const { node } = process.versions;
  if (!isOlder(node.replace(/-.*/, ""), lowestNode)) return;
  throw new Error(
    `Node ${node} is too old: this project needs Node ${lowestNode} or newer. Install a current LTS release and run the command again.`,
  );
}

async function installDependencies() {
  if (isInstalled()) return;
  const result = await withProgress("Installing the npm packages that package-lock.json names", async () => {
    // npm makes no requests for packages in its cache. If the cache lacks some, the second attempt requests all of them.
    const kept = await installLocked("--prefer-offline");
    return kept.code === 0 ? kept : installLocked();
  });
  if (result.code === 0) return;
  // The reason comes first, before the usage text of npm.
  const said = result.stderr.trim().split("\n").slice(0, 20).join("\n");
  throw new Error(`npm ci failed (exit ${result.code}); it said:\n${said}`);
}

function installLocked(...flags) {
  return run("npm", ["ci", "--no-audit", "--no-fund", ...flags], {
    cwd: root,
    // `npm run --silent` would silence this npm too, and with it the reason of a failure.
    env: { ...process.env, npm_config_loglevel: "error" },
  });
}

/** Whether node_modules matches package-lock.json, according to the record that npm keeps there. */
function isInstalled() {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(record, "utf8")).packages;
  const packages = Object.entries(wanted).filter(
    ([path, { optional, link }]) => path.includes("node_modules/") && !optional && !link,
  );
  return (
    ["page-guard-csp", "pulumi-page-guard", "page-guard", "page-guard-simulator"].every((name) =>
      existsSync(join(root, "node_modules", name)),
    ) &&
    packages.every(
      ([path, { version }]) => present[path]?.version === version && existsSync(join(root, path)),
    )
  );
}

/** Folders of the packages. Each package needs only those before it. */
export const packages = ["csp", "provider", "command", "simulator"];

/** Builds each package whose sources are newer than its `dist`. */
export async function buildPackages({ force = false } = {}) {
  const began = Date.now();
  const simulator = buildPackage("simulator", force);
  const made = [];
  for (const name of ["csp", "provider", "command"]) {
    // Built again if a package that it needs was built, because the types may have changed.
    made.push(await buildPackage(name, force || made.includes(true)));
  }
  made.push(await simulator);
  if (made.includes(true)) say(`Built the packages: ${Math.round((Date.now() - began) / 1000)} s`);
}

/**
 * Builds a package beside the old `dist` and then moves it, so that no older file remains and no other run sees half a
 * build. Returns whether there was anything to build.
 */
async function buildPackage(name, isForced) {
  const home = join(root, name);
  const dist = join(home, "dist");
  const entry = join(dist, "run.js");
  const main = existsSync(entry) ? entry : join(dist, "index.js");
  const sources = [join(home, "src"), join(home, "tsconfig.json"), join(root, "tsconfig.json")];
  const started = new Date();
  if (!isForced && existsSync(main) && statSync(main).mtimeMs >= newest(sources)) return false;
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, "page-guard-build-"));
  try {
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const types = join(home, "types");
    const result = await withProgress(`Building ${name}/`, async () => {
      await bundle(name, home, scratch);
      return run(process.execPath, [tsc, "-p", join(home, "tsconfig.json")], { cwd: root });
    });
    if (result.code !== 0) throw new Error(`The build failed:\n${result.stdout}${result.stderr}`);
    copyTypes(home, types, scratch);
    // A source that was saved while the compiler ran belongs to the next build.
    for (const file of ["run.js", "index.js"])
      if (existsSync(join(scratch, file))) utimesSync(join(scratch, file), started, started);
    chmodSync(scratch, 0o755);
    // Executable, as npm makes it in an installation: `npx page-guard` in this workspace runs the built file itself.
    if (existsSync(join(scratch, "main.js"))) chmodSync(join(scratch, "main.js"), 0o755);
    moveIntoPlace(scratch, dist);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return true;
}

/** Links the commands for `npx page-guard`: npm links them only if they are built before it installs. */
function linkCommands() {
  const bin = join(root, "node_modules", ".bin");
  for (const name of ["page-guard", "page-guard-simulator"]) {
    const link = join(bin, name);
    if (existsSync(link)) continue;
    mkdirSync(bin, { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(join("..", name, "dist", "main.js"), link);
  }
}

function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    const entry = statSync(path);
    latest = Math.max(latest, entry.mtimeMs);
    if (entry.isDirectory())
      latest = Math.max(latest, newest(readdirSync(path).map((name) => join(path, name))));
  }
  return latest;
}
