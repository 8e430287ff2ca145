import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "./cli.mjs";
import { expect } from "./deviation.mjs";
import { cliColour, showCommand } from "./show.mjs";

/** Flags that make the output readable outside a terminal. The command line that is shown does not have them. */
const quiet = ["--non-interactive", "--suppress-progress", "--suppress-permalink=true"];

/**
 * Opens a stack of the project in `project`. Keeps its config file in `scratch`, because the CLI would put it into the
 * repository, beside the project.
 */
export async function openStack({ project, name, scratch, env }) {
  const settings = join(scratch, name);
  mkdirSync(settings);
  copyFileSync(join(project, "Pulumi.yaml"), join(settings, "Pulumi.yaml"));
  const configFile = join(settings, `Pulumi.${name}.yaml`);

  async function beside(args, isShown) {
    if (isShown) showCommand(`pulumi ${args.map(shellWord).join(" ")}`);
    const { code, output } = await runCli(["-C", settings, ...args, "--non-interactive"], {
      cwd: project,
      env,
      isShown,
    });
    expect(code === 0, `\`pulumi ${args.join(" ")}\` had to work, but ended with ${code}:\n${output}`);
  }

  await beside(["stack", "init", name], false);

  return {
    configFile,
    project,
    name,
    /** Sets a key of the stack's config, like a user does. A `path` may be `scripts[0]`. */
    set: (path, value, { isShown = true } = {}) =>
      beside(["config", "set", ...(path.includes("[") ? ["--path"] : []), path, value], isShown),
    unset: (path, { isShown = true } = {}) => beside(["config", "rm", path], isShown),
    /** Runs `preview`, `up`, `refresh` or `destroy` with the given flags. */
    run(args) {
      showCommand(`pulumi ${args.map(shellWord).join(" ")}`);
      const all = [...args, ...quiet, "--color", cliColour, "--stack", name, "--config-file", configFile];
      return runCli(all, { cwd: project, env, isShown: true });
    },
  };
}

function shellWord(word) {
  return /^[\w./:=@-]+$/.test(word) ? word : `'${word}'`;
}
