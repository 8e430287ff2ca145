import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sdkVersion } from "../declaration/internals/provider-library";
import { serveProvider } from "../declaration/internals/provider-server";
import { versionProblem } from "../declaration/supported-versions";
import { identifyStranger } from "./connecting-user";

/**
 * Serves the resources and functions of this package to the engine, for programs in any language. `folder`: the plugin's folder,
 * which contains its schema. Because programs wait for this process to start, it loads only the modules that the schema needs, all
 * others on first use, and never the whole SDK.
 */
export async function servePlugin(folder: string): Promise<void> {
  const outdated = versionProblem(process.versions.node, sdkVersion);
  if (outdated !== undefined) throw new Error(outdated);
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(folder, "..", "package.json"), "utf8"),
  );
  let loaded: ReturnType<typeof import("./calls").pluginCalls> | undefined;
  const calls = () => {
    loaded ??= (require("./calls") as typeof import("./calls")).pluginCalls();
    return loaded;
  };
  const { port } = await serveProvider(
    {
      version,
      schema: () =>
        JSON.stringify({ ...JSON.parse(readFileSync(join(folder, "schema.json"), "utf8")), version }),
      get components() {
        return calls().components;
      },
      checkConfig: (urn, args) => calls().checkConfig(urn, args),
      configure: (urn, args) => calls().configure(urn, args),
      resource: (urn) => calls().resource(urn),
      invoke: (token, args) => calls().invoke(token, args),
    },
    identifyStranger,
  );
  // The engine reads the port from the first line of the output.
  process.stdout.write(`${port}\n`);
}
