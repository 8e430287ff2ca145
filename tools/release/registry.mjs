import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { run } from "../setup/run.mjs";

/**
 * Manifest with the newest verdaccio that runs on Node 20, installed only when a release is rehearsed. verdaccio depends on
 * a tag of `node-fetch` that not every registry has; this version works with `require` in Node 20.
 */
const manifest = {
  private: true,
  dependencies: { verdaccio: "6.8.0" },
  overrides: { "node-fetch": "2.7.0" },
};
const ours = ["page-guard", "page-guard-csp", "page-guard-simulator", "pulumi-page-guard"];

/** Starts a registry on loopback that holds our packages and passes on requests for all others. Returns the path of its npmrc. */
export async function startRegistry(folder) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const installed = await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
  if (installed.code !== 0) throw new Error(`verdaccio can't be installed:\n${installed.stderr}`);
  const upstream = (await run("npm", ["config", "get", "registry"])).stdout.trim();
  const own = Object.fromEntries(ours.map((name) => [name, { access: "$all", publish: "$all" }]));
  const config = {
    storage: join(folder, "storage"),
    uplinks: { upstream: { url: upstream } },
    packages: { ...own, "**": { access: "$all", proxy: "upstream" } },
    log: { type: "stdout", level: "error" },
  };
  // JSON is YAML, which verdaccio reads.
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  const { runServer } = createRequire(join(folder, "package.json"))("verdaccio");
  const server = await runServer(join(folder, "config.yaml"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  const npmrc = join(folder, "npmrc");
  // npm wants a token before it publishes; the registry takes any.
  writeFileSync(npmrc, `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=rehearsal\n`);
  return npmrc;
}
