import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { pageGuard, printed } from "../../command/support/console";
import { addUnknownFields, randomZone } from "../../command/support/random-zone";
import { engine } from "../real-engine/engine";
import type { Stack } from "../real-engine/stack";
import { type Story, zoneA, zoneB } from "../real-engine/story";
import { managed } from "../real-engine/three-resources";

const root = resolve(__dirname, "../../..");

export type Language = "python" | "go";

/** A project that `pulumi new` has created from a template. */
export interface Example {
  readonly language: Language;
  readonly project: string;
  /** The variables with which programs in its language run. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Returns the variables with which programs in a language run. If the machine cannot run them, the suite is skipped and says
 * why; if REQUIRE_LANGUAGES names the language, it fails.
 */
export function toolsFor(language: Language, suite: Mocha.Context): Promise<NodeJS.ProcessEnv> {
  return toolsOf(language).catch((error: Error) => {
    if (process.env["REQUIRE_LANGUAGES"]?.split(" ").includes(language)) throw error;
    console.warn(`\n  !! SKIPPED: no program in ${language} was run: ${error.message}\n`);
    return suite.skip();
  });
}

async function toolsOf(language: Language): Promise<NodeJS.ProcessEnv> {
  const setup = (name: string) => import(pathToFileURL(join(root, "tools/setup", `${name}.mjs`)).href);
  const hosts: string = await (await setup("language-hosts")).findOrMakeLanguageHosts(await engine());
  const { PATH } = process.env;
  const env = { PATH: [hosts, await engine(), PATH].join(delimiter) };
  if (language === "go") {
    // With an official release of the engine, nothing before this has needed Go.
    await promisify(execFile)("go", ["version"]);
    const { sharedFlags, uncollected } = await setup("go-tool");
    // The flags with which the engine was built, see below.
    const flags = hosts === (await engine()) ? {} : { GOFLAGS: sharedFlags };
    return { ...env, ...uncollected, ...flags };
  }
  const packages: string = await (await setup("python")).findOrMakePythonPackages();
  // A URL, because the list is separated by blanks, and a path may contain blanks.
  return { ...env, PIP_NO_INDEX: "1", PIP_FIND_LINKS: pathToFileURL(packages).href };
}

/**
 * Requires the modules of the engine that was built on this machine, which contains the Go SDK. Go then takes nearly all packages
 * of the example from its cache, which saves two minutes of processor time on a fresh machine.
 */
export function requireModulesOfEngine(project: string): void {
  const ofEngine = readFileSync(join(root, "tools/engine/go.mod"), "utf8");
  const required = ofEngine.match(/^require \([^)]*\)$/gm) ?? [];
  appendFileSync(join(project, "go.mod"), `\n${required.join("\n")}\n`);
}

/** Lets the stack run programs in the example's language, with the packages that were installed for it. */
export function useInstalled({ language, project, env }: Example, stack: Stack): void {
  Object.assign(stack.env, env);
  const manifest = readFileSync(join(root, "templates", language, "Pulumi.yaml"), "utf8")
    .replace(/^name: .*/, "name: story")
    .replace(/^config:\n.*/ms, "");
  writeFileSync(join(stack.place.project, "Pulumi.yaml"), manifest);
  for (const name of ["venv", "sdks", "go.mod", "go.sum"]) {
    const installed = join(project, name);
    if (existsSync(installed)) symlinkSync(installed, join(stack.place.project, name));
  }
}

/**
 * Exports two random zones as the stack's program, in the language of the example. Expects that it changes nothing when it is
 * applied, and that the next preview is empty.
 */
export async function adoptExported({ sim, stack }: Story, language: Language): Promise<void> {
  const { project } = stack.place;
  for (const [index, zone] of [zoneA, zoneB].entries()) {
    sim.zones.seed(zone, randomZone(107 + index, 8));
    addUnknownFields(sim, zone);
  }
  await printed(
    pageGuard(["export", "--zone", zoneA, "--zone", zoneB, "--language", language, "--out", "exported"], {
      cwd: project,
      env: { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token },
    }),
    0,
  );
  // The project file and the dependencies stay those of the example, which has the packages of this machine.
  const own = new Set(["Pulumi.yaml", "go.mod", "package.json", "requirements.txt"]);
  const exported = join(project, "exported");
  cpSync(exported, project, { recursive: true, filter: (file) => !own.has(basename(file)) });
  const [module] = /^module .*/m.exec(goModuleIn(exported)) ?? [];
  if (module !== undefined) {
    const installed = goModuleIn(project);
    // The file is a link to that of the example.
    rmSync(join(project, "go.mod"));
    writeFileSync(join(project, "go.mod"), installed.replace(/^module .*/m, module));
  }
  rmSync(exported, { recursive: true });
  await stack.up();
  await stack.expectEmptyPreview();
  assert.deepEqual(sim.changing(), []);
}

function goModuleIn(folder: string): string {
  const file = join(folder, "go.mod");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

const rules = [{ action: "execute", expression: "true", action_parameters: { id: managed } }];
const value = "script-src 'self'; object-src 'none'; base-uri 'self'";

/** Zones that were set up by hand, for `importAll`. */
export const foundZones = {
  [zoneA]: { policies: [{ description: "blog", expression: "true", value }] },
  [zoneB]: { policies: [{ description: "alone", expression: "true", value }], entrypoint: { rules } },
};

/** Imports four resources; the engine writes the program that declares them. */
export async function importAll({ sim, stack }: Story, program: string): Promise<void> {
  const resources = Object.entries({
    watch: ["PageGuardSettings", zoneB],
    alone: ["CspPolicy", `${zoneB}/${sim.zone(zoneB).policies[0]?.id}`],
    policies: ["CspPolicySet", zoneA],
    waf: ["ManagedWafEntrypoint", zoneB],
  }).map(([name, [kind, id]]) => ({ type: `page-guard:index:${kind}`, name, id }));
  writeFileSync(join(stack.place.project, "import.json"), JSON.stringify({ resources }));
  const flags = ["--yes", "--skip-preview", "--protect=false", "--out", program];
  const { code, output } = await stack.run("import", "--file", "import.json", ...flags);
  assert.equal(code, 0, output);
  assert.equal(Object.keys(stack.state()).length, resources.length);
}
