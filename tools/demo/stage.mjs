import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../setup/workspace.mjs";
import { endRunningCommands } from "./cli.mjs";
import { expect } from "./deviation.mjs";
import { openPageGuard } from "./page-guard.mjs";
import { showStep } from "./show.mjs";
import { openStack } from "./stack.mjs";

/**
 * Opens the stage for all acts: the simulator of both APIs, a Pulumi backend in a temporary folder, and a count of the
 * requests that a step may send.
 */
export async function openStage(engine) {
  const { startSimulator } = await import(pathToFileURL(join(root, "simulator/dist/index.js")).href);
  const sim = await startSimulator();
  const scratch = mkdtempSync(join(tmpdir(), "page-guard-demo-"));
  const backend = join(scratch, "backend");
  mkdirSync(backend);
  const connection = {
    PAGE_GUARD_BASE_URL: sim.url,
    PAGE_GUARD_API_TOKEN: sim.token,
    PULUMI_HOME: join(scratch, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(backend).href,
    PULUMI_CONFIG_PASSPHRASE: "demo",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
  const env = { ...process.env, ...connection, PATH: `${engine}${delimiter}${process.env.PATH ?? ""}` };
  const stacks = [];
  let steps = 0;

  return {
    sim,
    connection,
    stacks,
    scratch,
    /** Returns the value for `on` in a step that runs `page-guard` in a folder. */
    pageGuard: (cwd) => openPageGuard({ cwd, env }),
    get steps() {
      return steps;
    },

    async openStack(project, name) {
      const stack = await openStack({ project, name, scratch, env });
      stacks.push(stack);
      return stack;
    },

    /**
     * Shows a sentence, runs what it announces, and checks the result.
     *
     * - `before`: what happens first, for example config edits
     * - `on`, `run`: the stack, and the command with its flags
     * - `exit`: exit code, 0 by default
     * - `shows`: texts or expressions that the output must contain; `hides`: those that it must not contain
     * - `sends`: changing requests by method, none by default
     * - `after`: further expectations; receives the output
     */
    async step(sentence, { before, on, run, exit = 0, shows = [], hides = [], sends = {}, after }) {
      steps += 1;
      showStep(steps, sentence);
      const from = sim.journal.length;
      try {
        await before?.();
        if (run) {
          const { code, output } = await on.run(run);
          const command = `${on.command ?? "pulumi"} ${run[0]}`;
          expect(code !== undefined, `\`${command}\` had to end within two minutes.`);
          const codeWanted = exit === "failure" ? code !== 0 : code === exit;
          const wanted = exit === "failure" ? "fail" : `end with exit code ${exit}`;
          expect(codeWanted, `\`${command}\` had to ${wanted}, but ended with ${code}.`);
          for (const part of shows) expect(holds(output, part), `The output had to show ${part}.`);
          for (const part of hides) expect(!holds(output, part), `The output must not show ${part}.`);
          expect(!output.includes(sim.token), "The output must not show the API token.");
        }
        const sent = byMethod(sim.journal.slice(from).filter(({ method }) => method !== "GET"));
        expect(
          sameCounts(sent, sends),
          `The step had to send ${countsText(sends)} as changing requests, but sent ${countsText(sent)}.`,
        );
        await after?.();
      } catch (error) {
        error.message = `Step ${steps} (${sentence}) did not come out as it had to. ${error.message}`;
        throw error;
      }
    },

    async close() {
      await endRunningCommands();
      await sim.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
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
  return parts.length === 0 ? "none" : parts.join(", ");
}

function sameCounts(left, right) {
  const methods = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...methods].every((method) => (left[method] ?? 0) === (right[method] ?? 0));
}

function holds(output, part) {
  return typeof part === "string" ? output.includes(part) : part.test(output);
}
