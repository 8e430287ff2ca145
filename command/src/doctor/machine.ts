import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import {
  apiSettings,
  lowest,
  PageGuardError,
  parseJson,
  switchesOn,
  versionProblem,
} from "pulumi-page-guard/tools";
import { forTerminal } from "../documents/escape";
import { runPulumi } from "../pulumi/run-pulumi";
import type { Session } from "../shared/session";
import { asRecord, asString, type Fields } from "../shared/values";
import { type Check, fine, judge, skipped, stops, warnings } from "./check";

const sdk = "@pulumi/pulumi";
const ours = "pulumi-page-guard";

/** Checks Node, the SDK and the engine that a program in this folder would use, and the environment variables. */
export async function machineChecks(session: Session): Promise<readonly Check[]> {
  const { node } = process.versions;
  const ended = runPulumi(session, ["pulumi", "version"], { timeoutMs: 20_000 });
  const { code, stdout } = await ended.catch(() => ({ code: 1, stdout: "" }));
  const noEngine = "there is no working `pulumi` on the PATH. Install the Pulumi CLI.";
  return [
    judge("Node", versionProblem(node, lowest.sdk), `${node} (at least ${lowest.node})`),
    ...sdkChecks(session),
    judge("engine", code === 0 ? undefined : noEngine, `pulumi ${forTerminal(stdout)}`),
    ...variableChecks(session.env),
  ];
}

/** Checks the SDK that a program in this folder would load, and whether there is only one copy of the SDK. */
function sdkChecks({ cwd }: Session): readonly Check[] {
  if (!existsSync(join(cwd, "package.json")))
    return [skipped("SDK", "there is no package.json here. Run this in the folder of the program.")];
  const found = findPackage(sdk, cwd);
  if (!found) return [stops("SDK", `${sdk} is not installed here. Run \`npm install ${sdk}\`.`)];
  const own = findPackage(ours, cwd);
  // A second copy of the SDK does not know the stack that the first copy runs, so resources that use it hang or fail.
  const others = [ours, ...Object.keys(asRecord(readManifest(cwd)?.["dependencies"]))].filter((name) => {
    const folder = name === sdk ? undefined : findPackage(name, cwd)?.path;
    return folder !== undefined && (findPackage(sdk, folder)?.path ?? found.path) !== found.path;
  });
  const indirect = `it cannot be found from the program's folder, where the engine looks for it. Make it a direct dependency: \`npm install ${ours}\`.`;
  const second = `${forTerminal(others.join(", "))} has its own copy of ${sdk}. Run \`npm dedupe\`, or \`npm ls ${sdk}\` to see which package requires which version.`;
  const problem = versionProblem(lowest.node, found.version);
  return [
    judge("SDK", problem, `${sdk} ${found.version} (at least ${lowest.sdk})`),
    judge(ours, own ? undefined : indirect, `${own?.version}, found from the program`),
    judge("one SDK", others.length > 0 ? second : undefined, "the program and its packages share one copy"),
  ];
}

function readManifest(folder: string): Fields | undefined {
  const file = join(folder, "package.json");
  const manifest = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  return manifest === undefined ? undefined : asRecord(manifest);
}

function findPackage(name: string, folder: string) {
  for (const base of createRequire(join(folder, "index.js")).resolve.paths(name) ?? []) {
    // Skips the folders in NODE_PATH: pnpm's shim adds folders to it for this command, but `pulumi` does not get these folders.
    if (!join(folder, sep).startsWith(join(dirname(base), sep))) continue;
    const path = join(base, name);
    const manifest = readManifest(path);
    if (manifest) return { path: realpathSync(path), version: asString(manifest["version"]) ?? "unknown" };
  }
  return undefined;
}

/** Looks for variables that make a run dangerous or impossible. Never shows their values. */
function variableChecks(env: NodeJS.ProcessEnv): readonly Check[] {
  const switchesOnVariable = (variable: string): boolean => switchesOn(env[variable]);
  const name = "variables";
  const found = warnings(name, {
    "PULUMI_SKIP_CHECKPOINTS is set: after an interrupted run, the changes of the run are missing from the state. Unset it wherever a WafMigration, settings or an entry point is declared.":
      switchesOnVariable("PULUMI_SKIP_CHECKPOINTS"),
    "NODE_TLS_REJECT_UNAUTHORIZED is 0: the token is sent to any server that responds, whatever its certificate. Unset it. To trust another certificate authority, use NODE_EXTRA_CA_CERTS.":
      env["NODE_TLS_REJECT_UNAUTHORIZED"]?.trim() === "0",
    "PAGE_GUARD_MAX_REQUESTS_PER_5M is above the documented limit of 1200: the service may block all of the user's requests for five minutes.":
      Number(env["PAGE_GUARD_MAX_REQUESTS_PER_5M"]) > 1200,
    "the engine's debug output is on, and it contains secrets from the stack's config. Do not share the log.":
      switchesOnVariable("TF_LOG") || Number(env["PULUMI_LOGLEVEL"]) >= 9,
  });
  const offline = "PAGE_GUARD_OFFLINE is set, so a preview reads no zone, and an `up` is refused. Unset it.";
  if (switchesOnVariable("PAGE_GUARD_OFFLINE")) found.push(stops(name, offline));
  try {
    apiSettings(env);
  } catch (error) {
    if (!(error instanceof PageGuardError)) throw error;
    found.push(stops(name, forTerminal(error.message, 400)));
  }
  return found.length > 0 ? found : [fine(name, "no dangerous variable is set")];
}
