// Checks a run as a whole: the versions of Node and the SDK, the offline mode, the program's folder, and a token in plain text.
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { isOffline } from "../api/api-settings";
import { writeFinding } from "../lifecycle/findings-file";
import { offlineFinding } from "../lifecycle/offline";
import { type Finding, findingText, makeWarning } from "../model/finding";
import { withCode } from "../text/message";
import { clean } from "../text/shown";
import { isConfigSecret, isUnderMocks } from "./internals/monitor";
import { sdkVersion } from "./internals/provider-library";
import { holdFailedRun, isConstruction, sharedRun } from "./internals/shared-run";
import { versionProblem } from "./supported-versions";

/** Stops a run that cannot succeed, before any of our resources is registered. Throws an error that the SDK shows as one line. */
export function refuseUnfitRun(): void {
  const outdated = versionProblem(process.versions.node, sdkVersion);
  if (outdated !== undefined) throw new pulumi.RunError(withCode(outdated, "version-too-old"));
  if (isOffline(process.env) && !pulumi.runtime.isDryRun() && !isUnderMocks()) {
    const text =
      "PAGE_GUARD_OFFLINE is set: it allows previews only, so nothing is applied. Unset the variable and run the command again. Nothing was changed.";
    throw new pulumi.RunError(withCode(text, "offline-apply"));
  }
}

/** Keys of runs that were already checked. The key of a run is its monitor or, for packaged components, `process`. */
const reported = new WeakSet<object>();

/**
 * Checks the run as a whole, and reports the findings once, on the stack.
 *
 * @throws pulumi.RunError if the engine could not load the provider of the `declared` resource.
 */
export function tellOfRun(declared: string): void {
  const monitor: unknown = pulumi.runtime.getMonitor();
  if (typeof monitor !== "object" || monitor === null || isUnderMocks()) return;
  // Each packaged component has its own monitor, but all these components belong to one run.
  const run = isConstruction() ? process : monitor;
  if (reported.has(run)) return;
  requireFromProgram(declared);
  reported.add(run);
  holdFailedRun();
  for (const finding of [...(isOffline(process.env) ? [offlineFinding] : []), ...plainTokenFindings()]) {
    writeFinding(finding, { urn: "" });
    void pulumi.log.warn(findingText(finding));
  }
}

/**
 * Checks that this package can be loaded from the folder of the program, because the engine loads the provider from that folder.
 * If the program gets this package only through another package, it may not be installed in that folder. Inline programs and
 * packaged components share a process with other code, so their folder is not known and nothing is checked.
 */
function requireFromProgram(declared: string): void {
  if (sharedRun() !== undefined) return;
  const folder = process.cwd();
  try {
    createRequire(join(folder, "package.json")).resolve("pulumi-page-guard/runtime");
  } catch {
    const text = `Failed to declare ${declared}: pulumi-page-guard cannot be loaded from the folder of this program, ${clean(folder)}. The engine loads it from there, even if another package declares the resource. Add pulumi-page-guard to the dependencies of this program, in the version that the other package uses, and install the dependencies. Nothing was changed.`;
    throw new pulumi.RunError(withCode(text, "package-not-in-program"));
  }
}

/** Returns a warning if the config contains an API token in plain text. Returns none if this SDK cannot tell. */
function plainTokenFindings(): Finding[] {
  const isPlain = isConfigSecret("page-guard:apiToken") === false;
  if (!isPlain || new pulumi.Config("page-guard").get("apiToken") === undefined) return [];
  const message = `page-guard:apiToken is in the config of this stack, but not as a secret: anyone who can read Pulumi.${pulumi.getStack()}.yaml or the state can read the token. Write it with \`pulumi config set --secret page-guard:apiToken\`, or give it in the environment variable PAGE_GUARD_API_TOKEN instead. Then create a new token, and revoke this one.`;
  return [makeWarning("", "plain-token", message)];
}
