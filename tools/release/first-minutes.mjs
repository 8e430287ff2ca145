import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createBackend } from "../setup/backend.mjs";
import { findOrMakeEngine } from "../setup/engine.mjs";
import { run } from "../setup/run.mjs";
import { say } from "../setup/say.mjs";
import { root } from "../setup/workspace.mjs";

/** Follows the first steps of the README in a new project, with the packages of a registry. */
export async function playFirstMinutes({ scratch, project, npmrc }) {
  const env = {
    ...process.env,
    ...createBackend(scratch),
    PATH: [await findOrMakeEngine(), process.env.PATH].join(delimiter),
    npm_config_userconfig: npmrc,
    npm_config_cache: join(scratch, ".npm"),
  };
  const step = async (line, expected = /(?:)/) => {
    say(`$ ${line}`);
    const { code, stdout, output } = await run("sh", ["-c", line], { cwd: project, env });
    if (code !== 0 || !expected.test(stdout))
      throw new Error(`\`${line}\` did not do what the README says (exit ${code}):\n${output}`);
  };

  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, program] = /```ts\n(.*?)```/s.exec(readme);
  const [, block] = /```sh\n(npm install pulumi-page-guard .*?)\n```/s.exec(readme);
  const lines = block.split("\n").map((line) => line.replace(/ +#.*/, ""));
  const [install, simulate, begin, review, apply] = lines;
  await step(install);

  const simulator = spawn("sh", ["-c", simulate], { cwd: project, env, detached: true });
  try {
    for await (const chunk of simulator.stdout) {
      for (const [, name, value] of String(chunk).matchAll(/export (PAGE_GUARD_\w+)=['"]?([^\s'"]+)/g))
        env[name] = value;
      if (env.PAGE_GUARD_API_TOKEN && env.PAGE_GUARD_BASE_URL) break;
    }
    await step(begin, /CspPolicy checkout create[\s\S]*3 to create/);
    writeFileSync(join(project, "index.ts"), program);
    await step(review, /1 policy to create/);
    await step(apply);
    await step("pulumi preview --expect-no-changes");
    await step("npx page-guard drift --stack dev");
  } finally {
    process.kill(-simulator.pid);
  }
}
