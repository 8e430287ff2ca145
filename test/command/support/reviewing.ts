import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Ended, pageGuard, useFolder } from "./console";
import { stackStep, summary } from "./events";

/** Runs `page-guard review` in a separate folder for each test. */
export function useReviewing() {
  const folder = useFolder();
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    pageGuard(["review", ...args], { cwd: folder, env });
  return {
    folder,
    run,
    read: (file: string): string => readFileSync(join(folder, file), "utf8"),
    /** Reviews recorded steps and messages with lines of the findings file. Returns the printed Markdown. */
    async of(lines: readonly string[], findings: readonly object[] = [], ...flags: readonly string[]) {
      writeFileSync(join(folder, "events.jsonl"), [stackStep(), ...lines, summary()].join("\n"));
      writeFileSync(join(folder, "findings.jsonl"), findings.map((one) => JSON.stringify(one)).join("\n"));
      const files = ["--events", "events.jsonl", "--findings", "findings.jsonl"];
      const { code, out, err } = await run([...files, ...(flags.length > 0 ? flags : ["--markdown", "-"])]);
      assert.equal(code, 0, err);
      return out;
    },
    /** Returns an environment whose `pulumi` on the PATH is this Node script. */
    pulumi(...script: readonly string[]): NodeJS.ProcessEnv {
      const lines = [`#!${process.execPath}`, 'const fs = require("node:fs");', ...script];
      writeFileSync(join(folder, "pulumi"), lines.join("\n"), { mode: 0o755 });
      return { PATH: `${folder}${delimiter}${process.env["PATH"]}` };
    },
  };
}
