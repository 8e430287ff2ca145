import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

const limitMs = 120_000;

/** Running commands. An interrupted demo ends them before it removes their backend. */
const running = new Set();

/**
 * Runs the CLI to its end. `isShown`: show the output as it comes. Resolves with the exit code and the plain text of both
 * streams. A command that takes longer than two minutes is ended, with the code `undefined`.
 */
export function runCli(args, { cwd, env, isShown, file = "pulumi" }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    running.add(child);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGTERM");
    }, limitMs);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        output += text;
        if (isShown) process.stdout.write(text);
      });
    }
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code: isLate ? undefined : (code ?? 128), output: stripVTControlCharacters(output) });
    });
  });
}

/** Ends the running commands. The terminal has sent the first interrupt; the CLI takes a second one as "at once". */
export async function endRunningCommands() {
  const ended = [...running].map((child) => new Promise((resolve) => child.once("close", resolve)));
  for (const child of running) child.kill("SIGINT");
  await Promise.all(ended);
}
