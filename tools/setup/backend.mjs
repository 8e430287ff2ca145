import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Creates a Pulumi backend in `folder` and returns its variables. Leaves the user's own Pulumi login and settings alone. */
export function createBackend(folder) {
  const backend = join(folder, "backend");
  mkdirSync(backend);
  return {
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: pathToFileURL(backend).href,
    PULUMI_CONFIG_PASSPHRASE: "nothing here is secret",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}
