import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const isSupported = "enableCompileCache" in nodeModule;
const script = resolve(__dirname, "../../../provider/dist/plugin/compile-cache.js");

describe("The compile cache of the plugin and the command", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "page-guard-home-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** Returns the folder of the cache in a process with this environment; empty where the cache is off. */
  function cacheFolder(env: NodeJS.ProcessEnv): string {
    const program = `require(${JSON.stringify(script)}).keepCompiledCode(); process.stdout.write(require("node:module").getCompileCacheDir?.() ?? "")`;
    const { HOME: _home, NODE_COMPILE_CACHE: _cache, XDG_CACHE_HOME: _base, ...rest } = process.env;
    const { stdout, stderr } = spawnSync(process.execPath, ["-e", program], {
      env: { ...rest, ...env },
      encoding: "utf8",
    });
    assert.equal(stderr, "");
    return stdout;
  }

  it("is in a private folder below the user's home, where this Node can have one", () => {
    const folder = cacheFolder({ HOME: home });
    assert.equal(folder.startsWith(join(home, ".cache", "pulumi-page-guard")), isSupported);
  });

  it("follows XDG_CACHE_HOME, and leaves alone the cache that NODE_COMPILE_CACHE names", () => {
    const base = join(home, "caches");
    mkdirSync(base, { mode: 0o700 });
    assert.equal(cacheFolder({ HOME: home, XDG_CACHE_HOME: base }).startsWith(base), isSupported);
    assert.equal(existsSync(join(base, "pulumi-page-guard")), isSupported);
    const named = join(home, "named");
    assert.equal(cacheFolder({ HOME: home, NODE_COMPILE_CACHE: named }).startsWith(named), isSupported);
    assert.equal(existsSync(join(home, ".cache")), false);
  });

  it("is off where someone else can write to the home or to the folder, and where there is no home", () => {
    assert.equal(cacheFolder({ HOME: join("/proc", "no-home") }), "");
    const folder = join(home, ".cache", "pulumi-page-guard");
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    assert.equal(cacheFolder({ HOME: home }), "");
    chmodSync(folder, 0o700);
    chmodSync(home, 0o777);
    assert.equal(cacheFolder({ HOME: home }), "");
  });
});
