import assert from "node:assert/strict";
import { accessSync, constants, cpSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type ts from "typescript";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { compileMistakes } from "./support/compiled";
import { expectUpAndDestroy } from "./support/consumer";
import * as installation from "./support/installation";
import { npmInstall, root, temporaryFolder, versionOf, writeFiles } from "./support/installation";
import { type Form, program } from "./support/programs";
import { checkTypes, resolutions } from "./support/types";

const { newest } = installation.sdkVersions();

const packages = ["page-guard-csp", "pulumi-page-guard", "page-guard", "page-guard-simulator"];

/** The oldest compiler that docs/compatibility.md names. */
const oldestCompiler = "4.9.5";

describe("The published package in the projects of its users", () => {
  let sim: Simulator;
  let tarballs: Readonly<Record<string, string>>;
  /** A project that npm has installed, with the newest SDK that supports this Node. */
  let installed: string;

  before(async () => {
    sim = await startSimulator();
    tarballs = await installation.packAll(temporaryFolder("tarball"));
    installed = await project();
  });

  after(async () => {
    await sim?.stop();
    installation.removeAll();
  });

  it("contains the pages to which its README links, as they are in this repository", () => {
    const here = join(installed, "node_modules/pulumi-page-guard");
    for (const page of ["LICENSE", "SECURITY.md", "docs/commands/doctor.md", "examples/quickstart/index.ts"])
      assert.equal(readFileSync(join(here, page), "utf8"), readFileSync(join(root, page), "utf8"), page);
  });

  it("has a plugin that the engine can execute where npm has installed it", () =>
    expectExecutable(installed));

  it("has a plugin that the engine can execute where Yarn has installed it", async () => {
    const folder = temporaryFolder("yarn");
    const { "@pulumi/pulumi": _, ...dependencies } = needs(fromTarballs, newest);
    writeFiles(folder, { "package.json": manifest({ dependencies, resolutions: listResolutions() }) });
    const install = ["--yes", "yarn@1.22.22", "install", "--no-lockfile", "--non-interactive"];
    await installation.command("npx", install, folder);
    expectExecutable(folder);
  });

  it("runs in a CommonJS program", () => expectUpAndDestroy(sibling("CommonJS", zone(1)), sim, zone(1)));

  it("runs in an ECMAScript module", () => expectUpAndDestroy(sibling("ESM", zone(2)), sim, zone(2)));

  it("runs in a TypeScript program", () => expectUpAndDestroy(sibling("TypeScript", zone(3)), sim, zone(3)));

  it("runs as a linked package of an npm workspace", async () => {
    const workspace = temporaryFolder("workspace");
    // With the files that npm has installed, it has little left to do.
    installation.linkFiles(join(installed, "node_modules"), join(workspace, "node_modules"));
    for (const name of packages)
      await installation.unpack(tarballs[name] ?? "", join(workspace, "packages", name));
    writeFiles(workspace, {
      "package.json": manifest({ workspaces: ["packages/*", "stack"] }),
      "stack/package.json": manifest({ name: "stack", dependencies: needs(() => "*", newest) }),
    });
    writeFiles(join(workspace, "stack"), program("CommonJS", zone(4)));
    await npmInstall(workspace);
    assert.ok(lstatSync(join(workspace, "node_modules/pulumi-page-guard")).isSymbolicLink());
    await expectUpAndDestroy(join(workspace, "stack"), sim, zone(4));
  });

  it("runs where pnpm has installed it", async () => {
    const folder = temporaryFolder("pnpm");
    writeFiles(folder, {
      "package.json": manifest({ dependencies: needs(fromTarballs, newest), resolutions: listResolutions() }),
      ...program("CommonJS", zone(5)),
    });
    await installation.pnpmInstall(folder);
    expectExecutable(folder);
    await expectUpAndDestroy(folder, sim, zone(5));
  });

  for (const resolution of resolutions) {
    it(`has types for a strict project with moduleResolution ${resolution.name}`, () =>
      checkTypes(installed, resolution));
  }

  it(`has types with which the oldest compiler, ${oldestCompiler}, finds the same mistakes and no others`, () => {
    const compiler: typeof ts = require(join(installed, "node_modules/typescript-oldest"));
    assert.equal(compiler.version, oldestCompiler);
    const found = compileMistakes(compiler, installed);
    assert.deepEqual(found.fitting, []);
    const unseen = [...found.mistakes].filter(([, said]) => said.length === 0);
    assert.deepEqual(unseen, []);
    const says = (title: string) => found.mistakes.get(title)?.[0]?.says ?? "";
    assert.match(says("a policy without a description"), /^Property 'description' is missing in type /);
    assert.match(says("a policy with an unknown action"), /^Type '"block"' is not assignable/);
    assert.match(says("a misspelt directive"), /'"script-scr"' does not exist in type/);
    assert.match(says("an execute rule without actionParameters"), /^Property 'actionParameters' is missing/);
    const action = says("a rule with an unknown action");
    assert.match(action, /^Type '"exceute"' is not assignable .* '"execute"'\?/);
  });

  function expectExecutable(project: string): void {
    const plugin = join(project, "node_modules/pulumi-page-guard/plugin/pulumi-resource-page-guard");
    accessSync(plugin, constants.X_OK);
    assert.match(readFileSync(plugin, "utf8"), /^#!\/usr\/bin\/env node\n/);
    assert.match(readFileSync(`${plugin}.cmd`, "utf8"), /^@node /);
  }

  function fromTarballs(name: string): string {
    return `file:${tarballs[name]}`;
  }

  /** The packages need each other by version, and no registry has them. npm takes the installed ones; others need this. */
  function listResolutions(): Record<string, string> {
    return Object.fromEntries(packages.map((name) => [name, fromTarballs(name)]));
  }

  /** Installs an npm project without a program. */
  async function project(): Promise<string> {
    const folder = temporaryFolder("npm");
    const dependencies = {
      ...needs(fromTarballs, newest),
      typescript: versionOf("typescript"),
      "typescript-oldest": `npm:typescript@${oldestCompiler}`,
      "ts-node": versionOf("ts-node"),
      "@types/node": versionOf("@types/node"),
    };
    writeFiles(folder, { "package.json": manifest({ dependencies }) });
    await npmInstall(folder);
    return folder;
  }

  /** A project with the packages of `installed` and a program of its own. */
  function sibling(form: Form, zoneId: string): string {
    const folder = temporaryFolder("sibling");
    cpSync(join(installed, "package.json"), join(folder, "package.json"));
    if (form === "ESM") writeFiles(folder, { "package.json": manifest({ type: "module" }) });
    symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"));
    writeFiles(folder, program(form, zoneId));
    return folder;
  }
});

function manifest(fields: object): string {
  return JSON.stringify({ name: "consumer", version: "1.0.0", private: true, ...fields }, undefined, 2);
}

function needs(of: (name: string) => string, sdk: string): Record<string, string> {
  const ours = packages.map((name) => [name, of(name)] as const);
  return { ...Object.fromEntries(ours), "@pulumi/pulumi": sdk };
}

function zone(number: number): string {
  return number.toString(16).padStart(32, "0");
}
