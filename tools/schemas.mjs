/** `npm run schemas`: writes command/schemas and the plugin's schema.json from the schemas in the sources. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { publishedSchemas } from "./schema/published-schemas.mjs";
import { prepareTools, root } from "./setup/workspace.mjs";

await prepareTools();
const require = createRequire(import.meta.url);
require("./test/transpile.cjs");
const schemas = require("../command/src/reports/audit/report-data");
const folder = join(root, "command/schemas");
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(publishedSchemas(schemas))) writeFileSync(join(folder, name), text);

const { pluginSchema } = await import("./schema/plugin-schema.mjs");
const file = join(root, "provider/plugin/schema.json");
// Renamed, because this changes the plugin's folder. Until the folder changes, Pulumi uses its own copy of the old schema.
writeFileSync(`${file}.new`, `${JSON.stringify(pluginSchema(), undefined, 2)}\n`);
renameSync(`${file}.new`, file);
