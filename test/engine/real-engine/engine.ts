import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const root = resolve(__dirname, "../../..");
const ourHost = join(root, "tools/engine/language-host.cjs");

/** Turns off the garbage collection of the engine, which runs only for a second. */
export const uncollected = { GOGC: "off", GOMEMLIMIT: "512MiB" };

/** Environment in which the engine and its processes load and do only what they need. */
export const lightly = {
  ...uncollected,
  // Other tests check the types of TypeScript programs: test/engine/consumers for examples, test/command for exports.
  PULUMI_NODEJS_TRANSPILE_ONLY: "true",
  NODE_OPTIONS: ["lazy-libraries.cjs", "compile-cache.cjs"]
    .map((name) => `--require "${join(__dirname, name).replace(/["\\]/g, "\\$&")}"`)
    .join(" "),
};

/** The modules that programs, providers, policy packs, the language host and the command load when they start. */
const listLoaded = () => [
  "@pulumi/pulumi",
  "@pulumi/pulumi/cmd/run/error",
  "@pulumi/pulumi/cmd/run/instrumentation",
  "@pulumi/pulumi/cmd/dynamic-provider/config",
  "@pulumi/pulumi/proto/provider_grpc_pb",
  "google-protobuf/google/protobuf/any_pb",
  "pulumi-page-guard",
  "pulumi-page-guard/runtime",
  "@pulumi/pulumi/cmd/run-plugin/run",
  "@pulumi/pulumi/cmd/run-policy-pack/run",
  join(root, "provider/dist/plugin/serve.js"),
  join(root, "command/dist/run.js"),
  ourHost,
  join(__dirname, "transpile-once.cjs"),
];

/** The folders of one stack. The engine, the program and the provider write only below `folder`. */
export interface Place {
  readonly folder: string;
  readonly project: string;
  readonly pulumiHome: string;
  readonly backend: string;
  readonly env: NodeJS.ProcessEnv;
  /**
   * Whether the language host is this repository's own. It then runs in this process, which saves two starts of Node in
   * each run. Otherwise the engine starts the official one.
   */
  readonly isHostOurs?: boolean;
}

let engineFolder: Promise<string> | undefined;

/** Returns the folder of the engine's executables. Builds the engine if the machine has none, or fails. */
export function engine(): Promise<string> {
  engineFolder ??= import(pathToFileURL(join(root, "tools/setup/engine.mjs")).href).then(
    async (tool: { findOrMakeEngine(): Promise<string> }) => {
      const folder = await tool.findOrMakeEngine();
      await promisify(execFile)(process.execPath, [join(__dirname, "compile-cache.cjs"), ...listLoaded()]);
      return folder;
    },
  );
  return engineFolder;
}

let template: Promise<string> | undefined;

/** Creates a project with an empty stack. `pulumi stack init` runs only once; later calls copy its result. */
export async function newPlace(): Promise<Place> {
  template ??= initTemplate();
  const folder = mkdtempSync(join(tmpdir(), "page-guard-story-"));
  cpSync(await template, folder, { recursive: true, verbatimSymlinks: true });
  return placeAt(folder, await engine());
}

/** Creates a stack in the project like `pulumi stack init`, with the key of the place's own stack. */
export function emptyStack({ folder, backend }: Place, project: string, stack: string): void {
  const [, name = ""] =
    /^name: "?([\w-]+)"?$/m.exec(readFileSync(join(project, "Pulumi.yaml"), "utf8")) ?? [];
  const made = readFileSync(join(backend, ".pulumi/stacks/story/dev.json"), "utf8");
  const stacks = join(backend, ".pulumi/stacks", name);
  mkdirSync(stacks, { recursive: true });
  writeFileSync(
    join(stacks, `${stack}.json`),
    made.replace("organization/story/dev", `organization/${name}/${stack}`),
  );
  cpSync(join(folder, "project/Pulumi.dev.yaml"), join(project, `Pulumi.${stack}.yaml`));
}

async function initTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "page-guard-template-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["project", "home", "backend", "tmp"]) mkdirSync(join(folder, name));
  const place = placeAt(folder, await engine());
  symlinkSync(join(root, "node_modules"), join(place.project, "node_modules"));
  cpSync(join(__dirname, "program.js"), join(place.project, "index.js"));
  writeFileSync(join(place.project, "declaration.json"), "{}");
  writeFileSync(join(place.project, "package.json"), '{ "private": true }\n');
  writeFileSync(
    join(place.project, "Pulumi.yaml"),
    "name: story\nmain: index.js\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
  );
  const { code, output } = await runPulumi(place, ["stack", "init", "dev", "--non-interactive"]).ended;
  if (code !== 0) throw new Error(`pulumi stack init failed:\n${output}`);
  return folder;
}

/** The timeout of requests: so long that none fails because the machine is busy or a kill point delays it. */
export const attemptMs = 600_000;

function placeAt(folder: string, engineFolder: string): Place {
  const place = {
    folder,
    project: join(folder, "project"),
    pulumiHome: join(folder, "home"),
    backend: join(folder, "backend"),
  };
  const { PATH } = process.env;
  return {
    ...place,
    isHostOurs: isHostOurs(engineFolder),
    env: {
      PATH: `${engineFolder}${delimiter}${PATH}`,
      HOME: process.env["HOME"],
      TMPDIR: join(folder, "tmp"),
      PULUMI_HOME: place.pulumiHome,
      PULUMI_BACKEND_URL: `file://${place.backend}`,
      PULUMI_CONFIG_PASSPHRASE: "a passphrase of the tests",
      PAGE_GUARD_TIMEOUT_MS: String(attemptMs),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      NO_COLOR: "1",
      ...lightly,
    },
  };
}

export function isHostOurs(engineFolder: string): boolean {
  return readFileSync(join(engineFolder, "pulumi-language-nodejs"), "latin1").includes("language-host.cjs");
}

export interface Ended {
  /** Null if the process was killed. */
  readonly code: number | null;
  readonly stdout: string;
  /** Standard output and standard error. */
  readonly output: string;
}

export interface Running {
  /** -1 until the process has started. */
  readonly pid: number;
  readonly ended: Promise<Ended>;
}

export function runPulumi(place: Place, args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  let child: ChildProcess | undefined;
  const run = async (): Promise<Ended> => {
    const whole = { ...place.env, ...env };
    const host = place.isHostOurs ? await languageHost(whole) : undefined;
    child = spawn("pulumi", [...args], {
      cwd: place.project,
      env: { ...whole, ...(host && { PULUMI_DEBUG_LANGUAGES: `nodejs:${host.port}` }) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      return await endOf(child);
    } finally {
      host?.close();
    }
  };
  return {
    get pid() {
      return child?.pid ?? -1;
    },
    ended: run(),
  };
}

function endOf(child: ChildProcess): Promise<Ended> {
  let stdout = "";
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    stdout += part;
    output += part;
  });
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    output += part;
  });
  return new Promise<Ended>((resolveEnded, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolveEnded({ code, stdout, output }));
  });
}

interface LanguageHost {
  readonly port: number;
  close(): void;
}

/** Starts a language host inside this process, for one run of the CLI. */
function languageHost(env: NodeJS.ProcessEnv): Promise<LanguageHost> {
  const tool: { serveLanguage(options: { env: NodeJS.ProcessEnv }): Promise<LanguageHost> } = require(
    ourHost,
  );
  return tool.serveLanguage({ env });
}
