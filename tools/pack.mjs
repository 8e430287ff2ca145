/** `node tools/pack.mjs FOLDER`: packs the package into FOLDER; its only line on stdout is the path of the tarball. */
import { resolve } from "node:path";
import { pack } from "./setup/package.mjs";
import { buildPackage, prepareTools } from "./setup/workspace.mjs";

try {
  await prepareTools();
  await buildPackage();
  process.stdout.write(`${await pack(resolve(process.argv[2] ?? "."))}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
