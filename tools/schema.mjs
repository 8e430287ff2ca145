/** `npm run schema`: writes provider/plugin/schema.json from the schemas, types and doc comments of the sources. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareTools, root } from "./setup/workspace.mjs";

await prepareTools();
const { pluginSchema } = await import("./schema/plugin-schema.mjs");
writeFileSync(
  join(root, "provider", "plugin", "schema.json"),
  `${JSON.stringify(pluginSchema(), undefined, 2)}\n`,
);
