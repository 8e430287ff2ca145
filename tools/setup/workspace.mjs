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
import { moveIntoPlace } from "./move-into-place.mjs";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";
import { isOlder, lowestNode } from "./versions.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/**
 * Node of the right age, node_modules as the lock file says, the package built from its sources as they are now. The compiler
 * uses one core: `beside` is what another one can do meanwhile.
 */
export async function prepareWorkspace({ beside } = {}) {
  await prepareTools();
  await Promise.all([buildPackage(), beside?.()]);
  linkCommand();
}

/** As far as the tools themselves need it: without the package. */
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
    // The lock names versions, and those that npm has kept it need not ask for. Where it has kept too little, it asks for all.
    const kept = await installLocked("--prefer-offline");
    return kept.code === 0 ? kept : installLocked();
  });
  if (result.code === 0) return;
  // The reason comes first; what follows is npm's usage text.
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

/** Whether node_modules is what package-lock.json asks for, by npm's own record of what it has put there. */
function isInstalled() {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(record, "utf8")).packages;
  const packages = Object.entries(wanted).filter(
    ([path, { optional, link }]) => path.includes("node_modules/") && !optional && !link,
  );
  return (
    existsSync(join(root, "node_modules", "pulumi-page-guard")) &&
    packages.every(
      ([path, { version }]) => present[path]?.version === version && existsSync(join(root, path)),
    )
  );
}

/**
 * Compiles provider/src to provider/dist when any source is newer than the last build. Beside it and then moved, so
 * that nothing of an older build stays and no other run sees half a build.
 */
export async function buildPackage({ force = false } = {}) {
  const provider = join(root, "provider");
  const dist = join(provider, "dist");
  const entry = join(dist, "index.js");
  const sources = [join(provider, "src"), join(provider, "tsconfig.json"), join(root, "tsconfig.json")];
  const started = new Date();
  if (!force && existsSync(entry) && statSync(entry).mtimeMs >= newest(sources)) return;
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(join(cache, "page-guard-build-"));
  try {
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const result = await withProgress("Building provider/", () =>
      run(process.execPath, [tsc, "-p", join(provider, "tsconfig.json"), "--outDir", scratch], { cwd: root }),
    );
    if (result.code !== 0) throw new Error(`The build failed:\n${result.stdout}${result.stderr}`);
    // A source that was saved while the compiler ran belongs to the next build.
    utimesSync(join(scratch, "index.js"), started, started);
    chmodSync(scratch, 0o755);
    // npm does so when it installs the package; `npx page-guard` in this workspace runs the file as it was built.
    chmodSync(join(scratch, "cli", "main.js"), 0o755);
    moveIntoPlace(scratch, dist);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  say("provider/dist is up to date.");
}

/** npm links a command when it installs, and in a fresh clone that is before there is one: so `npx page-guard` finds it. */
function linkCommand() {
  const bin = join(root, "node_modules", ".bin");
  const link = join(bin, "page-guard");
  if (existsSync(link)) return;
  mkdirSync(bin, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join("..", "pulumi-page-guard", "dist", "cli", "main.js"), link);
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
