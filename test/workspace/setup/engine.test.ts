import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { Machine, root, tool } from "./support/machine";

const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = fs;

describe("npm run engine", () => {
  let machine: Machine;
  let lowest: string;
  let pinned: string;

  before(async () => {
    ({ lowestCli: lowest, pinnedCli: pinned } = await tool("versions"));
  });

  beforeEach(() => {
    machine = new Machine();
  });

  afterEach(() => {
    machine.remove();
    for (const folder of assembled.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  /** Engines that this clone has assembled for the simulated machines. */
  const assembled: string[] = [];

  async function engine() {
    const ended = await machine.node("tools/engine.mjs");
    const folder = ended.stdout.trim();
    if (folder.startsWith(join(root, "node_modules", ".cache"))) assembled.push(folder);
    return ended;
  }

  it("given a pulumi on PATH that is just new enough, then it prints only the folder of that, also through npm", async () => {
    const folder = machine.installBundle("pulumi", lowest);
    machine.path.push(folder);
    assert.deepEqual(await engine(), { code: 0, stdout: `${folder}\n`, stderr: "" });
    machine.path.push(join(process.execPath, "../.."), "/usr/local/bin", "/usr/bin", "/bin");
    assert.equal((await machine.run("npm", "run", "--silent", "engine")).stdout, `${folder}\n`);
  });

  it("given a link to a newer pulumi on PATH, as package managers create, then it finds the real folder", async () => {
    const folder = machine.installBundle("cellar/pulumi/bin", "3.999.0");
    fs.symlinkSync(join(folder, "pulumi"), join(machine.folder, "bin", "pulumi"));
    assert.equal((await engine()).stdout, `${folder}\n`);
  });

  it("given a pulumi on PATH that is too old or has no Node.js host, then it uses the download of an earlier run", async () => {
    machine.path.push(machine.installBundle("pulumi", "3.100.0"));
    const folder = machine.installBundle(`cache/official/${pinned}/bin`, pinned);
    assert.deepEqual(await engine(), { code: 0, stdout: `${folder}\n`, stderr: "" });
    machine.path = [join(machine.folder, "bin"), join(machine.folder, "bare")];
    machine.install("bare/pulumi", "echo v3.999.0");
    assert.equal((await engine()).stdout, `${folder}\n`);
  });

  it("given a build of an earlier run, then it uses the build with the hosts of this clone", async () => {
    machine.install(`cache/built/${pinned}/pulumi`, `echo v${pinned}`);
    const { code, stdout } = await engine();
    const folder = stdout.trim();
    assert.equal(code, 0);
    for (const name of ["pulumi", "pulumi-resource-pulumi-nodejs"])
      assert.ok(existsSync(join(folder, name)), `${name} in ${folder}`);
    const host = readFileSync(join(folder, "pulumi-language-nodejs"), "utf8");
    assert.match(host, /tools\/engine\/language-host\.cjs/);
  });

  it("given no way to get an engine, then one error has the reasons of all four ways", async () => {
    machine.path.push(machine.installBundle("pulumi", "3.100.0"));
    const { code, stdout, stderr } = await engine();
    assert.deepEqual([code, stdout], [1, ""]);
    for (const said of [
      /There is no Pulumi engine on this machine and none could be built:/,
      /- pulumi on PATH: version 3\.100\.0 in .* is older than/,
      /- our cache: nothing of version/,
      /- the official release: Failed to download .*install\.sh: fetch failed/,
      /- a build from the Go modules .*: there is no `go` on PATH/,
      /Install the Pulumi CLI \(.* or newer\) or Go, then run the command again\./,
    ])
      assert.match(stderr, said);
  });

  it("given a firewall that drops every packet, then it does not wait for minutes", async () => {
    machine.network = "silence";
    machine.env = { PAGE_GUARD_ENGINE_DOWNLOAD_MS: "1500" };
    const { stderr } = await engine();
    assert.match(stderr, /the official release: no response in time/);
  });

  it("given access to the official release, then the SDK's installer downloads it once", async () => {
    machine.network = "web";
    machine.path.push("/usr/bin", "/bin");
    const release = machine.installBundle("release/bin", pinned);
    const web = join(machine.folder, "web", "get.pulumi.com");
    mkdirSync(web, { recursive: true });
    // The installer calls it with: --no-edit-path --install-root FOLDER --version VERSION.
    writeFileSync(join(web, "install.sh"), `mkdir -p "$3" && cp -r ${release} "$3/bin"\n`);
    const { code, stdout, stderr } = await engine();
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `${join(machine.cache, "official", pinned, "bin")}\n`);
    rmSync(join(machine.folder, "web"), { recursive: true });
    assert.deepEqual(await engine(), { code: 0, stdout, stderr: "" });
  });

  it("quotes any path for the shell", async () => {
    const { shellQuoted }: { shellQuoted(text: string): string } = await tool("shell");
    const hostile = `it's "$HOME" \`id\` \\`;
    const { stdout } = await machine.run("sh", "-c", `printf %s ${shellQuoted(hostile)}`);
    assert.equal(stdout, hostile);
  });

  describe("a build from the Go modules", () => {
    /** A `go` that takes a second, logs each call, and writes an executable. */
    const go = `
      [ "$1" = version ] && echo "go version go1.99" && exit 0
      echo "$PWD $*" >> "$STORY_GO_LOG"
      sleep 1
      printf '#!/bin/sh\\necho v%s\\n' "$STORY_VERSION" > "$GOBIN/pulumi.part"
      node -e 'const fs = require("fs"); fs.chmodSync(process.argv[1], 0o755); fs.renameSync(process.argv[1], process.argv[2])' "$GOBIN/pulumi.part" "$GOBIN/pulumi"`;
    const built = () => join(machine.cache, "built", pinned);
    const log = () => readFileSync(join(machine.folder, "go.log"), "utf8").trim().split("\n");

    beforeEach(() => {
      machine.install("bin/go", go);
      machine.env = { STORY_GO_LOG: join(machine.folder, "go.log"), STORY_VERSION: pinned };
    });

    it("is put into the cache, reports its progress on stderr, and is not repeated", async () => {
      const first = await engine();
      assert.equal(first.code, 0, first.stderr);
      assert.match(
        first.stderr,
        /The official Pulumi CLI could not be installed: .*\nBuilding the Pulumi CLI .* once per machine/,
      );
      assert.match(log()[0] ?? "", /tools\/engine install .* tool$/);
      assert.deepEqual(readdirSync(built()), ["pulumi"], "nothing is left over");
      assert.equal((await engine()).stdout, first.stdout);
      assert.equal(log().length, 1);
    });

    it("happens once if three runs race, and all of them use it", async () => {
      const all = await Promise.all([engine(), engine(), engine()]);
      const ends = new Set(all.map(({ code, stdout }) => `${code} ${stdout}`));
      assert.deepEqual([...ends], [`0 ${all[0]?.stdout}`]);
      assert.equal(log().length, 1, "one build");
      const version = await machine.run(join(all[0]?.stdout.trim() ?? "", "pulumi"), "version");
      assert.equal(version.stdout, `v${pinned}\n`);
    });

    it("given the lock of a run that has died, then another run builds", async () => {
      const lock = join(built(), "pulumi.lock");
      mkdirSync(lock, { recursive: true });
      // A live run touches its lock every few seconds.
      fs.utimesSync(lock, new Date(0), new Date(0));
      const { code, stderr } = await engine();
      assert.equal(code, 0, stderr);
      assert.deepEqual(readdirSync(built()), ["pulumi"]);
    });

    it("given that go fails, then nothing is left behind, and the error has the message of go", async () => {
      const failing = '[ "$1" = version ] && exit 0\necho "cannot find module providing it" >&2; exit 1';
      machine.install("bin/go", failing);
      const { code, stderr } = await engine();
      assert.equal(code, 1);
      assert.match(stderr, /go install failed: cannot find module providing it/);
      assert.deepEqual(readdirSync(built()), []);
    });
  });
});
