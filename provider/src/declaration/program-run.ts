// Without it: an SDK that is too old takes changed zones for unchanged ones, and nobody hears that a token is in plain text.
import * as pulumi from "@pulumi/pulumi";
import { isOffline } from "../api/api-settings";
import { writeFinding } from "../lifecycle/findings-file";
import { offlineFinding } from "../lifecycle/offline";
import { type Finding, findingText, warningOn } from "../model/finding";
import { withCode } from "../text/message";
import { isConfigSecret, isUnderMocks } from "./internals/monitor";
import { sdkVersion } from "./internals/provider-library";
import { holdFailedRun, isConstruction } from "./internals/shared-run";
import { versionProblem } from "./supported-versions";

/** A run that cannot go well ends here, before anything of ours is registered. Throws what the SDK shows as one line. */
export function refuseUnfitRun(): void {
  const outdated = versionProblem(process.versions.node, sdkVersion);
  if (outdated !== undefined) throw new pulumi.RunError(withCode(outdated, "version-too-old"));
  if (isOffline(process.env) && !pulumi.runtime.isDryRun() && !isUnderMocks()) {
    const text =
      "PAGE_GUARD_OFFLINE is set: under it programs are previewed, never applied. Unset the variable and run the command again. Nothing was changed.";
    throw new pulumi.RunError(withCode(text, "offline-apply"));
  }
}

/** Runs for which what follows was reported: a process may see many, and each has a monitor of its own. */
const reported = new WeakSet<object>();

/** What holds for the run as a whole, reported once, on the stack. */
export function tellOfRun(): void {
  const monitor: unknown = pulumi.runtime.getMonitor();
  if (typeof monitor !== "object" || monitor === null || isUnderMocks()) return;
  // Each component of a package has a monitor of its own, too; they are of one run.
  const run = isConstruction() ? process : monitor;
  if (reported.has(run)) return;
  reported.add(run);
  holdFailedRun();
  for (const finding of [...(isOffline(process.env) ? [offlineFinding] : []), ...plainTokenFindings()]) {
    writeFinding(finding, { urn: "" });
    void pulumi.log.warn(findingText(finding));
  }
}

/** Nothing is said where the SDK does not tell. */
function plainTokenFindings(): Finding[] {
  const isPlain = isConfigSecret("page-guard:apiToken") === false;
  if (!isPlain || new pulumi.Config("page-guard").get("apiToken") === undefined) return [];
  const message = `page-guard:apiToken is in the config of this stack, but not as a secret: everybody who can read Pulumi.${pulumi.getStack()}.yaml or the state can read the token. Write it with \`pulumi config set --secret page-guard:apiToken\`, or give it in the environment variable PAGE_GUARD_API_TOKEN instead, and replace the token.`;
  return [warningOn("", "plain-token", message)];
}
