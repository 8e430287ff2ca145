/**
 * Writes the files that are made from the sources: `npm run schemas` (the published schemas, the plugin's schema.json),
 * `npm run resources` (docs/resources, the files that guides show) and `npm run findings` (the table of docs/findings.md).
 */
import { renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { runTool } from "./setup/run.mjs";
import { prepareTools, root } from "./setup/workspace.mjs";

const require = createRequire(import.meta.url);

/** Functions that return the contents of the files, by folder and name. The argument of this tool names one of them. */
const generators = {
  async schemas() {
    const { publishedSchemas } = await import("./schema/published-schemas.mjs");
    const { pluginSchema } = await import("./schema/plugin-schema.mjs");
    return {
      "command/schemas": publishedSchemas(require("../command/src/documents/audit/report-data")),
      "provider/plugin": { "schema.json": `${JSON.stringify(pluginSchema(), undefined, 2)}\n` },
    };
  },
  resources() {
    const { resourcePages } = require("./docs/resource-pages");
    const { pagesWithFiles } = require("./docs/shown-files");
    return { "docs/resources": resourcePages(), ".": pagesWithFiles() };
  },
  findings() {
    const { findingTable } = require("../provider/src/errors/findings");
    const { textOf } = require("../test/workspace/structure/source-files");
    const { withTable } = require("./docs/findings-page");
    return { docs: { "findings.md": withTable(textOf("docs/findings.md"), findingTable) } };
  },
};

await runTool(async () => {
  const name = process.argv[2] ?? "nothing";
  const names = Object.keys(generators);
  if (!names.includes(name)) throw new Error(`Expected one of ${names.join(", ")}, got ${name}.`);
  await prepareTools();
  require("./test/transpile.cjs");
  for (const [folder, texts] of Object.entries(await generators[name]())) {
    for (const [base, text] of Object.entries(texts)) {
      const file = join(root, folder, base);
      // Rename a new file into place, because that changes the folder. Otherwise Pulumi keeps using its copy of the schema.
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    }
  }
});
