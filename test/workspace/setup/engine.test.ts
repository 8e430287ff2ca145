import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { Machine, root, tool } from "./support/machine";

const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = fs;

describe("npm run engine: where the engine comes from", () => {
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

  /** What this clone has put together of the made-up machines' parts. */
  const assembled: string[] = [];

  async function engine() {
    const ended = await machine.node("tools/engine.mjs");
    const folder = ended.stdout.trim();
    if (folder.startsWith(join(root, "node_modules", ".cache"))) assembled.push(folder);
    return ended;
  }

  it("takes the pulumi on PATH that is just new enough, and prints one line, its folder, also through npm", async () => {
    const folder = machine.installBundle("pulumi", lowest);
    machine.path.push(folder);
    assert.deepEqual(await engine(), { code: 0, stdout: `${folder}\n`, stderr: "" });
    machine.path.push(join(process.execPath, "../.."), "/usr/local/bin", "/usr/bin", "/bin");
    assert.equal((await machine.run("npm", "run", "--silent", "engine")).stdout, `${folder}\n`);
  });

  it("takes a newer one, by the link that a package manager has put on PATH", async () => {
    const folder = machine.installBundle("cellar/pulumi/bin", "3.999.0");
    fs.symlinkSync(join(folder, "pulumi"), join(machine.folder, "bin", "pulumi"));
    assert.equal((await engine()).stdout, `${folder}\n`);
  });

  it("takes what an earlier run has downloaded when pulumi on PATH is too old or has no Node.js host", async () => {
    machine.path.push(machine.installBundle("pulumi", "3.100.0"));
    const folder = machine.installBundle(`cache/official/${pinned}/bin`, pinned);
    assert.deepEqual(await engine(), { code: 0, stdout: `${folder}\n`, stderr: "" });
    machine.path = [join(machine.folder, "bin"), join(machine.folder, "bare")];
    machine.install("bare/pulumi", "echo v3.999.0");
    assert.equal((await engine()).stdout, `${folder}\n`);
  });

  it("takes what an earlier run has built, and puts this clone's hosts beside it", async () => {
    machine.install(`cache/built/${pinned}/pulumi`, `echo v${pinned}`);
    const { code, stdout } = await engine();
    const folder = stdout.trim();
    assert.equal(code, 0);
    for (const name of ["pulumi", "pulumi-resource-pulumi-nodejs"])
      assert.ok(existsSync(join(folder, name)), `${name} in ${folder}`);
    const host = readFileSync(join(folder, "pulumi-language-nodejs"), "utf8");
    assert.match(host, /tools\/engine\/language-host\.cjs/);
  });

  it("fails with one error that holds the reason of all four ways", async () => {
    machine.path.push(machine.installBundle("pulumi", "3.100.0"));
    const { code, stdout, stderr } = await engine();
    assert.deepEqual([code, stdout], [1, ""]);
    for (const said of [
      /There is no Pulumi engine on this machine and none could be built:/,
      /- pulumi on PATH: version 3\.100\.0 in .* is older than/,
      /- our cache: nothing of version/,
      /- the official release: get\.pulumi\.com can't be reached \(this machine has no network\)/,
      /- a build from the Go modules .*: there is no `go` on PATH/,
      /Install the Pulumi CLI \(.* or newer\) or Go, then run the command again\./,
    ])
      assert.match(stderr, said);
  });

  it("does not wait for minutes where a firewall swallows every packet", async () => {
    machine.network = "silence";
    const { stderr } = await engine();
    assert.match(stderr, /the official release: get\.pulumi\.com can't be reached \(no end after 1\.5 s\)/);
  });

  describe("from the official release", () => {
    const { platform, arch } = process;
    const hosts = ["get.pulumi.com", "github.com"] as const;
    const archive = () => `pulumi-v${pinned}-${platform}-${arch}.tar.gz`;
    const pins = () => join(machine.folder, "pins.json");
    const pinnedNow = () => (existsSync(pins()) ? JSON.parse(readFileSync(pins(), "utf8")) : undefined);
    let sha256: string;

    beforeEach(async () => {
      machine.network = "web";
      machine.path.push("/usr/bin", "/bin");
      machine.env = { PAGE_GUARD_ENGINE_PINS: pins(), PAGE_GUARD_ENGINE_DOWNLOAD_MS: "20000" };
      machine.installBundle("release/pulumi", pinned);
      for (const host of hosts) mkdirSync(join(machine.folder, "web", host), { recursive: true });
      const file = join(machine.folder, "web", hosts[0], archive());
      const packed = await machine.run("tar", "-czf", file, "-C", join(machine.folder, "release"), "pulumi");
      assert.equal(packed.code, 0, packed.stderr);
      sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
    });

    function publish(host: string, checksum: string): void {
      const list = `${"0".repeat(64)}  another.zip\n${checksum}  ${archive()}\n`;
      writeFileSync(join(machine.folder, "web", host, `pulumi-${pinned}-checksums.txt`), list);
    }

    it("is what both published lists say, is pinned from then on, and is not downloaded twice", async () => {
      for (const host of hosts) publish(host, sha256);
      const { code, stdout, stderr } = await engine();
      assert.equal(code, 0, stderr);
      assert.equal(stdout, `${join(machine.cache, "official", pinned, "bin")}\n`);
      assert.match(stderr, /No SHA-256 of .* was pinned: .* Commit that file\./);
      assert.deepEqual(pinnedNow(), { [archive()]: sha256 });
      rmSync(join(machine.folder, "web"), { recursive: true });
      assert.deepEqual(await engine(), { code: 0, stdout, stderr: "" });
    });

    it("is what is pinned, whatever is published; anything else is thrown away, and nothing of it runs", async () => {
      for (const host of hosts) publish(host, sha256);
      writeFileSync(pins(), JSON.stringify({ [archive()]: "f".repeat(64) }));
      const { code, stderr } = await engine();
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`has the SHA-256 ${sha256} instead of f{64}: it was thrown away`));
      assert.deepEqual(readdirSync(join(machine.cache, "official")), []);
      writeFileSync(pins(), JSON.stringify({ [archive()]: sha256 }));
      for (const host of hosts) publish(host, "f".repeat(64));
      const right = await engine();
      assert.equal(right.code, 0, right.stderr);
      assert.doesNotMatch(right.stderr, /pinned/);
    });

    it("is not taken when the published lists differ, or only one can be had", async () => {
      publish(hosts[0], sha256);
      assert.match((await engine()).stderr, /github\.com has no .*checksums\.txt \(HTTP 404\)/);
      publish(hosts[1], "f".repeat(64));
      assert.match((await engine()).stderr, /no SHA-256 of .* is pinned, and the published ones differ/);
      assert.equal(pinnedNow(), undefined);
    });
  });

  it("quotes a path for the shell, whatever is in it", async () => {
    const { shellQuoted }: { shellQuoted(text: string): string } = await tool("shell");
    const hostile = `it's "$HOME" \`id\` \\`;
    const { stdout } = await machine.run("sh", "-c", `printf %s ${shellQuoted(hostile)}`);
    assert.equal(stdout, hostile);
  });

  describe("built from the Go modules", () => {
    /** A `go` that takes a second, notes that it was asked, and makes something that runs. */
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

    it("ends up in the cache, says on stderr how it goes, and is not built twice", async () => {
      const first = await engine();
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stderr, /Building the Pulumi CLI .* once a machine/);
      assert.match(log()[0] ?? "", /tools\/engine install .* tool$/);
      assert.deepEqual(readdirSync(built()), ["pulumi"], "nothing is left over");
      assert.equal((await engine()).stdout, first.stdout);
      assert.equal(log().length, 1);
    });

    it("is built while npm test runs what needs none, and both runs are counted", async () => {
      machine.install("bin/nice", 'exec "$@"');
      const files = ["test/csp/equal.test.ts", "test/engine/reads.test.ts"];
      const { stdout } = await machine.node("tools/test.mjs", ...files, "--grep", "the same requests");
      assert.match(log()[0] ?? "", /tools\/engine install .* tool$/);
      assert.match(
        stdout,
        /^tests that need no engine \(1 files\)\n.+^ +(\d+) passing.+^tests on the engine \(1 files\)\n.+ 0 passing.+\n\1 passed, 0 failed\n$/ms,
      );
    });

    it("is built once when three runs race, and all get it", async () => {
      const all = await Promise.all([engine(), engine(), engine()]);
      const ends = new Set(all.map(({ code, stdout }) => `${code} ${stdout}`));
      assert.deepEqual([...ends], [`0 ${all[0]?.stdout}`]);
      assert.equal(log().length, 1, "one build");
      const version = await machine.run(join(all[0]?.stdout.trim() ?? "", "pulumi"), "version");
      assert.equal(version.stdout, `v${pinned}\n`);
    });

    it("is taken over from a run that has died", async () => {
      const lock = join(built(), "pulumi.lock");
      mkdirSync(lock, { recursive: true });
      // Above the highest pid that Linux gives.
      writeFileSync(join(lock, "pid"), "4194305");
      const { code, stderr } = await engine();
      assert.equal(code, 0, stderr);
      assert.deepEqual(readdirSync(built()), ["pulumi"]);
    });

    it("leaves nothing behind when it fails, and says what go said", async () => {
      const failing = '[ "$1" = version ] && exit 0\necho "cannot find module providing it" >&2; exit 1';
      machine.install("bin/go", failing);
      const { code, stderr } = await engine();
      assert.equal(code, 1);
      assert.match(stderr, /go install failed: cannot find module providing it/);
      assert.deepEqual(readdirSync(built()), []);
    });
  });
});
