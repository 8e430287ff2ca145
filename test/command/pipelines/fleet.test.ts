import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { pageGuard } from "../support/console";
import { faultsOf } from "./github-faults";

const folder = resolve(__dirname, "../../../examples/fleet/pipelines");
const github = readdirSync(join(folder, "github")).map((name) => `github/${name}`);
const files = [...github, "fleet.gitlab-ci.yml"];
const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");

describe("examples/fleet/pipelines", () => {
  it("has workflows without faults, according to GitHub's parser", async () => {
    for (const file of github) assert.deepEqual(await faultsOf(file, textOf(file)), [], file);
  });

  it("has at most 200 lines to copy", () => {
    const lines = files.flatMap((file) => textOf(file).trimEnd().split("\n"));
    assert.ok(lines.length <= 200, `${lines.length}`);
  });

  it("installs packages without their scripts, which could use the job's login", () => {
    const installs = files.flatMap((file) => textOf(file).match(/npm (?:ci|i|install)\b.*/g) ?? []);
    assert.equal(installs.length, 3);
    for (const line of installs) assert.match(line, /^npm ci --ignore-scripts\b/);
  });

  it("calls only commands and flags that exist", async () => {
    const commands = files.flatMap((file) =>
      [...textOf(file).matchAll(/(?:npx --no-install |exec node_modules\/.bin\/)page-guard (.*)$/gm)].map(
        ([, line = ""]) => line.replace(/\$\{REFRESH:\+(.*?)\}/, "$1"),
      ),
    );
    assert.equal(commands.length, 15);
    for (const line of commands) {
      const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
      const { code, out } = await pageGuard([...args, "--help"]);
      assert.equal(code, 0, line);
      // The folder also contains a page for each stack: `approved/NAME.html`.
      assert.doesNotMatch(line, / --html approved\/[^/]+$/);
      for (const flag of args.filter((arg) => arg.startsWith("--")))
        assert.ok(out.includes(`${flag} `), `${flag} of ${line}`);
    }
  });

  it("gives the write token only to the job that someone approves, and each job only the permissions that it needs", () => {
    const rights = github.flatMap((file) => {
      const workflow: {
        permissions: object;
        jobs: Record<string, { permissions: object; environment?: string; steps: object[] }>;
      } = parse(textOf(file), { merge: true });
      assert.deepEqual(workflow.permissions, {}, file);
      return Object.entries(workflow.jobs).map(([name, { permissions, environment, steps }]) => {
        assert.equal(/WRITE_TOKEN/.test(JSON.stringify(steps)), environment === "production", name);
        const writes = Object.entries(permissions).flatMap(([what, right]) =>
          right === "write" ? [what] : [],
        );
        return [name, writes];
      });
    });
    assert.deepEqual(rights, [
      ["plan", ["id-token"]],
      ["apply", ["id-token"]],
      ["drift", ["id-token", "issues"]],
      ["preview", ["id-token"]],
      ["comment", ["pull-requests"]],
    ]);
  });
});
