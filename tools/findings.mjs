/** `npm run findings`: writes the table of docs/findings.md from the table in the sources. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { prepareTools, root } from "./setup/workspace.mjs";

const page = join(root, "docs/findings.md");

await prepareTools();
const require = createRequire(import.meta.url);
require("./test/transpile.cjs");
const { findingTable } = require("../provider/src/errors/findings");
const { withTable } = require("./docs/findings-page");
writeFileSync(page, withTable(readFileSync(page, "utf8"), findingTable));
