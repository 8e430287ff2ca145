import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { runTool } from "./run.mjs";
import { prepareTools, root } from "./workspace.mjs";

/**
 * Writes files that are made from the sources. `make` gets a `require` that loads TypeScript, with paths from the root of
 * the repository. It returns the texts of the files by folder and name.
 */
export async function generate(make) {
  await runTool(async () => {
    await prepareTools();
    const require = createRequire(join(root, "tools.cjs"));
    require("./tools/test/transpile.cjs");
    for (const [folder, texts] of Object.entries(await make(require))) {
      mkdirSync(join(root, folder), { recursive: true });
      for (const [name, text] of Object.entries(texts)) {
        const file = join(root, folder, name);
        // Renamed, because this changes the folder. Until the plugin's folder changes, Pulumi uses its own copy of the schema.
        writeFileSync(`${file}.new`, text);
        renameSync(`${file}.new`, file);
      }
    }
  });
}
