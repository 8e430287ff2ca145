import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";
import { say, withProgress } from "./say.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const lowestNode = [20, 12];

/** Node of the right age, node_modules as the lock file says, the package built from its sources as they are now. */
export async function prepareWorkspace() {
  requireNode();
  await installDependencies();
  await buildPackage();
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [wantMajor, wantMinor] = lowestNode;
  if (major > wantMajor || (major === wantMajor && minor >= wantMinor)) return;
  throw new Error(
    `Node ${process.versions.node} is too old: this project needs Node ${lowestNode.join(".")} or newer. Install a current LTS release and run the command again.`,
  );
}

async function installDependencies() {
  const installed = join(root, "node_modules", ".package-lock.json");
  const lock = join(root, "package-lock.json");
  const stamp = join(root, "node_modules", ".page-guard-lock");
  const wanted = createHash("sha256").update(readFileSync(lock)).digest("hex");
  if (existsSync(installed) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const result = await withProgress("Installing the npm packages that package-lock.json names", () =>
    run("npm", ["ci", "--no-audit", "--no-fund"], {
      cwd: root,
      // `npm run --silent` would silence this npm too, and with it the reason of a failure.
      env: { ...process.env, npm_config_loglevel: "error" },
    }),
  );
  if (result.code !== 0) {
    throw new Error(
      `npm ci failed (exit ${result.code}); it said:\n${result.stderr.trim().split("\n").slice(-15).join("\n")}`,
    );
  }
  writeFileSync(stamp, wanted);
}

/** Compiles provider/src to provider/dist when any source is newer than the last build. */
export async function buildPackage({ force = false } = {}) {
  const provider = join(root, "provider");
  const stamp = join(provider, "dist", ".built");
  const sources = join(provider, "src");
  if (!force && existsSync(stamp) && statSync(stamp).mtimeMs >= newest([sources, join(provider, "tsconfig.json")])) {
    return;
  }
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const result = await withProgress("Building provider/", () =>
    run(process.execPath, [tsc, "-p", join(provider, "tsconfig.json")], { cwd: root }),
  );
  if (result.code !== 0) throw new Error(`The build failed:\n${result.stdout}${result.stderr}`);
  writeFileSync(stamp, "");
  say("provider/dist is up to date.");
}

function newest(paths) {
  let latest = 0;
  for (const path of paths) {
    const entry = statSync(path);
    latest = Math.max(latest, entry.mtimeMs);
    if (entry.isDirectory()) latest = Math.max(latest, newest(readdirSync(path).map((name) => join(path, name))));
  }
  return latest;
}
