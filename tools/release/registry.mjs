import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { npm } from "../setup/package.mjs";

/**
 * Manifest with the newest verdaccio that runs on Node 20, installed only when a release is rehearsed. verdaccio depends on
 * a tag of `node-fetch` that not every registry has; version 2.7.0 works with `require` in Node 20.
 */
const manifest = {
  private: true,
  dependencies: { verdaccio: "6.8.0" },
  overrides: { "node-fetch": "2.7.0" },
};

/** Starts a registry on loopback that has `ours` and forwards requests for all other packages. Returns the path of its npmrc. */
export async function startRegistry(folder, ours) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  await npm(["install", "--no-audit", "--no-fund"], { cwd: folder });
  const upstream = (await npm(["config", "get", "registry"])).trim();
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
