/**
 * `npm run resources`: writes docs/resources from the plugin's schema and the table of findings in the sources, and updates
 * the files that the guides show.
 */
import { generate } from "./setup/generate.mjs";

await generate((require) => {
  const { resourcePages } = require("./tools/docs/resource-pages");
  const { pagesWithFiles } = require("./tools/docs/shown-files");
  return { "docs/resources": resourcePages(), ".": pagesWithFiles() };
});
