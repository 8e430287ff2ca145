/** node inventory-runner.mjs FOLDER COMMAND ZONE: runs one command of the inventory, and prints what it took. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";

const require = createRequire(import.meta.url);
// The command is no part of the package's interface.
const built = join(root, "command/dist/run.js");

const [cwd, command, zone] = process.argv.slice(2);
const session = {
  ...{ env: process.env, cwd, isWatched: false, hasColour: false, now: Date.now },
  out: () => {},
  err: (text) => process.stderr.write(text),
  readStdin: async () => "",
};
const { run } = require(built);
const code = await run(["inventory", command, "--zone", zone], session);
const { user, system } = process.cpuUsage();
const peakBytes = process.resourceUsage().maxRSS * 1024;
console.log(JSON.stringify({ code, cpuMs: (user + system) / 1000, peakBytes }));
