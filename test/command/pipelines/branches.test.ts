import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const scripts = resolve(__dirname, "../../../command/ci");
const request = "page-guard/inventory";
const runs = "page-guard-runs";
const npx = `#!/bin/sh
case "$3 $4" in
"inventory check") : > inventory.md && : > urgent.md ;;
"inventory update")
  for place; do :; done
  mkdir -p "$place" && echo "- match: b" >> "$place/shop.yaml" ;;
report*)
  echo "$*" > arguments.txt
  mkdir -p nightly && echo '{"head":{"madeAt":"2026-11-30T00:00:00Z"},"data":{}}' > nightly/report.json
  printf '\\n{"n":2}\\n' >> kept/runs/2026-11.jsonl ;;
esac
`;
const git = `#!/bin/sh
case " $* " in *" $FAULT "*) echo "The command $FAULT fails." >&2 && exit "$CODE" ;; esac
PATH=\${PATH#*:} exec git "$@"
`;
// Like the date of macOS and of BSD.
const date = `#!/bin/sh
case " $* " in *" -d "*) exit 1 ;; esac
PATH=\${PATH#*:} exec date "$@"
`;
const who = "git -c user.name=Ann -c user.email=ann@shop.example";

describe("The pipeline scripts, with branches that other people write", () => {
  let folder: string;
  /** Clones of a repository whose main has an inventory: the one of the job, and the one of a person. */
  let desk: string;
  let person: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-branches-"));
    [desk, person] = [join(folder, "desk"), join(folder, "person")];
    mkdirSync(join(folder, "bin"));
    for (const [name, text] of Object.entries({ npx, git, date }))
      writeFileSync(join(folder, "bin", name), text, { mode: 0o755 });
    sh("git init -q --bare --initial-branch=main remote", {}, folder);
    sh("for to in desk person; do git clone -q remote $to 2>&1; done", {}, folder);
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
    sh(`git config --global filter.lfs.smudge "touch ${called}; cat"`);
    sh("git config --global core.hooksPath .hooks");
    const files = { ".gitattributes": "*.bin filter=lfs\n", "a.bin": "pointer\n" };
    const hook = `#!/bin/sh\ntouch ${called}\n`;
    for (const branch of [request, runs])
      push(branch, { ...files, ".hooks/post-checkout": hook, "kept/runs/2026-11.jsonl": '{"n":1}\n' });
    rmSync(called, { force: true });
    mkdirSync(join(desk, "kept/runs"), { recursive: true });
    for (const script of ["inventory-request.sh", "keep.sh"]) run(script);
    assert.ok(!existsSync(called));
  });

  it("write no patch if a step of preparing the open request fails", () => {
    push(request, { "inventory/shop.yaml": "- match: a\n- match: c\n" });
    for (const FAULT of ["worktree prune", "worktree add", "ls-tree", "checkout", "merge"])
      for (const CODE of ["1", "2"]) {
        assert.throws(() => run("inventory.sh", desk, { FAULT, CODE }), { status: 1 }, FAULT);
        assert.ok(!existsSync(join(desk, "inventory.patch")), FAULT);
        const said = readFileSync(join(desk, "inventory.md"), "utf8");
        assert.match(said, new RegExp(`could not be added to the open request[^#]*${FAULT} fails`));
      }
    run("inventory.sh");
    assert.match(readFileSync(join(desk, "inventory.patch"), "utf8"), /match: c[\s\S]*\+- match: b/);
  });

  it("given a link in place of a folder above the program, then they write nothing behind it", () => {
    const outside = join(folder, "outside");
    mkdirSync(join(outside, "shop/inventory"), { recursive: true });
    const link = () => {
      rmSync(join(person, "infra"), { recursive: true });
      symlinkSync(outside, join(person, "infra"));
    };
    push(request, {}, link);
    assert.throws(() => run("inventory.sh", join(desk, "infra/shop")), { stderr: /may contain only files/ });
    assert.deepEqual(readdirSync(join(outside, "shop/inventory")), []);
  });

  it("append the lines of the job only, and bring back nothing that a person has changed or removed since", () => {
    const paths = ["runs/2026-11.jsonl", "reports/2026-11-23/a.md"] as const;
    push(runs, { [paths[0]]: "wrong\n{}", [paths[1]]: "A" });
    run("inventory.sh");
    push(runs, { [paths[0]]: "right\n{}" }, () =>
      rmSync(join(person, "reports"), { recursive: true, force: true }),
    );
    for (const _ of ["first", "again"]) run("keep.sh");
    sh("git fetch -q origin");
    assert.equal(sh(`git show origin/${runs}:${paths[0]}`), 'right\n{}\n{"n":2}\n');
    assert.doesNotMatch(sh(`git ls-tree -r --name-only origin/${runs}`), /a\.md/);
    sh(`git push -q --force origin origin/main:${runs}`);
    assert.throws(() => run("keep.sh"), { stdout: /was rewritten/ });
  });

  for (const converts of ["true", "input"])
    it(`keep each byte, on a machine and in a clone where git converts line ends: core.autocrlf=${converts}`, () => {
      push(runs, { "runs/2026-11.jsonl": '{"n":1}\n' });
      sh(`git config --global core.autocrlf ${converts}`);
      run("inventory.sh");
      const files = { "a.csv": "a\r\nb\r\n", "a.md": "a\nb\n" };
      mkdirSync(join(desk, "kept/reports/2026-11-30"), { recursive: true });
      for (const [name, text] of Object.entries(files))
        writeFileSync(join(desk, "kept/reports/2026-11-30", name), text);
      run("keep.sh");
      sh(`git clone -q --branch ${runs} remote reader`, {}, folder);
      const read = (name: string) => readFileSync(join(folder, "reader", name), "utf8");
      assert.equal(read("runs/2026-11.jsonl"), '{"n":1}\n{"n":2}\n');
      for (const [name, text] of Object.entries(files))
        assert.equal(read(`reports/2026-11-30/${name}`), text);
    });

  it("report on the last eight days without GNU's date, and not on the time before the first run", () => {
    const days = [400, 3].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString());
    const expected = [new Date(Date.now() - 8 * 86_400_000).toISOString(), days[1] ?? ""];
    for (const [index, when] of days.entries()) {
      push(runs, { "runs/2026-11.jsonl": `{"when":"${when}"}\n` });
      run("report.sh");
      const [, from] = /--from (\S+)/.exec(readFileSync(join(desk, "arguments.txt"), "utf8")) ?? [];
      assert.equal(from, expected[index]?.slice(0, 10));
    }
  });

  it("begin no second chain if the clone lacks the branch of the runs, or if another job has created it", () => {
    run("inventory.sh");
    push(runs, { "runs/2026-11.jsonl": '{"n":1}\n' });
    assert.throws(() => run("keep.sh"), { stdout: /did not see the branch page-guard-runs/ });
    for (const [index, flags] of ["--depth=1", "--single-branch"].entries()) {
      const clone = join(folder, `clone-${index}`);
      sh(`git clone -q ${flags} "file://${folder}/remote" ${clone}`);
      for (const script of ["inventory.sh", "report.sh"])
        assert.throws(() => run(script, clone), { stderr: /page-guard-runs is not in this clone/ }, flags);
      assert.ok(!existsSync(join(clone, "kept")));
    }
  });

  function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const PATH = `${join(folder, "bin")}:${process.env["PATH"]}`;
    return { PATH, HOME: folder, FAULT: "no such command", GIT_TERMINAL_PROMPT: "0", ...env };
  }

  function sh(line: string, env: NodeJS.ProcessEnv = {}, cwd = desk): string {
    const options = { cwd, env: environment(env), encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("sh", ["-ec", line], options);
  }

  function run(script: string, cwd = desk, env: NodeJS.ProcessEnv = {}): string {
    writeFileSync(join(cwd, "zones.yaml"), "");
    return sh(`sh ${join(scripts, script)} zones.yaml`, env, cwd);
  }

  /** Commits these files and changes on a branch like a person. */
  function push(branch: string, files: Readonly<Record<string, string>>, change = () => {}): void {
    const [from, again] = [branch, "main"].map((name) => `git checkout -q -f --detach origin/${name}`);
    sh(`git fetch -q origin; ${from} 2>&1 || ${again} 2>&1 || true`, {}, person);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(person, name)), { recursive: true });
      writeFileSync(join(person, name), text, { mode: 0o755 });
    }
    change();
    const commit = `git add --all && ${who} commit -qm "By hand"`;
    sh(`${commit} && git push -q origin HEAD:refs/heads/${branch}`, {}, person);
    sh("git fetch -q origin && git checkout -q --detach origin/main");
  }
});
