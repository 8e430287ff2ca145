import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
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

/** A registry on loopback that holds our packages and passes on requests for all others. */
export async function startRegistry(folder) {
  mkdirSync(folder, { recursive: true });
  const upstream = (await run("npm", ["config", "get", "registry"])).stdout.trim();
  const port = await freePort();
  const config = {
    storage: join(folder, "storage"),
    uplinks: { upstream: { url: upstream } },
    packages: {
      ...Object.fromEntries(ours.map((name) => [name, { access: "$all", publish: "$all" }])),
      "**": { access: "$all", proxy: "upstream" },
    },
    log: { type: "stdout", level: "error" },
  };
  // JSON is YAML, which verdaccio reads.
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  const npmrc = join(folder, "npmrc");
  // npm wants a token before it publishes; the registry takes any.
  writeFileSync(npmrc, `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=rehearsal\n`);

  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const installed = await run("npm", ["install", "--no-audit", "--no-fund"], { cwd: folder });
  if (installed.code !== 0) throw new Error(`verdaccio can't be installed:\n${installed.stderr}`);
  const verdaccio = join(folder, "node_modules/verdaccio/bin/verdaccio");
  const child = spawn(
    process.execPath,
    [verdaccio, "--config", join(folder, "config.yaml"), "--listen", `127.0.0.1:${port}`],
    { cwd: folder, stdio: ["ignore", "pipe", "pipe"] },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += chunk;
    });
  const stop = () => child.kill();
  for (const started = Date.now(); ; ) {
    const answers = await fetch(`http://127.0.0.1:${port}/-/ping`).then(
      (response) => response.ok,
      () => false,
    );
    if (answers) return { npmrc, stop };
    if (child.exitCode !== null || Date.now() - started > 60_000) {
      stop();
      throw new Error(`The registry on loopback did not start:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
