/** `npm run build`: leaves provider/ ready for `npm pack`. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackage, prepareWorkspace, root } from "./setup/workspace.mjs";

try {
  await prepareWorkspace();
  await buildPackage({ force: true });
  for (const file of ["README.md", "LICENSE"]) copyFileSync(join(root, file), join(root, "provider", file));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
