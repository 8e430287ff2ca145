/** `npm run build`: leaves the packages ready for `npm pack`. */
import { copyDocuments } from "./setup/package.mjs";
import { buildPackages, prepareTools } from "./setup/workspace.mjs";

try {
  await prepareTools();
  await buildPackages({ force: true });
  copyDocuments();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
