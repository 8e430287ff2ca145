import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { basename } from "node:path";
import { root } from "./source-files";

/** What costs time to load, and is not needed to declare a resource. */
const heavy = [
  "undici",
  "zod",
  "csp_evaluator",
  "content-security-policy-parser",
  "commander",
  "yaml",
  "picocolors",
  "tldts",
];

describe("Loading the package", () => {
  it("loads no library that a program does not need to declare its resources", () => {
    assert.deepEqual(loadedBy("pulumi-page-guard"), []);
  });

  it("loads for the plugin, before it says its port, what it needs for that: no index of the SDK, no zod, no undici", () => {
    const said = `process.stdout.write = () => { console.error(JSON.stringify(Object.keys(require.cache))); process.exit() }`;
    const { stderr } = spawnSync(process.execPath, ["-e", `${said}; require("./provider/plugin/index.js")`], {
      cwd: root,
      encoding: "utf8",
    });
    const files: string[] = JSON.parse(stderr);
    const packages = files.flatMap(
      (file) => /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? [],
    );
    assert.deepEqual([...new Set(packages)].sort(), [
      "@grpc/grpc-js",
      "@js-sdsl/ordered-map",
      "@pulumi/pulumi",
      "google-protobuf",
    ]);
    const ofSdk = files.filter((file) => /@pulumi[\\/]pulumi[\\/]/.test(file));
    assert.deepEqual(
      ofSdk.filter((file) => !/pulumi[\\/](proto[\\/].*|version)\.js$/.test(file)),
      [],
    );
  });

  it("notices one that is loaded", () => {
    assert.deepEqual(loadedBy("zod"), ["zod"]);
  });

  it("loads no linter with pulumi-page-guard/csp, as long as nothing is linted", () => {
    assert.deepEqual(loadedBy("pulumi-page-guard/csp"), []);
  });

  it("loads the Public Suffix List with the first wildcard that is linted, and not before", () => {
    const lint = (text: string) => `require("pulumi-page-guard/csp").lint(${JSON.stringify(text)})`;
    const isLoaded = (text: string) => filesLoadedBy(lint(text)).some((file) => /[\\/]tldts[\\/]/.test(file));
    assert.equal(isLoaded("script-src 'self' unpkg.com; img-src *.example.com"), false);
    assert.equal(isLoaded("script-src *.example.com"), true);
  });

  it("loads for the help of a command no client and no YAML", () => {
    const words = `["issue", "--help"], { out() {}, err() {} }`;
    const loaded = packagesLoadedBy(`void require("./command/dist/run").run(${words})`);
    assert.ok(loaded.includes("commander"));
    assert.deepEqual(
      loaded.filter((name) => ["undici", "yaml", "@pulumi/pulumi"].includes(name)),
      [],
    );
  });

  it("opens few files: each package is one, and its entries", () => {
    const files = filesLoadedBy(
      `require("pulumi-page-guard"); require("pulumi-page-guard/runtime").CspPolicySet`,
    );
    assert.deepEqual(
      files.filter((file) => file.includes("/provider/dist/")).map((file) => basename(file)),
      ["index.js", "all.js", "runtime.js"],
    );
  });

  it("needs nothing but Node for pulumi-page-guard/policy: a pack brings the framework itself", () => {
    assert.deepEqual(foreignLoadedBy("pulumi-page-guard/policy"), []);
  });

  it("needs nothing but Node for page-guard-simulator", () => {
    assert.deepEqual(foreignLoadedBy("page-guard-simulator"), []);
  });
});

function loadedBy(name: string): string[] {
  const loaded = foreignLoadedBy(name);
  return heavy.filter((library) => loaded.includes(library));
}

/** Names of the packages that `require(name)` leaves in the cache of a fresh process. */
function foreignLoadedBy(name: string): string[] {
  return packagesLoadedBy(`require(${JSON.stringify(name)})`);
}

function packagesLoadedBy(statement: string): string[] {
  const packages = filesLoadedBy(statement).flatMap((file) => {
    const [, inside] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file) ?? [];
    return inside === undefined ? [] : [inside];
  });
  return [...new Set(packages)];
}

function filesLoadedBy(statement: string): string[] {
  const script = `${statement}; process.stdout.write(JSON.stringify(Object.keys(require.cache)))`;
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
}
