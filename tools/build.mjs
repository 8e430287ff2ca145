/** `npm run build`: leaves provider/ ready for `npm pack`. */
import { copyDocuments } from "./setup/package.mjs";
import { buildPackage, prepareTools } from "./setup/workspace.mjs";

try {
  await prepareTools();
  await buildPackage({ force: true });
  copyDocuments();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
