import { spawn } from "node:child_process";

/** Runs a script in a process of its own; its only line on stdout is its result as JSON. */
export function inChild(script, args, env = {}, nodeArgs = []) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeArgs, script, ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (text) => {
      output += text;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(output));
      else reject(new Error(`${script} ended with ${code}`));
    });
  });
}
