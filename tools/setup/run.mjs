import { AssertionError } from "node:assert";
import { spawn } from "node:child_process";

/**
 * Runs a command to its end. Resolves with its exit code, its output by stream, and `output`, which has both streams in
 * the order of arrival. `onOutput` receives each part of the output at once. Other options are those of `spawn`. Never
 * rejects: the caller has to interpret the exit code.
 */
export function run(command, args, { onOutput, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { killSignal: "SIGKILL", ...options });
    const texts = { stdout: "", stderr: "", output: "" };
    let isStarted = true;
    // If the command does not start, nobody reads its input.
    child.stdin?.on("error", () => undefined).end();
    for (const name of ["stdout", "stderr"])
      child[name]?.setEncoding("utf8").on("data", (text) => {
        texts[name] += text;
        texts.output += text;
        onOutput?.(text);
      });
    child.on("error", ({ name, message }) => {
      if (name === "AbortError") return;
      isStarted = false;
      texts.stderr += message;
    });
    child.on("close", (code) => resolve({ code: isStarted ? (code ?? 128) : 127, ...texts }));
  });
}

/** Runs a tool. Prints only the message of an expected error, but the stack of any other error. */
export async function runTool(work) {
  try {
    await work();
  } catch (error) {
    const isExpected = error.constructor === Error || error instanceof AssertionError;
    process.stderr.write(`${isExpected ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}
