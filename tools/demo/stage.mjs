import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { createBackend } from "../setup/backend.mjs";
import { run } from "../setup/run.mjs";
import { shellQuoted } from "../setup/shell.mjs";
import { root } from "../setup/workspace.mjs";
import { isColored, showCommand, showTitle } from "./show.mjs";

const minutes = 2;
/** Commands to run, by the name that is shown. */
const commands = {
  pulumi: ["pulumi"],
  "npx page-guard": [process.execPath, join(root, "command/dist/main.js")],
};
/** Flags that make the output readable outside a terminal. The command line that is shown does not have them. */
const quiet = ["--non-interactive", "--suppress-progress", "--suppress-permalink=true"];
const color = isColored ? "always" : "never";

/**
 * Prepares what all acts share: the simulator of both APIs, a Pulumi backend in a temporary folder, and a function that
 * plays a step and checks the requests that it sends.
 */
export async function openStage(engine) {
  const { startSimulator } = await import("page-guard-simulator");
  const sim = await startSimulator();
  const scratch = mkdtempSync(join(tmpdir(), "page-guard-demo-"));
  const connection = {
    PAGE_GUARD_BASE_URL: sim.url,
    PAGE_GUARD_API_TOKEN: sim.token,
    ...createBackend(scratch),
  };
  const env = { ...process.env, ...connection, PATH: `${engine}${delimiter}${process.env.PATH}` };
  const stacks = [];
  const end = new AbortController();
  let running;

  /** Runs a command with the additional arguments `hidden`, which are not shown. Closing the stage ends the command. */
  async function runHere(name, args, { cwd, hidden = [], isShown = true }) {
    if (isShown) showCommand([name, ...args.map(shellWord)].join(" "));
    const [file, ...first] = commands[name];
    const onOutput = isShown ? (text) => process.stdout.write(text) : undefined;
    const late = AbortSignal.timeout(minutes * 60_000);
    const limits = { signal: AbortSignal.any([end.signal, late]), killSignal: "SIGINT" };
    running = run(file, [...first, ...args, ...hidden], { cwd, env, onOutput, ...limits });
    const { code, output } = await running;
    assert.ok(!late.aborted, `\`${name} ${args[0]}\` did not end within ${minutes} minutes.`);
    return { code, output: stripVTControlCharacters(output) };
  }

  /**
   * Shows a sentence, runs the command that it announces, and checks the result.
   *
   * - `before`: what happens first, for example config edits
   * - `run`: arguments of the command
   * - `exit`: exit code, 0 by default
   * - `shows`: strings or regular expressions that the output must match; `hides`: those that it must not match
   * - `sends`: changing requests by method; none by default, because a preview leaves every zone as it is
   * - `after`: further checks, for example of all requests of the step
   */
  async function step(sentence, expected, command) {
    const { before, run: args, exit = 0, shows = [], hides = [], sends = {}, after } = expected;
    stage.steps += 1;
    showTitle(`${stage.steps}. ${sentence}`);
    const from = sim.journal.length;
    try {
      await before?.();
      if (args) {
        const { code, output } = await command(args);
        assert.ok(
          exit === "failure" ? code !== 0 : code === exit,
          `\`${args[0]}\` should end with ${exit}, but ended with ${code}.`,
        );
        for (const part of shows) assert.ok(holds(output, part), `The output should show ${part}.`);
        for (const part of hides) assert.ok(!holds(output, part), `The output must not show ${part}.`);
        assert.ok(!output.includes(sim.token), "The output must not show the API token.");
      }
      const requests = sim.journal.slice(from);
      const sent = byMethod(requests.filter(({ method }) => method !== "GET"));
      assert.deepEqual(
        sent,
        sends,
        `Expected these changing requests: ${countsText(sends)}. The step sent: ${countsText(sent)}.`,
      );
      await after?.(requests);
    } catch (error) {
      error.message = `Step ${stage.steps} (${sentence}) failed. ${error.message}`;
      throw error;
    }
  }

  const stage = {
    sim,
    connection,
    stacks,
    scratch,
    steps: 0,
    step,

    /** Returns functions that run the command `page-guard` in a folder. */
    pageGuard(cwd) {
      const runIt = (args) => runHere("npx page-guard", args, { cwd });
      return { run: runIt, step: (sentence, expected) => step(sentence, expected, runIt) };
    },

    /**
     * Opens a stack of the project in a folder, with settings by path, such as `scripts[0]`. Keeps its config file in
     * `scratch`, because the CLI would put it into the repository, beside the project.
     */
    async openStack(project, name, settings = {}) {
      const folder = join(scratch, name);
      mkdirSync(folder);
      copyFileSync(join(project, "Pulumi.yaml"), join(folder, "Pulumi.yaml"));
      const configFile = join(folder, `Pulumi.${name}.yaml`);

      async function configure(args, isShown) {
        const hidden = ["-C", folder, "--non-interactive"];
        const { code, output } = await runHere("pulumi", args, { cwd: project, hidden, isShown });
        assert.ok(code === 0, `\`pulumi ${args.join(" ")}\` failed with exit code ${code}:\n${output}`);
      }

      const setting = (path, value) => ["config", "set", "--path", path, value];
      await configure(["stack", "init", name], false);
      for (const [path, value] of Object.entries(settings)) await configure(setting(path, value), false);
      const hidden = [...quiet, "--color", color, "--stack", name, "--config-file", configFile];
      /** Runs `preview`, `up`, `refresh` or `destroy` with the given flags. */
      const runIt = (args) => runHere("pulumi", args, { cwd: project, hidden });
      const stack = {
        project,
        name,
        configFile,
        run: runIt,
        step: (sentence, expected) => step(sentence, expected, runIt),
        /** Checks that a preview finds nothing to do and sends no request. */
        emptyPreview(sentence, shown) {
          const after = (requests) => assert.equal(requests.length, 0, "The preview should make no request.");
          return step(sentence, { run: ["preview", "--expect-no-changes"], shows: [shown], after }, runIt);
        },
        /** Sets a key of the stack's config as a user would. */
        set: (path, value) => configure(setting(path, value)),
        unset: (path) => configure(["config", "rm", path]),
      };
      stacks.push(stack);
      return stack;
    },

    async close() {
      // The terminal has sent the first interrupt to a running command; the CLI takes a second one to mean "stop at once".
      end.abort();
      await running;
      await sim.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
  return stage;
}

/** Returns the number of requests by method. */
export function byMethod(entries) {
  const counts = {};
  for (const { method } of entries) counts[method] = (counts[method] ?? 0) + 1;
  return counts;
}

/** Returns counts as text: `2 PUT, 1 POST`, or `none`. */
export function countsText(counts) {
  const parts = Object.entries(counts).map(([method, count]) => `${count} ${method}`);
  return parts.join(", ") || "none";
}

function holds(output, part) {
  return typeof part === "string" ? output.includes(part) : part.test(output);
}

function shellWord(word) {
  return /^[\w./:=@-]+$/.test(word) ? word : shellQuoted(word);
}
