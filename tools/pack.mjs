/** `npm run pack -- FOLDER`: packs the four packages into FOLDER and prints the paths of the tarballs, one per line. */
import { resolve } from "node:path";
import { pack } from "./setup/package.mjs";
import { runTool } from "./setup/run.mjs";
import { buildPackages, prepareTools } from "./setup/workspace.mjs";

await runTool(async () => {
  await prepareTools();
  await buildPackages();
  for (const { tarball } of await pack(resolve(process.argv[2] ?? "."))) process.stdout.write(`${tarball}\n`);
});
