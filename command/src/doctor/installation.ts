import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { lowestNode, lowestSdk, versionProblem, z } from "pulumi-page-guard/tools";
import { runPulumi } from "../pulumi/run-pulumi";
import { forTerminal } from "../reports/escape";
import type { Session } from "../session";
import { type Check, fine, jsonFile, skipped, stops } from "./check";

const sdk = "@pulumi/pulumi";
const ours = "pulumi-page-guard";

/** The Node that runs this command, as the engine would start it. */
export function nodeCheck(version: string): Check {
  const problem = versionProblem(version, lowestSdk);
  return problem === undefined ? fine("Node", `${version} (at least ${lowestNode})`) : stops("Node", problem);
}

/** The SDK that a program in this folder would load, and whether it is the only one. */
export function sdkChecks({ cwd }: Session): readonly Check[] {
  if (!existsSync(join(cwd, "package.json"))) {
    return [skipped("SDK", "there is no package.json here. Run this in the folder of the program.")];
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
          `it cannot be found from the program's folder, where the engine looks for it. Make it a direct dependency: \`npm install ${ours}\`.`,
        ),
    duplicates(cwd, found.path),
  ];
}

/** A second copy of the SDK does not know the stack of the first: resources that use it hang or fail. */
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
    `${others.map((other) => forTerminal(other)).join(", ")} has its own copy of ${sdk}. Run \`npm dedupe\`, or \`npm ls ${sdk}\` to see who requires which version.`,
  );
}

const manifestSchema = z.looseObject({
  version: z.string().catch("unknown"),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
});

function directDependencies(cwd: string): readonly string[] {
  const { dependencies = {} } = manifestSchema.safeParse(jsonFile(join(cwd, "package.json"))).data ?? {};
  return [...new Set([ours, ...Object.keys(dependencies)])].filter((name) => name !== sdk);
}

function packageAt(
  name: string,
  folder: string,
): { readonly path: string; readonly version: string } | undefined {
  const require = createRequire(join(folder, "index.js"));
  for (const base of require.resolve.paths(name) ?? []) {
    const path = join(base, name);
    const manifest = manifestSchema.safeParse(jsonFile(join(path, "package.json"))).data;
    if (manifest) return { path: realpathSync(path), version: manifest.version };
  }
  return undefined;
}

/** The engine on the PATH. */
export async function engineCheck(session: Session): Promise<Check> {
  const ended = runPulumi(session, ["pulumi", "version"], { timeoutMs: 20_000 });
  const { code, stdout } = await ended.catch(() => ({ code: 1, stdout: "" }));
  if (code === 0) return fine("engine", `pulumi ${forTerminal(stdout)}`);
  return stops("engine", "there is no working `pulumi` on the PATH. Install the Pulumi CLI.");
}
