import { spawn } from "node:child_process";

/**
 * Runs a command to its end. Resolves with its exit code and output. `onLine` receives each line of stderr at once. Never
 * rejects: the caller has to interpret the exit code.
 */
export function run(command, args, { cwd, env = process.env, onLine, input, timeoutMs, stdio } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: stdio ?? ["pipe", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    let pending = "";
    const timer = timeoutMs ? setTimeout(() => child.kill("SIGKILL"), timeoutMs) : undefined;
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
      if (!onLine) return;
      const lines = (pending + chunk).split("\n");
      pending = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    });
    child.on("error", (error) => {
      clearTimeout(timer);
      resolve({ code: 127, stdout, stderr: `${stderr}${error.message}` });
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code: code ?? (signal ? 128 : 1), stdout, stderr });
    });
  });
}
