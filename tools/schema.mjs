/** `npm run schema`: writes provider/plugin/schema.json from the schemas, types and doc comments of the sources. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareTools, root } from "./setup/workspace.mjs";

await prepareTools();
const { pluginSchema } = await import("./schema/plugin-schema.mjs");
const file = join(root, "provider", "plugin", "schema.json");
// Moved into place: Pulumi keeps a copy beside the plugin's folder until the folder itself changes.
writeFileSync(`${file}.new`, `${JSON.stringify(pluginSchema(), undefined, 2)}\n`);
renameSync(`${file}.new`, file);
