/** `npm run schemas`: writes command/schemas and the plugin's schema.json from the schemas in the sources. */
import { generate } from "./setup/generate.mjs";

await generate(async (require) => {
  const { publishedSchemas } = await import("./schema/published-schemas.mjs");
  const { pluginSchema } = await import("./schema/plugin-schema.mjs");
  return {
    "command/schemas": publishedSchemas(require("./command/src/reports/audit/report-data")),
    "provider/plugin": { "schema.json": `${JSON.stringify(pluginSchema(), undefined, 2)}\n` },
  };
});
