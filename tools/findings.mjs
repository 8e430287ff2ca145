/** `npm run findings`: writes the table of docs/findings.md from the table in the sources. */
import { generate } from "./setup/generate.mjs";

await generate((require) => {
  const { findingTable } = require("./provider/src/errors/findings");
  const { textOf } = require("./test/workspace/structure/source-files");
  const { withTable } = require("./tools/docs/findings-page");
  return { docs: { "findings.md": withTable(textOf("docs/findings.md"), findingTable) } };
});
