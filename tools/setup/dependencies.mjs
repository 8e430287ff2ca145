import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";
import { withProgress } from "./say.mjs";

/** Installs the packages of the lock file in `folder`, unless they are installed. `what` is their name in messages. */
export async function installDependencies(folder, what, flags = []) {
  if (isInstalled(folder)) return;
  const install = (...more) =>
    run("npm", ["ci", "--no-audit", "--no-fund", ...flags, ...more], {
      cwd: folder,
      // `npm run --silent` would silence this npm too, and with it the reason for a failure.
      env: { ...process.env, npm_config_loglevel: "error" },
    });
  const { code, stderr } = await withProgress(`Installing ${what}`, async () => {
    // The first attempt makes no requests for packages in npm's cache. If it fails, the second attempt requests all packages.
    const first = await install("--prefer-offline");
    return first.code === 0 ? first : install();
  });
  if (code === 0) return;
  // The reason comes first, before the usage text of npm.
  const said = stderr.trim().split("\n").slice(0, 20).join("\n");
  throw new Error(`npm ci failed (exit ${code}); it said:\n${said}`);
}

/** Whether node_modules matches package-lock.json, according to the record that npm keeps in node_modules. */
function isInstalled(folder) {
  const record = join(folder, "node_modules/.package-lock.json");
  if (!existsSync(record)) return false;
  const packagesIn = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
  const present = packagesIn(record);
  return Object.entries(packagesIn(join(folder, "package-lock.json")))
    .filter(([path, { optional }]) => path.includes("node_modules/") && !optional)
    .every(([path, { version }]) => present[path]?.version === version && existsSync(join(folder, path)));
}
