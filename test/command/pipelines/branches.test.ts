import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const scripts = resolve(__dirname, "../../../command/ci");
const request = "page-guard/inventory";
const runs = "page-guard-runs";
const who = "git -c user.name=Ann -c user.email=ann@shop.example";

describe("The pipeline scripts, with branches that other people write", () => {
  let folder: string;
  /** A clone of a repository whose main has an inventory. */
  let desk: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-branches-"));
    desk = join(folder, "desk");
    sh("git init -q --bare --initial-branch=main remote && git clone -q remote desk 2>&1", {}, folder);
    push("main", { "inventory/shop.yaml": "- match: a\n", "infra/shop/inventory/shop.yaml": "- match: a\n" });
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("send the job's token only to the repository, and nothing without a token", async () => {
    const seen = new Map<string, string | undefined>();
    const server = createServer(({ headers }, answer) => {
      seen.set(String(headers.host).replace(/:.*/, ""), headers.authorization);
      answer.writeHead(404).end();
    });
    await once(server.listen(0), "listening");
    const { port } = server.address() as AddressInfo;
    sh(`git remote set-url origin http://ci:word@127.0.0.1:${port}/shop/infra.git`);
    const login = (user: string) => `Basic ${Buffer.from(user).toString("base64")}`;
    for (const [env, given] of [
      [{ GITHUB_TOKEN: "secret" }, login("x-access-token:secret")],
      [{ GITLAB_TOKEN: "secret" }, login("oauth2:secret")],
      [{}, undefined],
    ] as const) {
      const line = `. ${scripts}/git.sh; for url in origin http://localhost:${port}/x; do git ls-remote $url || true; done`;
      await promisify(execFile)("sh", ["-ec", line], { cwd: desk, env: environment(env) });
      assert.deepEqual([seen.get("127.0.0.1"), seen.get("localhost")], [given, undefined]);
    }
    server.close();
  });

  it("run no filter and no hook for files of these branches", () => {
    const called = join(folder, "called");
    sh(
      `git config --global filter.lfs.smudge "touch ${called}; cat" && git config --global core.hooksPath .hooks`,
    );
    const files = { ".gitattributes": "*.bin filter=lfs\n", "a.bin": "pointer\n" };
    const hook = `#!/bin/sh\ntouch ${called}\n`;
    for (const branch of [request, runs])
      push(branch, { ...files, ".hooks/post-checkout": hook, "kept/runs/2026-11.jsonl": '{"n":1}\n' });
    rmSync(called, { force: true });
    keep("2026-11", '{"n":1}\n');
    for (const script of ["inventory-request.sh", "keep.sh"]) run(script);
    assert.ok(!existsSync(called));
  });

  function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return { PATH: process.env["PATH"], HOME: folder, GIT_TERMINAL_PROMPT: "0", ...env };
  }

  function sh(line: string, env: NodeJS.ProcessEnv = {}, cwd = desk): string {
    return execFileSync("sh", ["-ec", line], {
      cwd,
      env: environment(env),
      encoding: "utf8",
      stdio: "pipe",
    });
  }

  function run(script: string): string {
    return sh(`sh ${join(scripts, script)} zones.yaml`);
  }

  /** Commits these files on a branch of the remote, below main. */
  function push(branch: string, files: Readonly<Record<string, string>>, more = () => {}): void {
    sh(`git fetch -q origin && git checkout -q -f --detach origin/main 2> /dev/null || true`);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(desk, name)), { recursive: true });
      writeFileSync(join(desk, name), text, { mode: 0o755 });
    }
    more();
    sh(`git add --all && ${who} commit -qm "By hand" && git push -q origin HEAD:refs/heads/${branch}`);
    sh("git fetch -q origin && git checkout -q -f --detach origin/main");
  }

  function keep(month: string, text: string): void {
    mkdirSync(join(desk, "kept/runs"), { recursive: true });
    writeFileSync(join(desk, `kept/runs/${month}.jsonl`), text);
  }
});
