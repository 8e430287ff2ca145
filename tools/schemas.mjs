/** `npm run schemas`: writes provider/schemas from the schemas in the sources. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { prepareTools, root } from "./setup/workspace.mjs";

const folder = join(root, "provider/schemas");

await prepareTools();
const require = createRequire(import.meta.url);
require("./test/transpile.cjs");
const { publishedSchemas } = require("../provider/src/reports/audit/published-schemas.ts");
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(publishedSchemas())) writeFileSync(join(folder, name), text);
