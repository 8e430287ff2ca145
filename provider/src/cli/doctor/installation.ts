import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { lowestNode, lowestSdk, versionProblem } from "../../declaration/supported-versions";
import { forTerminal } from "../../reports/escape";
import type { Session } from "../session";
import { type Check, fine, skipped, stops } from "./check";
import { jsonFile } from "./json-file";

const sdk = "@pulumi/pulumi";
const ours = "pulumi-page-guard";

/** Node, as it runs this command: the engine starts the same one. */
export function nodeCheck(version: string): Check {
  const problem = versionProblem(version, lowestSdk);
  return problem === undefined ? fine("Node", `${version} (at least ${lowestNode})`) : stops("Node", problem);
}

/** The SDK that a program in this folder would load, and whether it is the only one. */
export function sdkChecks({ cwd }: Session): readonly Check[] {
  if (!existsSync(join(cwd, "package.json"))) {
    return [skipped("SDK", "there is no package.json here: run this in the folder of the program.")];
  }
  const found = packageAt(sdk, cwd);
  if (!found) return [stops("SDK", `${sdk} is not installed here. Run \`npm install\`.`)];
  const problem = versionProblem(lowestNode, found.version);
  const package_ = packageAt(ours, cwd);
  return [
    problem === undefined
      ? fine("SDK", `${sdk} ${found.version} (at least ${lowestSdk})`)
      : stops("SDK", problem),
    package_
      ? fine(ours, `${package_.version}, found from the program`)
      : stops(
          ours,
          `it cannot be found from the program's folder, and the engine looks for it there. Make it a direct dependency: \`npm install ${ours}\`.`,
        ),
    duplicates(cwd, found.path),
  ];
}

/** A second copy of the SDK knows nothing of the first one's stack: resources of its users hang or fail. */
function duplicates(cwd: string, own: string): Check {
  const name = "one SDK";
  const copies = new Map([[own, "the program"]]);
  for (const dependency of directDependencies(cwd)) {
    const folder = packageAt(dependency, cwd)?.path;
    const copy = folder && packageAt(sdk, folder);
    if (copy && !copies.has(copy.path)) copies.set(copy.path, `${dependency} (${copy.version})`);
  }
  const [, ...others] = copies.values();
  if (others.length === 0) return fine(name, "the program and its dependencies share one copy");
  return stops(
    name,
    `${others.map((other) => forTerminal(other)).join(", ")} has a copy of ${sdk} of its own. Run \`npm dedupe\`, or \`npm ls ${sdk}\` to see who asks for which version.`,
  );
}

function directDependencies(cwd: string): readonly string[] {
  const manifest: unknown = jsonFile(join(cwd, "package.json"));
  const dependencies: unknown =
    typeof manifest === "object" && manifest !== null ? Reflect.get(manifest, "dependencies") : {};
  return [...new Set([ours, ...Object.keys(Object(dependencies))])].filter((name) => name !== sdk);
}

function packageAt(
  name: string,
  folder: string,
): { readonly path: string; readonly version: string } | undefined {
  const require = createRequire(join(folder, "index.js"));
  for (const base of require.resolve.paths(name) ?? []) {
    const path = join(base, name);
    const manifest: unknown = jsonFile(join(path, "package.json"));
    if (typeof manifest !== "object" || manifest === null) continue;
    const version: unknown = Reflect.get(manifest, "version");
    return { path: realpathSync(path), version: typeof version === "string" ? version : "unknown" };
  }
  return undefined;
}

/** The engine on the PATH. */
export function engineCheck({ cwd, env }: Session): Promise<Check> {
  return new Promise((settle) => {
    execFile("pulumi", ["version"], { cwd, env, timeout: 20_000 }, (error, stdout) => {
      if (error)
        settle(stops("engine", "there is no `pulumi` that runs on the PATH. Install the Pulumi CLI."));
      else settle(fine("engine", `pulumi ${forTerminal(stdout)}`));
    });
  });
}
