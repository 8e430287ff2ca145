import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle, copyTypes } from "./bundle.mjs";
import { installDependencies } from "./dependencies.mjs";
import { moveIntoPlace } from "./move-into-place.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { isOlder, lowestNode } from "./versions.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Checks the version of Node, installs the packages of the lock file, and builds our packages from the current sources. */
export async function prepareWorkspace() {
  await prepareTools();
  await buildPackages();
  linkCommands();
}

/** Prepares only what the tools themselves need, without building the packages. */
export async function prepareTools() {
  const { node } = process.versions;
  if (isOlder(node.replace(/-.*/, ""), lowestNode))
    throw new Error(
      `Node ${node} is too old: this project needs Node ${lowestNode} or newer. Install a current LTS release and run the command again.`,
    );
  await installDependencies(root, "the npm packages that package-lock.json names");
}

/** Folders of the packages. Each package needs only those before it. */
export const packages = ["csp", "provider", "command", "simulator"];

/** Builds each package whose sources are newer than its `dist`. */
export async function buildPackages({ force = false } = {}) {
  const began = Date.now();
  const simulator = buildPackage("simulator", force);
  const made = [];
  for (const name of ["csp", "provider", "command"]) {
    // Build it again if a package that it needs was built, because the types may have changed.
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
  const main = name === "command" ? "main.js" : "index.js";
  const started = new Date();
  const built = join(dist, main);
  if (!isForced && existsSync(built) && statSync(built).mtimeMs >= lastChange(home)) return false;
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, "page-guard-build-"));
  try {
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { code, output } = await withProgress(`Building ${name}/`, async () => {
      await bundle(name, home, scratch);
      return run(process.execPath, [tsc, "-p", join(home, "tsconfig.json")], { cwd: root });
    });
    if (code !== 0) throw new Error(`The build failed:\n${output}`);
    copyTypes(home, join(home, "types"), scratch);
    // A source that was saved while the compiler ran belongs to the next build.
    utimesSync(join(scratch, main), started, started);
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
    rmSync(link, { force: true });
    symlinkSync(join("..", name, "dist", "main.js"), link);
  }
}

/** Returns the time of the last change to the files from which a package is built. */
function lastChange(home) {
  const sources = readdirSync(join(home, "src"), { recursive: true }).map((name) => join(home, "src", name));
  const others = [join(home, "src"), join(home, "tsconfig.json"), join(root, "tsconfig.json")];
  return Math.max(...[...sources, ...others].map((path) => statSync(path).mtimeMs));
}
