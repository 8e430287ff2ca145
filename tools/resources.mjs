/**
 * `npm run resources`: writes docs/resources from the plugin's schema and the table of findings in the sources, and updates
 * the files that the guides show.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { prepareTools, root } from "./setup/workspace.mjs";

await prepareTools();
const require = createRequire(import.meta.url);
require("./test/transpile.cjs");
const { resourcePages } = require("./docs/resource-pages");
const { pagesWithFiles } = require("./docs/shown-files");
const folder = join(root, "docs/resources");
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(resourcePages())) writeFileSync(join(folder, name), text);
for (const [path, text] of Object.entries(pagesWithFiles())) writeFileSync(join(root, path), text);
