/** `npm run build`: leaves the packages ready for `npm pack`. */
import { copyDocuments } from "./setup/package.mjs";
import { runTool } from "./setup/run.mjs";
import { buildPackages, prepareTools } from "./setup/workspace.mjs";

await runTool(async () => {
  await prepareTools();
  await buildPackages({ force: true });
  copyDocuments();
});
