import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { root, textOf } from "./source-files";

/** Libraries that take time to load and that declaring a resource does not need. */
const heavy = [
  ...["undici", "zod", "csp_evaluator", "content-security-policy-parser", "commander", "yaml", "picocolors"],
  ...["tldts", "third-party-web"],
];

describe("Loading the package", () => {
  it("loads only the libraries that a program needs to declare resources, and a linter only when something is linted", () => {
    for (const [name, expected] of [
      ["pulumi-page-guard", []],
      ["pulumi-page-guard/csp", []],
      ["zod", ["zod"]],
    ] as const) {
      const loaded = packagesLoadedBy(`require("${name}")`);
      const needless = heavy.filter((library) => loaded.includes(library));
      assert.deepEqual(needless, expected);
    }
  });

  it("loads no index of the SDK, no zod and no undici before the plugin prints its port", () => {
    const said = `process.stdout.write = () => { console.error(JSON.stringify(Object.keys(require.cache))); process.exit() }`;
    const script = `${said}; require("./provider/plugin/index.js")`;
    const { stderr } = spawnSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" });
    const files: string[] = JSON.parse(stderr);
    assert.deepEqual(packagesOf(files).sort(), [
      ...["@grpc/grpc-js", "@js-sdsl/ordered-map", "@pulumi/pulumi", "google-protobuf"],
    ]);
    const ofSdk = files.filter((file) => /@pulumi[\\/]pulumi[\\/]/.test(file));
    const others = ofSdk.filter((file) => !/pulumi[\\/](proto[\\/].*|version)\.js$/.test(file));
    assert.deepEqual(others, []);
  });

  it("loads the Public Suffix List only when lint meets a wildcard", () => {
    const lint = (text: string) => `require("pulumi-page-guard/csp").lint(${JSON.stringify(text)})`;
    const isLoaded = (text: string) => filesLoadedBy(lint(text)).some((file) => /[\\/]tldts[\\/]/.test(file));
    assert.equal(isLoaded("script-src 'self' unpkg.com; style-src *.example.com"), false);
    assert.equal(isLoaded("script-src *.example.com"), true);
  });

  it("loads the companies behind hosts only when a host is named, and never for a program or the plugin", () => {
    const program = `const csp = require("pulumi-page-guard/csp"); csp.suggest([{ url: "https://a.example/a.js" }], []); `;
    assert.equal(packagesLoadedBy(program).includes("third-party-web"), false);
    assert.equal(
      packagesLoadedBy(`${program} csp.nameCompany("js.stripe.com")`).includes("third-party-web"),
      true,
    );
  });

  it("loads no client and no YAML for the help of a command", () => {
    const words = `["issue", "--help"], { out() {}, err() {} }`;
    const loaded = packagesLoadedBy(`void require("./command/dist/run").run(${words})`);
    const needless = loaded.filter((name) => ["undici", "yaml", "@pulumi/pulumi"].includes(name));
    assert.deepEqual([loaded.includes("commander"), needless], [true, []]);
  });

  it("opens one file for each entry of a package", () => {
    const program = `require("pulumi-page-guard"); require("pulumi-page-guard/runtime").CspPolicySet`;
    const files = filesLoadedBy(program).filter((file) => file.includes("/provider/dist/"));
    assert.equal(files.map((file) => basename(file)).join(), "index.js,runtime.js");
  });

  it("leaves dependencies outside the bundle: each package requires zod and undici by name, and none of their files", () => {
    for (const file of ["provider/dist/runtime.js", "command/dist/main.js"]) {
      const text = textOf(file);
      assert.match(text, /require\("zod"\)/, file);
      assert.doesNotMatch(text, /ZodError = |require\("(zod|undici)\//, file);
    }
  });

  it("keeps the names of classes, which users see", () => {
    const doors = ["provider/dist/index", "provider/dist/runtime", "csp/dist/index", "simulator/dist/index"];
    const exported = doors.flatMap((door) => Object.entries<unknown>(require(join(root, door))));
    const classes = exported.filter(([, value]) => /^class\b/.test(String(value)));
    assert.ok(classes.length > 8);
    for (const [name, value] of classes) assert.equal((value as { readonly name: string }).name, name);
  });

  it("needs only Node for the simulator and for pulumi-page-guard/policy, because a pack has the framework itself", () => {
    for (const name of ["pulumi-page-guard/policy", "page-guard-simulator"])
      assert.deepEqual(packagesLoadedBy(`require("${name}")`), [], name);
  });
});

/** Returns the names of the packages that a statement loads in a new process. */
function packagesLoadedBy(statement: string): string[] {
  return packagesOf(filesLoadedBy(statement));
}

function packagesOf(files: readonly string[]): string[] {
  const inside = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
  return [...new Set(files.flatMap((file) => inside.exec(file)?.[1] ?? []))];
}

function filesLoadedBy(statement: string): string[] {
  const script = `${statement}; process.stdout.write(JSON.stringify(Object.keys(require.cache)))`;
  return JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" }));
}

/** Declarations that a user's compiler reads. With types of other libraries, these would decide which TypeScript works. */
describe("The public types", () => {
  it("need only @pulumi/pulumi and Node, and this test would notice types of another library", () => {
    const doors = ["provider/dist/index", "provider/dist/runtime", "provider/dist/policy"];
    for (const door of [...doors, "csp/dist/index", "simulator/dist/index"]) {
      const foreign = packagesReachedFrom(`${door}.d.ts`).filter(
        (name) => name !== "@pulumi/pulumi" && name !== "page-guard-csp" && !name.startsWith("node:"),
      );
      assert.deepEqual(foreign, [], `keep the types of libraries out of what ${door} exports`);
    }
    assert.ok(packagesReachedFrom("provider/types/api/wire/page-guard-schema.d.ts").includes("zod"));
  });
});

function packagesReachedFrom(entry: string): string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    // Comments have examples that import the package itself.
    const text = textOf(file).replace(/\/\*[\s\S]*?\*\//g, "");
    for (const [, target = ""] of text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
      const base = join(dirname(file), target);
      const next = [`${base}.d.ts`, join(base, "index.d.ts")].find((path) => existsSync(join(root, path)));
      if (!target.startsWith(".")) packages.add(target);
      else visit(next ?? assert.fail(`${file} imports ${target}, which has no declarations`));
    }
  };
  visit(entry);
  return [...packages];
}
