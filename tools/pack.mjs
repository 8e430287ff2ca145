/** `npm run pack -- FOLDER`: packs the four packages into FOLDER and prints the paths of the tarballs, one per line. */
import { resolve } from "node:path";
import { pack } from "./setup/package.mjs";
import { buildPackages, prepareTools } from "./setup/workspace.mjs";

try {
  await prepareTools();
  await buildPackages();
  process.stdout.write(`${(await pack(resolve(process.argv[2] ?? "."))).join("\n")}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
