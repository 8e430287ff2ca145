import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text as textFrom } from "node:stream/consumers";
import type { Simulator } from "../../../../simulator/src";
import { emptyStack, engine, newPlace, type Place } from "../../../engine/real-engine/engine";
import { root, textOf } from "../../structure/source-files";

/** A command of a page and the output that the page shows, or an act, which only the source of the page names. */
type Step =
  | { readonly command: string; readonly shown: readonly string[]; readonly line: number }
  | { readonly act: string; readonly line: number };

/**
 * Returns the steps of a page in order: each `$ …` of its `console` blocks (a line that ends in `\` continues), and each
 * `<!-- act: NAME -->` between them for something that a reader does elsewhere, such as in an editor or in the dashboard.
 */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  let block: string | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    const [, act] = /^<!-- act: ([\w-]+) -->$/.exec(line) ?? [];
    if (block === undefined && act !== undefined) steps.push({ act, line: index + 1 });
    const [, fence] = /^```(\w*)$/.exec(line) ?? [];
    if (fence !== undefined) {
      block = block === undefined ? fence : undefined;
      continue;
    }
    if (block !== "console") continue;
    const last = steps.at(-1);
    if (last !== undefined && "command" in last && last.command.endsWith("\\"))
      steps.splice(-1, 1, { ...last, command: `${last.command}\n${line}` });
    else if (line.startsWith("$ ")) steps.push({ command: line.slice(2), shown: [], line: index + 1 });
    else if (line.trim() !== "" && last !== undefined && "command" in last)
      steps.splice(-1, 1, { ...last, shown: [...last.shown, line] });
  }
  return steps;
}

export interface Played {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly acts?: Readonly<Record<string, () => unknown>>;
}

/** Runs all commands of a page. Each has to print the output that the page shows, in that order. */
export async function playPage(page: string, { cwd, env, acts = {} }: Played): Promise<void> {
  const steps = stepsOf(textOf(page));
  const named = steps.flatMap((step) => ("act" in step ? [step.act] : []));
  assert.deepEqual(named.sort(), Object.keys(acts).sort(), `the acts of ${page}`);
  assert.ok(steps.length > named.length, `${page} has no console block`);
  let at = cwd;
  for (const step of steps) {
    if ("act" in step) {
      await acts[step.act]?.();
      continue;
    }
    const [, folder] = /^cd (\S+)$/.exec(step.command) ?? [];
    if (folder !== undefined) {
      at = join(at, folder);
      continue;
    }
    const { code, output } = await shell(step.command, at, env);
    const where = `${page}:${step.line}: $ ${step.command}`;
    const failure = missing(step.shown, output);
    if (failure !== undefined) assert.fail(`${where}\ndoes not print: ${failure}\nIt printed:\n${output}`);
    // A page shows a command that should fail with its error, or with `; echo "exit code $?"`.
    const isRefused = step.shown.some((line) => /^\s*error: /.test(line));
    if (!isRefused) assert.equal(code, 0, `${where}\nfailed:\n${output}`);
  }
}

/** Returns the first line that the output lacks after the lines before it; `…` stands for any text. */
export function missing(shown: readonly string[], output: string): string | undefined {
  const lines = output.split("\n").map((line) => line.trim());
  let from = 0;
  for (const line of shown) {
    if (line.trim() === "…") continue;
    const pattern = new RegExp(`^${line.trim().split("…").map(literally).join(".*")}$`);
    const found = lines.findIndex((candidate, index) => index >= from && pattern.test(candidate));
    if (found < 0) return line;
    from = found + 1;
  }
  return undefined;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

async function shell(command: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn("bash", ["-c", `exec 2>&1\n${command}`], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([textFrom(child.stdout), once(child, "close")]);
  return { code, output };
}

/** Creates a folder as after `npm install pulumi-page-guard`. Its environment leads to this simulator. */
export async function emptyFolder(sim: Simulator, name = "shop"): Promise<Place> {
  await engine();
  const made = await newPlace();
  const project = join(made.folder, name);
  mkdirSync(project);
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  return { ...made, project, env: { ...made.env, ...consoleOf(sim) } };
}

/** Copies an example, and creates and selects an empty stack. */
export async function exampleProject(sim: Simulator, example: string, stack: string): Promise<Place> {
  const place = await emptyFolder(sim, example);
  const filter = (path: string) => !path.includes("node_modules");
  cpSync(join(root, "examples", example), place.project, { recursive: true, filter });
  emptyStack(place, place.project, stack);
  return { ...place, env: { ...place.env, PULUMI_STACK: stack } };
}

/** Returns the variables that a reader exports for this simulator. */
export function consoleOf(sim: Simulator): NodeJS.ProcessEnv {
  return { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token, NO_COLOR: "1" };
}
