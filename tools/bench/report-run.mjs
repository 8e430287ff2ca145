/** One `page-guard report` in a process of its own: prints what it has cost. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";

const require = createRequire(import.meta.url);
const { processSession, run } = require(join(root, "command/dist/run.js"));
const began = performance.now();
const used = process.cpuUsage();
const code = await run(process.argv.slice(2), { ...processSession(), out() {} });
const { user, system } = process.cpuUsage(used);
const rssBytes = process.resourceUsage().maxRSS * 1024;
process.stdout.write(
  `${JSON.stringify({ code, wallMs: performance.now() - began, cpuMs: (user + system) / 1000, rssBytes })}\n`,
);
