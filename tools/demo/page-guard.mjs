import { join } from "node:path";
import { root } from "../setup/workspace.mjs";
import { runCli } from "./cli.mjs";
import { showCommand } from "./show.mjs";

const main = join(root, "command", "dist", "main.js");

/** Returns the command `page-guard` in a folder, in the form that a step can run. */
export function openPageGuard({ cwd, env }) {
  return {
    command: "page-guard",
    run(args) {
      showCommand(`npx page-guard ${args.join(" ")}`);
      return runCli([main, ...args], { cwd, env, isShown: true, file: process.execPath });
    },
  };
}
